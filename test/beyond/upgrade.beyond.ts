import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { runCommand } from "../../scripts/command.ts";
import { clinics, companyOf, decideFork, upgrade } from "../../src/company/company.ts";
import { parseDatabaseAddress } from "../../src/domain/database-address.ts";
import { append, type SentBatch } from "../../src/notify/central-sink.ts";
import { connect } from "../../src/notify/database.ts";
import { rejection } from "../rig/rejection.ts";
import { TestChain } from "./chain.ts";
import { CompanyDatabase, databasePrograms, Postgres } from "./postgres.ts";

const OLD_SCHEMA = readFileSync(join(import.meta.dirname, "schema-1.sql"), "utf8");
/** As a gateway of the version before calls. */
const OLD_APPEND =
  "SELECT outcome, head FROM flanco.append(1, @ledger, @after, @before, @newest, @nowMs, @hashes, @texts)";

describe("flanco central upgrade", () => {
  const old = new Postgres(["fsync=off"]);
  const fresh = new CompanyDatabase(["fsync=off"]);
  before(() => Promise.all([old.start(), fresh.start()]));
  after(() => Promise.all([old.stop(), fresh.stop()]));

  /** The schema as SQL, with the columns of each table in their order. */
  const dumped = ({ port }: Postgres) =>
    runCommand(
      [
        join(databasePrograms(), "pg_dump"),
        ...[
          "--schema-only",
          "--no-owner",
          "--no-privileges",
          "--host=127.0.0.1",
          `--port=${port}`,
          "--username=admin",
          "company",
        ],
      ],
      { environment: { PGPASSWORD: "admin" } },
    ).replaceAll(/^\\(?:un)?restrict .*\n/gm, "");

  it("makes of the schema before what a new database has, and gateways of both versions go on", async () => {
    const admin = await old.connect();
    await admin.query(OLD_SCHEMA);
    await admin.query("INSERT INTO flanco.company VALUES (1, 'Televida', 'Europe/Madrid')");
    await admin.query("SELECT flanco.add_gateway(1, 'malaga', 'Europe/Madrid', 'x')");
    await admin.query("ALTER ROLE flanco_malaga PASSWORD 'x'");
    const address = parseDatabaseAddress(old.url("flanco_malaga"));
    const gateway = await connect(address, () => "x");
    const sendOld = async ({ ledger, after, entries, newest }: SentBatch, by = gateway) => {
      const [row] = await by.query<{ outcome: string; head: string }>(OLD_APPEND, {
        ...{ ledger, after, newest, nowMs: Date.now(), before: entries[0]?.previousHash ?? null },
        hashes: entries.map(({ hash }) => hash),
        texts: entries.map(({ text }) => text),
      });
      return `${row?.outcome} ${row?.head}`;
    };
    const chain = new TestChain().sellMany(4);
    const restored = chain.restoredAt(2).sellMany(1, () => ({ room: "102" }));
    expect(await sendOld(chain.batch())).to.equal("taken 4");
    expect(await sendOld(restored.batch(2))).to.equal("fork 3");

    // A gateway that is newer than the schema: what it has given back counts as a sale until the upgrade.
    await admin.query("SELECT flanco.add_gateway(1, 'lugo', 'Europe/Madrid', 'x')");
    await admin.query("ALTER ROLE flanco_lugo PASSWORD 'x'");
    const newer = await connect(parseDatabaseAddress(old.url("flanco_lugo")), () => "x");
    const theirs = new TestChain().sellMany(2, () => ({ createdTimeMs: 5, valorMicros: 9 }));
    theirs.refund(1, 4, { createdTimeMs: 6 });
    theirs.close("1970-01", [0, 9], 3);
    expect(await sendOld(theirs.batch(), newer)).to.equal("taken 4");

    await admin.query("SELECT flanco.set_page_role(1, 'flanco_page', 'x')");
    expect((await rejection(companyOf(admin, undefined))).hint).to.contain("flanco central upgrade");
    expect(await upgrade(admin)).to.equal(1);
    expect(await upgrade(admin), "nothing is left to do").to.equal(4);
    expect(dumped(old)).to.equal(dumped(fresh));

    const read = (sql: string) => admin.query<Record<string, unknown>>(sql);
    expect(
      await read(
        "SELECT counts[1], totals_micros[1] FROM flanco.sum WHERE gateway = 2 AND unit = 'day' AND location = ''",
      ),
    ).to.deep.equal([{ counts: "2", totals_micros: "14" }]);
    expect(
      await read("SELECT position, month, here_sales, here_micros FROM flanco.settlement"),
    ).to.deep.equal([{ position: "4", month: "1970-01", here_sales: "2", here_micros: "14" }]);

    const [may] = await admin.query<{ tell: boolean }>(
      "SELECT has_table_privilege('flanco_page', 'flanco.told', 'INSERT') AS tell",
    );
    expect(may).to.deep.equal({ tell: true });

    chain.sell();
    expect(await sendOld(chain.batch(4))).to.equal("taken 5");
    expect(await sendOld(restored.batch(2))).to.equal("fork 3");
    const company = await companyOf(admin, undefined);
    await decideFork(admin, company, "malaga", "accept");
    const own = { timeZone: "Europe/Madrid", currency: "EUR" };
    expect(await append(gateway, restored.batch(2), Date.now(), own)).to.include({ outcome: "taken" });
    chain.sell();
    expect(await append(gateway, chain.batch(5), Date.now(), own)).to.include({ outcome: "taken" });
    const found = await clinics(admin, company);
    expect(found.clinics[1]).to.include({ position: 6, ownZone: "Europe/Madrid", forkedAt: null });
    await newer.close();
    await gateway.close();
    await admin.close();
  });
});
