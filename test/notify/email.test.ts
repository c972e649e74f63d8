import { expect } from "chai";
import { freePort } from "../../scripts/ports.ts";
import { MINUTE_MS, VirtualTime } from "../../src/domain/clock.ts";
import { EmailSink } from "../../src/notify/email.ts";
import { Forwarder } from "../../src/notify/forwarder.ts";
import { KeptLog } from "../http/fakes.ts";
import { rejection } from "../rig/rejection.ts";
import { forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { A_NOTICE, MailReceiver, Secrets } from "./receivers.ts";

describe("a notice by e-mail", () => {
  const secrets = forSuite(() => new Secrets().open());
  const closing: MailReceiver[] = [];
  const warnings: string[] = [];
  const { signal } = new AbortController();

  afterEach(async () => {
    warnings.length = 0;
    for (const receiver of closing.splice(0)) await receiver.close();
  });

  async function open(...given: ConstructorParameters<typeof MailReceiver>): Promise<[MailReceiver, number]> {
    const receiver = new MailReceiver(...given);
    closing.push(receiver);
    return [receiver, await receiver.open()];
  }

  function sink(
    server: string,
    otherwise: Partial<ConstructorParameters<typeof EmailSink>[0]> = {},
  ): EmailSink {
    const settings = {
      email_server: server,
      email_login: "clinica",
      email_password_file: secrets.passwordFile,
      email_authority_file: secrets.authorityFile,
      email_from: "flanco@example.org",
      email_to: ["ana@example.org", "luis@example.org"],
      ...otherwise,
    };
    return new EmailSink(
      settings,
      () => ({ ...A_NOTICE, kind: "test" }),
      (text) => void warnings.push(text),
    );
  }

  const refusal = (mail: EmailSink) => rejection(mail.deliver(A_NOTICE, signal));

  it("goes to all recipients over TLS, with STARTTLS or from the first byte", async () => {
    const [starting, port] = await open(secrets.good);
    await sink(`smtp://localhost:${port}`).deliver(A_NOTICE, signal);
    const [direct, tlsPort] = await open(secrets.good, { secure: true });
    await sink(`smtps://localhost:${tlsPort}`).deliver(A_NOTICE, signal);
    for (const { taken } of [starting, direct]) {
      expect(taken).to.have.length(1);
      expect(taken[0]?.to).to.deep.equal(["ana@example.org", "luis@example.org"]);
      expect(taken[0]?.text).to.match(/^Subject: =\?UTF-8\?Q\?Cl=C3=ADnica/m);
      expect(taken[0]?.text).to.contain(`Message-ID: <${A_NOTICE.id}@example.org>`);
    }
  });

  it("says that the login is refused, and not the password", async () => {
    const [receiver, port] = await open(secrets.good);
    const error = await refusal(sink(`smtp://localhost:${port}`, { email_login: "eva" }));
    expect(error.message).to.equal(
      `The mail server localhost:${port} refuses the login or the password (reply 535).`,
    );
    expect(JSON.stringify([error.message, error.hint, String(error.cause)])).to.not.contain(
      "a mail password",
    );
    expect(receiver.tried).to.include("eva");
  });

  it("says that the certificate has expired, or is of an unknown authority, and sends no password there", async () => {
    const [receiver, port] = await open(secrets.expired, { secure: true });
    const expired = await refusal(sink(`smtps://localhost:${port}`));
    expect(expired.message).to.contain("has a certificate that has expired");
    const [starting, startingPort] = await open(secrets.expired);
    const late = await refusal(sink(`smtp://localhost:${startingPort}`));
    expect(late.message).to.contain("has a certificate that has expired");
    expect(starting.tried).to.deep.equal([]);
    const [, other] = await open(secrets.good, { secure: true });
    const unknown = sink(`smtps://localhost:${other}`, { email_authority_file: "" });
    expect((await refusal(unknown)).message).to.contain("unknown authority");
    expect(receiver.tried).to.deep.equal([]);
  });

  it("sends no password to a server that offers no TLS", async () => {
    const [receiver, port] = await open(secrets.good, {
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
    });
    const error = await refusal(sink(`smtp://localhost:${port}`));
    expect(error.message).to.match(/^The mail server localhost:\d+ /);
    expect(receiver.tried).to.deep.equal([]);
  });

  it("says that there is no server", async () => {
    const error = await refusal(sink(`smtp://127.0.0.1:${await freePort()}`));
    expect(error.message).to.contain("has no service at that port");
  });

  it("fails where the server takes the message and says no, or nothing, and comes again as the same message", async () => {
    const [receiver, port] = await open(secrets.good);
    const mail = sink(`smtp://localhost:${port}`);
    receiver.onMessage = () => Promise.reject(Object.assign(new Error("full"), { responseCode: 452 }));
    expect((await refusal(mail)).message).to.contain("(reply 452)");
    receiver.onMessage = () => new Promise(() => {});
    const ending = new AbortController();
    const stalled = rejection(mail.deliver(A_NOTICE, ending.signal));
    while (receiver.taken.length < 2) await new Promise((resolve) => setImmediate(resolve));
    ending.abort();
    expect((await stalled).code).to.equal("unavailable");
    receiver.onMessage = async () => {};
    await mail.deliver(A_NOTICE, signal);
    const ids = receiver.taken.map(({ text }) => /^Message-ID: (.*)$/m.exec(text)?.[1]);
    expect(new Set(ids)).to.have.property("size", 1);
    expect(ids).to.have.length(3);
  });

  it("arrives once, though the server looks through it for minutes before it says that it has it", async () => {
    const [receiver, port] = await open(secrets.good);
    const looked = Promise.withResolvers<void>();
    receiver.onMessage = () => looked.promise;
    const time = new VirtualTime();
    const forwarder = new Forwarder({ clock: time, timers: time, log: new KeptLog(), random: () => 1 });
    const waiting = [A_NOTICE];
    const feed = {
      next: async () => waiting[0],
      taken: () => void waiting.pop(),
      progress: () => ({ waiting: waiting.length, deliveredMs: null, givenUp: 0 }),
      close: () => {},
    };
    forwarder.add(feed, sink(`smtp://localhost:${port}`));
    forwarder.open();
    await until("the server has it", () => receiver.taken.length === 1);
    time.advance(9 * MINUTE_MS);
    looked.resolve();
    await until("it is delivered", () => forwarder.status()[0]?.delivered === 1);
    expect(receiver.taken).to.have.length(1);
    await forwarder.close();
  });

  it("is refused for good by a 5xx for the message, and not by one for its recipients", async () => {
    const [receiver, port] = await open(secrets.good);
    receiver.onMessage = () => Promise.reject(Object.assign(new Error("no"), { responseCode: 550 }));
    const refused = await refusal(sink(`smtp://localhost:${port}`));
    expect(refused).to.include({ code: "unprocessable" });
    expect(refused.message).to.contain("refuses the message (reply 550)");
    const unknown = sink(`smtp://localhost:${port}`, { email_to: ["nobody@example.org"] });
    expect((await refusal(unknown)).code).to.equal("unavailable");
  });

  it("is not sent again to those that have it, because the server refuses another one", async () => {
    const [receiver, port] = await open(secrets.good);
    const mail = sink(`smtp://localhost:${port}`, { email_to: ["nobody@example.org", "ana@example.org"] });
    await mail.deliver(A_NOTICE, signal);
    expect(receiver.taken).to.have.length(1);
    expect(warnings.join()).to.contain("refuses 1 of 2 recipients");
    expect((await rejection(mail.test(signal))).message).to.contain("refuses 1 of 2 recipients");
  });

  it("is tried out with a message that is called a test", async () => {
    const [receiver, port] = await open(secrets.good);
    const said = await sink(`smtp://localhost:${port}`).test(signal);
    expect(said).to.equal(
      `The mail server localhost:${port} has taken a test message for ana@example.org, luis@example.org.`,
    );
    expect(receiver.taken[0]?.text).to.contain("X-Flanco-Notice: test");
  });
});
