import { once } from "node:events";
import { expect } from "chai";
import { pageAccess } from "../../src/company/company.ts";
import { ConnectionPool } from "../../src/company/connection-pool.ts";
import { ClinicNotices } from "../../src/company/notices.ts";
import { MINUTE_MS } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import type { Notice } from "../../src/domain/notice.ts";
import type { Sink, SinkName } from "../../src/domain/sink.ts";
import { append } from "../../src/notify/central-sink.ts";
import type { Connection } from "../../src/notify/database.ts";
import { systemTimers } from "../../src/platform/machine.ts";
import { KeptLog } from "../http/fakes.ts";
import { HookReceiver, MailReceiver, Secrets } from "../notify/receivers.ts";
import { Program } from "../rig/program.ts";
import { CompanyDatabase } from "./postgres.ts";
import { NO_TIMERS, OWN } from "./simulated-gateway.ts";

/** A sink that keeps what it takes, and takes nothing while it is away. */
class KeptSink implements Sink<Notice> {
  readonly taken: Notice[] = [];
  readonly tried: string[] = [];
  isAway = false;
  /** Gives no answer. */
  isSilent = false;
  deliverMs = MINUTE_MS;
  readonly name: SinkName;

  constructor(name: SinkName) {
    this.name = name;
  }

  async deliver(notice: Notice, signal: AbortSignal): Promise<void> {
    this.tried.push(notice.id);
    if (this.isSilent) await once(signal, "abort");
    if (this.isAway || this.isSilent)
      throw new FlancoError("unavailable", `The receiver of ${this.name} is away.`);
    this.taken.push(notice);
  }

  async test(): Promise<string> {
    return "";
  }

  async close(): Promise<void> {}
}

describe("The notices of a company", () => {
  const database = new CompanyDatabase(["fsync=off"]);
  const [email, webhook] = [new KeptSink("email"), new KeptSink("webhook")];
  const log = new KeptLog();
  let pools: readonly ConnectionPool[] = [];
  let processes: readonly ClinicNotices[] = [];
  let gateway: Connection;

  before(async () => {
    await database.start();
    for (const name of ["lugo", "malaga", "soria"]) {
      gateway = await database.connectAs(await database.addGateway(name));
      await append(gateway, null, Date.now(), OWN);
    }
    const company = await database.company();
    const page = await pageAccess(database.admin, company, "flanco_page");
    pools = [1, 2].map(() => new ConnectionPool(() => database.connectAs(page), systemTimers));
    processes = pools.map((own) => {
      const options = { database: own, company, language: "en", timers: NO_TIMERS, log } as const;
      return new ClinicNotices({ ...options, sinks: [email, webhook] });
    });
  });

  after(async () => {
    for (const pool of pools) pool.close();
    await database.stop();
  });

  /** All processes look at the same time, this much later. */
  async function lookAfter(ms: number): Promise<void> {
    await database.admin.query(
      `UPDATE flanco.told SET since_ms = since_ms - ${ms}, told_ms = told_ms - ${ms}, gone_ms = gone_ms - ${ms}`,
    );
    await Promise.all(processes.map((one) => one.look()));
  }

  const subjects = ({ taken }: KeptSink) => taken.map(({ subject }) => subject);
  const silence = (ms: number) =>
    database.admin.query(`UPDATE flanco.gateway SET seen_ms = seen_ms - ${ms} WHERE name <> 'soria'`);

  it("tell each sink once, whichever process looks, and one that was away once it is back", async () => {
    await lookAfter(0);
    await silence(61 * MINUTE_MS);
    webhook.isAway = true;
    await lookAfter(0);
    expect(subjects(email)).to.deep.equal([]);
    await lookAfter(2 * MINUTE_MS);
    await lookAfter(0);
    expect(subjects(email)).to.deep.equal(["Attention: 2 gateways"]);
    expect(email.taken[0]?.text).to.match(
      /^- lugo: Silent\. Last call: .*\n- malaga: Silent\. .*page says what to do/s,
    );
    expect(email.taken[0]?.details).to.deep.equal({
      ...{ company: "Televida", count: 2, clinics: "lugo silent; malaga silent" },
    });
    webhook.isAway = false;
    await lookAfter(0);
    expect(webhook.taken.map(({ text }) => text)).to.deep.equal(email.taken.map(({ text }) => text));
    expect(new Set(webhook.tried), "the same notice at each try").to.have.property("size", 1);
    expect(new Set(log.warnings), "a line of each process").to.deep.equal(
      new Set(["notices wait: The receiver of webhook is away."]),
    );
    expect(log.warnings.length).to.be.at.most(2);
  });

  it("tell once that it is over", async () => {
    await silence(-61 * MINUTE_MS);
    await lookAfter(0);
    await lookAfter(14 * MINUTE_MS);
    expect(subjects(email)).to.have.length(1);
    await lookAfter(MINUTE_MS);
    await lookAfter(MINUTE_MS);
    for (const sink of [email, webhook]) {
      expect(subjects(sink)).to.deep.equal(["Attention: 2 gateways", "Over: 2 gateways"]);
    }
    expect(await database.admin.query("SELECT FROM flanco.told WHERE sink <> ''")).to.deep.equal([]);
  });

  it("come although a gateway's role takes every lock that it can, and not at all while the database takes no writes", async () => {
    const before = email.taken.length;
    const [lock] = await database.admin.query<{ company: number }>("SELECT company FROM flanco.company");
    await gateway.query(`SELECT pg_advisory_lock(1953459300, ${lock?.company})`);
    await silence(61 * MINUTE_MS);
    await lookAfter(0);
    await database.admin.query("UPDATE flanco.told SET since_ms = 0 WHERE sink <> ''");
    // As a disk that is full.
    await database.admin.query("ALTER TABLE flanco.told ADD CONSTRAINT full_disk CHECK (told_ms IS NULL)");
    await lookAfter(0);
    expect(subjects(email)).to.have.length(before);
    await database.admin.query("ALTER TABLE flanco.told DROP CONSTRAINT full_disk");
    [email.isAway, webhook.isAway] = [true, true];
    log.warnings.length = 0;
    for (let minute = 0; minute < 5; minute += 1) await lookAfter(0);
    expect(log.warnings.length, "once for each sink, by each process").to.be.at.most(4);
    [email.isAway, webhook.isAway] = [false, false];
    webhook.isSilent = true;
    webhook.deliverMs = 50;
    await lookAfter(0);
    expect(subjects(email)).to.have.length(before + 1);
    webhook.isSilent = false;
    await lookAfter(0);
    await lookAfter(0);
    expect(subjects(email)).to.have.length(before + 1);
  });

  it("go by e-mail and webhook, which a command tests", async () => {
    const secrets = await new Secrets().open();
    const [mail, hook] = [new MailReceiver(secrets.good), new HookReceiver(secrets.good)];
    const program = await Program.make();
    const settings = program.write(
      "company.toml",
      `email_server = "smtp://localhost:${await mail.open()}"
email_login = "clinica"
email_password_file = "${secrets.passwordFile}"
email_authority_file = "${secrets.authorityFile}"
email_from = "flanco@example.org"
email_to = ["ana@example.org"]
webhook_url = "https://localhost:${await hook.open()}/hook"
webhook_key_file = "${secrets.keyFile}"
webhook_authority_file = "${secrets.authorityFile}"
`,
    );
    try {
      const ended = await program.call(["central", "test-notices", "--config", settings]);
      expect(ended.stderr).to.equal("");
      expect(ended.exitCode).to.equal(0);
      expect(ended.stdout).to.match(
        /taken a test message for ana@example\.org\.\nThe receiver .* has taken a test/,
      );
      expect(mail.taken.map(({ to }) => to)).to.deep.equal([["ana@example.org"]]);
      expect(hook.posted.map(({ body }) => body)).to.match(/"kind":"test"/);
      expect((await program.call(["central", "test-notices"])).stderr).to.contain("No notices are set up.");
    } finally {
      await Promise.all([mail.close(), hook.close(), program.close()]);
      secrets.remove();
    }
  });
});
