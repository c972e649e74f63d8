import { readFileSync } from "node:fs";
import { expect } from "chai";
import { freePort } from "../../scripts/ports.ts";
import { WebhookSink } from "../../src/notify/webhook.ts";
import { SetClock } from "../http/fakes.ts";
import { rejection } from "../rig/rejection.ts";
import { forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { A_NOTICE, HookReceiver, KEY, Secrets } from "./receivers.ts";

const NOW_MS = Date.UTC(2026, 10, 24, 9, 31);

describe("a notice by webhook", () => {
  const secrets = forSuite(() => new Secrets().open());
  const closing: HookReceiver[] = [];
  const { signal } = new AbortController();

  afterEach(async () => {
    for (const receiver of closing.splice(0)) await receiver.close();
  });

  async function open(certificate = secrets.good): Promise<[HookReceiver, number]> {
    const receiver = new HookReceiver(certificate);
    closing.push(receiver);
    return [receiver, await receiver.open()];
  }

  function sink(
    port: number,
    otherwise: Partial<ConstructorParameters<typeof WebhookSink>[0]> = {},
  ): WebhookSink {
    const settings = {
      webhook_url: `https://localhost:${port}/flanco?clinic=1`,
      webhook_key_file: secrets.keyFile,
      webhook_authority_file: secrets.authorityFile,
      ...otherwise,
    };
    return new WebhookSink(settings, () => ({ ...A_NOTICE, kind: "test" }), new SetClock(NOW_MS));
  }

  const refusal = (hook: WebhookSink) => rejection(hook.deliver(A_NOTICE, signal));

  it("is JSON with an id", async () => {
    const [receiver, port] = await open();
    await sink(port).deliver(A_NOTICE, signal);
    const [{ headers, body } = { headers: {}, body: "" }] = receiver.posted;
    const { madeMs: _made, ...rest } = A_NOTICE;
    expect(JSON.parse(body)).to.deep.equal({ ...rest, time: "2026-11-24T09:30:00.000Z" });
    expect(headers).to.include({
      "content-type": "application/json; charset=utf-8",
      "x-flanco-notice": A_NOTICE.id,
    });
  });

  it("is known by its signature to a receiver that checks it as the documents say, and to no other key or time", async () => {
    const [receiver, port] = await open();
    await sink(port).deliver(A_NOTICE, signal);
    const text = readFileSync(new URL("../../docs/beyond.md", import.meta.url), "utf8");
    const [, example = ""] = /^```js\n([\s\S]*?)^```/m.exec(text) ?? [];
    const { isFromGateway } = await import(`data:text/javascript,${encodeURIComponent(example)}`);
    const [{ headers, body } = { headers: {}, body: "" }] = receiver.posted;
    const seconds = NOW_MS / 1_000;
    expect(isFromGateway(headers, body, KEY, seconds + 200)).to.equal(true);
    expect(isFromGateway(headers, body, KEY, seconds + 301)).to.equal(false);
    expect(isFromGateway(headers, `${body} `, KEY, seconds)).to.equal(false);
    expect(isFromGateway(headers, body, KEY.replace("0", "1"), seconds)).to.equal(false);
    expect(isFromGateway({}, body, KEY, seconds)).to.equal(false);
  });

  it("follows no redirect, and says so", async () => {
    const [elsewhere, elsewherePort] = await open();
    const [receiver, port] = await open();
    receiver.status = 307;
    receiver.headers = { location: `https://localhost:${elsewherePort}/` };
    const error = await refusal(sink(port));
    expect(error.message).to.equal(`The receiver localhost:${port} answers 307.`);
    expect(error.hint).to.contain("redirects are not followed");
    expect(elsewhere.posted).to.deep.equal([]);
  });

  it("is not delivered while the receiver fails, and comes again with the same id", async () => {
    const [receiver, port] = await open();
    const hook = sink(port);
    receiver.status = 503;
    expect((await refusal(hook)).message).to.contain("answers 503");
    receiver.hangsUp = true;
    expect((await refusal(hook)).message).to.contain("ended the connection");
    receiver.hangsUp = false;
    receiver.status = 200;
    await hook.deliver(A_NOTICE, signal);
    const ids = receiver.posted.map(({ headers }) => headers["x-flanco-notice"]);
    expect(ids).to.deep.equal([A_NOTICE.id, A_NOTICE.id, A_NOTICE.id]);
  });

  it("is refused for good by an answer that is about the notice, and not by one about the address or the key", async () => {
    const [receiver, port] = await open();
    const codes: string[] = [];
    for (const status of [400, 413, 422, 401, 403, 404, 429, 500]) {
      receiver.status = status;
      codes.push((await refusal(sink(port))).code);
    }
    expect(codes).to.deep.equal([
      ...Array.from({ length: 3 }, () => "unprocessable"),
      ...Array.from({ length: 5 }, () => "unavailable"),
    ]);
  });

  it("ends when it is told to, though the receiver stalls", async () => {
    const [receiver, port] = await open();
    receiver.stalls = true;
    const ending = new AbortController();
    const stalled = rejection(sink(port).deliver(A_NOTICE, ending.signal));
    while (receiver.posted.length === 0) await new Promise((resolve) => setImmediate(resolve));
    ending.abort();
    expect((await stalled).code).to.equal("unavailable");
  });

  it("keeps no connection to a receiver that does not end its answer", async () => {
    const [receiver, port] = await open();
    receiver.endsAnswers = false;
    for (receiver.status of [200, 500])
      await sink(port)
        .deliver(A_NOTICE, signal)
        .catch(() => {});
    await until("the connections are ended", async () => (await receiver.connections()) === 0);
    expect(receiver.posted).to.have.length(2);
  });

  it("trusts no receiver whose certificate has expired or is of an unknown authority", async () => {
    const [expired, port] = await open(secrets.expired);
    expect((await refusal(sink(port))).message).to.equal(
      `The receiver localhost:${port} has a certificate that has expired.`,
    );
    const [unknown, other] = await open();
    const untrusting = sink(other, { webhook_authority_file: "" });
    expect((await refusal(untrusting)).message).to.contain("unknown authority");
    expect([...expired.posted, ...unknown.posted]).to.deep.equal([]);
  });

  it("says that nothing listens there", async () => {
    const error = await refusal(sink(await freePort()));
    expect(error.message).to.contain("has no service at that port");
  });

  it("is tried out with one that is called a test", async () => {
    const [receiver, port] = await open();
    expect(await sink(port).test(signal)).to.equal(
      `The receiver localhost:${port} has taken a test message.`,
    );
    expect(JSON.parse(receiver.posted[0]?.body ?? "")).to.include({ kind: "test" });
  });
});
