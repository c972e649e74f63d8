import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { runCommand, tryCommand } from "../../scripts/command.ts";
import { clinics } from "../../src/company/company.ts";
import type { GatewayReport } from "../../src/contract/clinic.ts";
import { DAY_MS, MINUTE_MS, type Timers, VirtualTime } from "../../src/domain/clock.ts";
import type { FlancoError } from "../../src/domain/error.ts";
import type { Status } from "../../src/domain/status.ts";
import type { KeyedCertificate } from "../../src/net/tls/keyed-certificate.ts";
import { CENTRAL_SCHEMA, type CentralBatch, CentralSink } from "../../src/notify/central-sink.ts";
import { systemClock } from "../../src/platform/machine.ts";
import { aRecord } from "../http/bodies.ts";
import { OpenSsl } from "../net/tls/openssl.ts";
import { Program, type RunningService } from "../rig/program.ts";
import { rejection } from "../rig/rejection.ts";
import { until } from "../rig/until.ts";
import { TestChain } from "./chain.ts";
import { CompanyDatabase, unprivileged } from "./postgres.ts";
import { NO_TIMERS, OWN } from "./simulated-gateway.ts";

const REPORT: GatewayReport = {
  version: "0.1.0",
  clockTrusted: true,
  certificateEndsMs: 1_800_000_000_000,
  disk: { freeBytes: 5_000_000_000, totalBytes: 30_000_000_000, lifeUsedPercent: 20 },
  backupMs: 1_795_000_000_000,
  remoteBackupMs: null,
  faults: [{ code: "disk_low", count: 1, sinceMs: 1_795_000_000_000, details: { freeBytes: 1 } }],
};

/** A company's database with one gateway, whose password is in a file. */
class GatewayDatabase extends CompanyDatabase {
  readonly passwordFile = this.directory.file("password");

  constructor(certificate?: KeyedCertificate) {
    super(["fsync=off"], certificate);
  }

  override async start(): Promise<this> {
    await super.start();
    const { password } = await this.addGateway("malaga");
    writeFileSync(this.passwordFile, `${password}\n`, { mode: 0o600 });
    return this;
  }

  get address(): string {
    return this.url("flanco_malaga");
  }

  sink(url = this.address, timers: Timers = NO_TIMERS, told = REPORT): CentralSink {
    const { passwordFile } = this;
    const report = async () => told;
    return new CentralSink({ url, passwordFile, clock: systemClock, timers, own: OWN, report });
  }

  /** Each entry as often as it is there. */
  async positions(): Promise<readonly string[]> {
    const rows = await this.admin.query<{ branch: number; position: string }>(
      "SELECT branch, position FROM flanco.entry ORDER BY branch, position",
    );
    return rows.map(({ branch, position }) => `${branch}/${position}`);
  }
}

function batchOf(chain: TestChain, after = 0): CentralBatch {
  const { ledger, entries } = chain.batch(after);
  return { ledger, entries, waiting: 0 };
}

async function failureOf(attempt: Promise<unknown>): Promise<string> {
  const { message, hint } = await rejection(attempt);
  return `${message} ${hint}`;
}

describe("the sink of the company's database", () => {
  const never = new AbortController().signal;

  describe("of a gateway that sells", () => {
    const company = new GatewayDatabase();
    let gateway: Program;
    let service: RunningService;
    let cookie = "";

    before(async () => {
      await company.start();
      gateway = await Program.make({
        FLANCO_CENTRAL_DATABASE: company.address,
        FLANCO_CENTRAL_PASSWORD_FILE: company.passwordFile,
      });
      service = await gateway.start();
      cookie = await service.makeFirstUser();
    });

    after(async () => {
      await gateway?.close();
      await company.stop();
    });

    async function sell(count: number): Promise<void> {
      for (let sold = 0; sold < count; sold += 1) {
        const body = aRecord({ createdTime: Date.now() });
        expect((await service.post("/api/data", body, cookie)).status).to.equal(201);
      }
    }

    async function sales(): Promise<number> {
      const answer = await service.get("/api/record/sum", cookie);
      const { data } = (await answer.json()) as { data: { sales: number } };
      return data.sales;
    }

    /** Asked over a connection of its own: the administrator's ends with the database. */
    async function arrived(): Promise<number> {
      const [row] = await company.query(
        "SELECT coalesce(sum(counts[31]), 0) AS count FROM flanco.sum WHERE unit = 'day' AND location = ''",
        "company",
      );
      return Number(row?.["count"]);
    }

    it("sends every sale once, whatever is killed when", async () => {
      await sell(10);
      await until("the first sales are there", async () => (await arrived()) === 10);
      for (let round = 0; round < 3; round += 1) {
        await sell(20);
        // The sink is at work: its last batch may be stored, and its cursor not.
        await service.end("SIGKILL");
        if (round === 1) await company.kill();
        service = await gateway.start();
        await sell(5);
        if (round === 1) await company.resume();
      }
      const sold = await sales();
      expect(sold).to.equal(85);
      await until("all sales are there", async () => (await arrived()) === sold, 120_000);
      const [chain] = await company.query(
        "SELECT count(*) AS entries, max(position) AS newest FROM flanco.entry",
        "company",
      );
      expect(chain?.["entries"]).to.equal(chain?.["newest"]);
    });
  });

  describe("of a gateway that is asked to call", () => {
    const company = new GatewayDatabase();
    before(() => company.start());
    after(() => company.stop());

    it("tells version, certificate, disk and faults as the gateway knows them", async () => {
      const gateway = await Program.make({
        FLANCO_CENTRAL_DATABASE: company.address,
        FLANCO_CENTRAL_PASSWORD_FILE: company.passwordFile,
      });
      try {
        await gateway.start();
        // By the first call it learns that the company counts by another zone.
        for (const _ of [1, 2]) {
          expect((await gateway.call(["forward", "test", "central"])).exitCode).to.equal(0);
        }
        const status = JSON.parse((await gateway.call(["status", "--json"])).stdout) as Status;
        const { report } = (await clinics(company.admin, await company.company())).clinics[0] ?? {};
        expect(report?.version).to.equal(status.version);
        expect(report?.certificateEndsMs).to.be.greaterThan(Date.now() + 100 * DAY_MS);
        expect(report?.disk?.totalBytes).to.equal(status.disk?.totalBytes);
        expect(report?.faults.map(({ code }) => code)).to.deep.equal(["company_differs"]);
      } finally {
        await gateway.close();
      }
    });
  });

  describe("with a database", () => {
    const company = new GatewayDatabase();
    before(() => company.start());
    after(() => company.stop());

    it("proves with a test that it takes entries, and says how far the clocks are apart", async () => {
      const sink = company.sink();
      expect(sink.clockOffMs).to.equal(null);
      expect(await sink.deliver(batchOf(new TestChain().sellMany(5)), never)).to.equal(null);
      expect(await sink.test(never)).to.match(
        /^The company's database takes this gateway's entries and has 5; this machine's clock is 0 s/,
      );
      expect(Math.abs(sink.clockOffMs ?? Number.NaN)).to.be.below(MINUTE_MS);
      expect(sink.differences).to.deep.equal([]);
      await sink.close();
    });

    it("calls now and then while nothing is sold, and gives the connection back meanwhile", async () => {
      const seen = () => company.admin.query("SELECT FROM flanco.gateway WHERE seen_ms IS NOT NULL");
      const held = () =>
        company.admin.query(
          "SELECT FROM pg_stat_activity WHERE usename = 'flanco_malaga' AND state = 'idle'",
        );
      await until("nothing else is connected", async () => (await held()).length === 0);
      await company.admin.query("UPDATE flanco.gateway SET seen_ms = NULL");
      const time = new VirtualTime();
      const sink = company.sink(company.address, time);
      sink.open();
      time.advance(5 * MINUTE_MS);
      await until("the gateway was seen", async () => (await seen()).length === 1);
      await until("the next call waits for its time", () => time.pendingTimers === 2);
      expect(await held()).to.have.length(1);
      time.advance(MINUTE_MS);
      await until("the connection is given back", async () => (await held()).length === 0);
      time.advance(4 * MINUTE_MS);
      await until("it has called again", () => time.pendingTimers === 2);
      await sink.close();
      expect(time.pendingTimers).to.equal(0);
    });

    it("tells with its calls what the gateway says of itself, and a database of the schema before without it", async () => {
      const known = async () => (await clinics(company.admin, await company.company())).clinics[0];
      await company.admin.query("UPDATE flanco.gateway SET report = NULL, version_ms = NULL, seen_ms = NULL");
      const sink = company.sink();
      await company.admin.query("CREATE SCHEMA newer; ALTER FUNCTION flanco.append SET SCHEMA newer");
      // As version 2 had it: without a report.
      await company.admin.query(`
        CREATE FUNCTION flanco.append(integer, text, bigint, text, bigint, bigint, text[], text[], text, text,
          OUT outcome text, OUT head bigint, OUT head_hash text, OUT clock_off_ms bigint, OUT zone text, OUT currency text)
        LANGUAGE sql SECURITY DEFINER AS 'SELECT a.* FROM newer.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) a WHERE $1 <= 2'`);
      await company.admin.query("GRANT EXECUTE ON FUNCTION flanco.append TO flanco_malaga");
      expect(await sink.test(never)).to.contain("takes this gateway's entries");
      expect(await known()).to.include({ report: null, ownZone: OWN.timeZone });
      await company.admin.query("DROP FUNCTION flanco.append");
      await company.admin.query("ALTER FUNCTION newer.append SET SCHEMA flanco; DROP SCHEMA newer");
      await sink.test(never);
      expect((await known())?.report).to.deep.equal(REPORT);
      const sinceMs = (await known())?.versionMs;
      await sink.test(never);
      expect((await known())?.versionMs, "of the first call")
        .to.equal(sinceMs)
        .and.to.be.a("number");
      const details = Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [index, "x".repeat(1_000)]),
      );
      const large = { ...REPORT, faults: REPORT.faults.map((fault) => ({ ...fault, details })) };
      const other = company.sink(company.address, NO_TIMERS, large);
      await other.test(never);
      await other.close();
      expect((await known())?.report, "larger than any").to.deep.equal(REPORT);
      await company.admin.query("UPDATE flanco.gateway SET report = '[]'");
      expect((await known())?.report, "what makes no sense").to.equal(null);
      await sink.close();
    });

    it("asks the database to look soon whether a silent connection is still there", async () => {
      const [row] = await company.admin.query<Record<string, string>>("SHOW tcp_keepalives_idle");
      expect(row).to.deep.equal({ tcp_keepalives_idle: "60" });
    });

    it("names the entry that a constraint refuses, takes those before it, and goes on once it is taken", async () => {
      const sink = company.sink();
      const chain = new TestChain().sellMany(20).sellMany(1, () => ({ deviceName: "Planta 2" }));
      chain.sellMany(20);
      await company.admin.query("DELETE FROM flanco.entry");
      await company.admin.query("UPDATE flanco.gateway SET position = 0, hash = repeat('0', 64)");
      await company.admin.query(
        "ALTER TABLE flanco.entry ADD CONSTRAINT ours CHECK (text NOT LIKE '%Planta 2%')",
      );
      let [after, limit] = [0, chain.position];
      // As the feed does, which halves what was not taken.
      const sendAll = async () => {
        while (after < chain.position) {
          const { entries, ...batch } = batchOf(chain, after);
          const part = entries.slice(0, limit);
          const failure = await sink
            .deliver({ ...batch, entries: part }, never)
            .catch((error: Error) => error);
          if (!(failure instanceof Error)) after += part.length;
          else if (limit === 1) throw failure;
          else limit = Math.ceil(limit / 2);
        }
      };
      const failure = await failureOf(sendAll());
      expect(failure).to.match(/refuses entry 21: .* violates check constraint "ours" \(23514\)/);
      expect(failure).not.to.contain("Planta 2");
      expect(await company.positions()).to.have.length(20);
      await company.admin.query("ALTER TABLE flanco.entry DROP CONSTRAINT ours");
      await sendAll();
      expect(await company.positions()).to.have.length(41);
      await sink.close();
    });

    it("says in one line what is wrong with the way to it, and names no password", async () => {
      const { port } = company;
      const failures = {
        [company.address.replace("malaga", "nobody")]: "The database refuses the password.",
        [company.address.replace("/company", "/other")]: "There is no database of this name.",
        [company.address.replace("/company", "/postgres")]: "The database has no schema of flanco.",
        [company.address.replace(String(port), "1")]: "The database has no service at that port.",
        [`postgresql://flanco_malaga@127.0.0.1:${port}/company`]: "The database gives no answer",
        [`postgresql://flanco_malaga@db.example.org/company?sslmode=disable`]: "sslmode=disable",
        "postgresql://flanco_malaga:secret@127.0.0.1/company": "The database's address is not",
      };
      for (const [url, text] of Object.entries(failures)) {
        const failure = await failureOf(
          company.sink(url).deliver(batchOf(new TestChain().sellMany(1)), never),
        );
        expect(failure, url).to.contain(text);
        expect(failure).not.to.contain("secret");
      }
      const password = readFileSync(company.passwordFile, "utf8").trim();
      const malaga = { role: "flanco_malaga", password };
      const held = await Promise.all([1, 2, 3, 4].map(() => company.connectAs(malaga)));
      expect(await failureOf(company.sink().test(never)))
        .to.contain("The database's role has as many connections as it may have.")
        .and.not.to.contain("max_connections");
      for (const connection of held) await connection.close();
      await company.admin.query("ALTER TABLE flanco.gateway RENAME seen_ms TO saw_ms");
      expect(await failureOf(company.sink().test(never))).to.contain(
        "The database reports an error (42703).",
      );
      await company.admin.query("ALTER TABLE flanco.gateway RENAME saw_ms TO seen_ms");
      await company.admin.query("UPDATE flanco.gateway SET role = 'other'");
      expect(await failureOf(company.sink().test(never))).to.contain("belongs to no gateway");
      await company.admin.query("ALTER FUNCTION flanco.append RENAME TO append_2");
      expect(await failureOf(company.sink().test(never))).to.contain("no append that fits");
    });
  });

  it("takes the next node where the one that it uses takes no writes any more, though it is no standby", async () => {
    const [one, other] = [new GatewayDatabase(), new GatewayDatabase()];
    try {
      await Promise.all([one.start(), other.start()]);
      await other.admin.query(
        `ALTER ROLE flanco_malaga PASSWORD '${readFileSync(one.passwordFile, "utf8").trim()}'`,
      );
      const both = one.address.replace(`:${one.port}/`, `:${one.port},127.0.0.1:${other.port}/`);
      const sink = one.sink(both);
      const chain = new TestChain().sellMany(2);
      await sink.deliver(batchOf(chain), never);
      await one.admin.query("ALTER SYSTEM SET default_transaction_read_only = on");
      await one.admin.query("SELECT pg_reload_conf()");
      const isReading = () =>
        sink.deliver(batchOf(chain), never).then(
          () => false,
          ({ message }: FlancoError) => message === "The database takes no writes.",
        );
      await until("the first node takes no writes", isReading);
      await sink.deliver(batchOf(chain), never);
      expect(await other.positions()).to.deep.equal(["1/1", "1/2"]);
      await sink.close();
    } finally {
      await Promise.all([one.stop(), other.stop()]);
    }
  });

  it("says that the schema is of another version", async () => {
    const company = await new GatewayDatabase().start();
    try {
      const [row] = await company.admin.query<{ text: string }>(
        "SELECT pg_get_functiondef('flanco.append'::regproc) AS text",
      );
      const known = `NOT BETWEEN 1 AND ${CENTRAL_SCHEMA} THEN`;
      expect(row?.text).to.contain(known);
      await company.admin.query((row?.text ?? "").replace(known, `<> ${CENTRAL_SCHEMA + 1} THEN`));
      expect(await failureOf(company.sink().test(never))).to.contain("another version of flanco");
    } finally {
      await company.stop();
    }
  });

  it("is refused by a full disk with one line, and goes on once there is room", async () => {
    const company = new GatewayDatabase();
    const disk = company.directory.file("small");
    try {
      await company.start();
      const { uid = 0, gid = 0 } = unprivileged();
      mkdirSync(disk);
      runCommand(["mount", "-t", "tmpfs", "-o", `size=9m,uid=${uid},gid=${gid}`, "tmpfs", disk]);
      await company.query(`CREATE TABLESPACE small LOCATION '${disk}'`);
      await company.admin.query("ALTER TABLE flanco.entry SET TABLESPACE small");
      const sink = company.sink();
      const chain = new TestChain();
      let refused = "";
      while (refused === "") {
        const after = chain.position;
        chain.sellMany(1_000, () => ({ room: "x".repeat(200) }));
        refused = await sink.deliver(batchOf(chain, after), never).then(
          () => "",
          ({ message, hint }: FlancoError) => `${message} ${hint}`,
        );
      }
      expect(refused).to.equal(
        "The database's disk is full. Make room there; nothing is lost, and sending goes on by itself.",
      );
      runCommand(["mount", "-o", "remount,size=60m", disk]);
      expect(await sink.deliver(batchOf(chain, chain.position - 1_000), never)).to.equal(null);
      expect(await company.positions()).to.have.length(chain.position);
      await sink.close();
    } finally {
      await company.kill();
      tryCommand(["umount", disk]);
      await company.stop();
    }
  });

  it("takes a server's certificate only if it is valid for the host, now, and by the named authority", async () => {
    const openssl = new OpenSsl();
    const authority = openssl.make({
      extensions: ["basicConstraints=critical,CA:TRUE"],
      subject: "/CN=a company",
    });
    const leaf = (name: string, signer?: KeyedCertificate) =>
      openssl.make({ extensions: [`subjectAltName=${name}`], ...(signer && { signer }) });
    openssl.write("authority.pem", authority.cert);
    openssl.write("other.pem", openssl.make({ extensions: ["basicConstraints=critical,CA:TRUE"] }).cert);
    const trusted = `${openssl.directory}/authority.pem`;
    const cases = [
      [leaf("IP:127.0.0.1", authority), trusted, null],
      [
        leaf("IP:127.0.0.1", authority),
        `${openssl.directory}/other.pem`,
        "has a certificate of an unknown authority",
      ],
      [openssl.ended(leaf("IP:127.0.0.1"), authority), trusted, "has a certificate that has expired"],
      [leaf("DNS:db.example.org", authority), trusted, "has a certificate for another name"],
    ] as const;
    try {
      for (const [certificate, file, failure] of cases) {
        const company = await new GatewayDatabase(certificate).start();
        const address = company.address.replace("sslmode=disable", `sslrootcert=${file}`);
        try {
          const sink = company.sink(address);
          if (failure === null) expect(await sink.test(never)).to.contain("takes this gateway's entries");
          else expect(await failureOf(sink.test(never))).to.contain(failure);
          await sink.close();
        } finally {
          await company.stop();
        }
      }
    } finally {
      openssl.close();
    }
  });
});
