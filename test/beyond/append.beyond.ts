import { expect } from "chai";
import {
  addGateway,
  clinics,
  companyOf,
  decideFork,
  type ForkDecision,
  initialise,
  pageAccess,
  type RoleAccess,
  renewPassword,
  setZone,
} from "../../src/company/company.ts";
import { HOUR_MS } from "../../src/domain/clock.ts";
import { parseDatabaseAddress } from "../../src/domain/database-address.ts";
import { append, type SentBatch } from "../../src/notify/central-sink.ts";
import { type Connection, connect } from "../../src/notify/database.ts";
import { rejection } from "../rig/rejection.ts";
import { TestChain } from "./chain.ts";
import { CompanyDatabase } from "./postgres.ts";

/** 23:30 in Madrid, and 22:30 in the Canaries. */
const LATE_MS = Date.UTC(2026, 10, 21, 22, 30);

describe("append in the company's database", () => {
  const database = new CompanyDatabase(["fsync=off"]);
  let made = 0;

  before(() => database.start());
  after(() => database.stop());

  async function gateway(zone?: string): Promise<Connection & RoleAccess & { readonly name: string }> {
    made += 1;
    const name = `clinic-${made}`;
    const access = await database.addGateway(name, zone);
    return { ...(await database.connectAs(access)), ...access, name };
  }

  async function send(connection: Connection, batch: SentBatch) {
    const { outcome, head } = await append(connection, batch, Date.now());
    return { outcome, at: head.position };
  }

  async function standing(name: string) {
    const found = await clinics(database.admin, await database.company());
    const clinic = found.clinics.find((one) => one.name === name);
    if (clinic === undefined) throw new Error(`no gateway ${name}`);
    return clinic;
  }

  const decide = async (name: string, decision: ForkDecision = "accept") =>
    decideFork(database.admin, await database.company(), name, decision);

  async function sums(name: string, unit: "day" | "month" = "day") {
    const rows = await database.admin.query(
      `SELECT period * 100 + part, location, device, count, total
         FROM flanco.sum JOIN flanco.gateway USING (company, gateway) CROSS JOIN generate_series(1, 31) part
        CROSS JOIN LATERAL (SELECT counts[part] - coalesce(counts[part - 1], 0) AS count,
                                   totals_micros[part] - coalesce(totals_micros[part - 1], 0) AS total) p
        WHERE name = @name AND unit = @unit AND count <> 0 AND location <> '' ORDER BY 1, 2, 3`,
      { name, unit },
    );
    return rows.map((row) => Object.values(row).map(String).join(" "));
  }

  async function positions(name: string): Promise<string> {
    const rows = await database.admin.query<{ branch: number; position: string }>(
      `SELECT e.branch, e.position FROM flanco.entry e JOIN flanco.gateway g USING (company, gateway)
        WHERE g.name = @name ORDER BY 1, e.position`,
      { name },
    );
    return rows.map(({ branch, position }) => `${branch}/${position}`).join(" ");
  }

  it("takes what continues the chain, and adds it up by the clinic's days, locations and devices", async () => {
    const one = await gateway();
    const chain = new TestChain();
    chain.sell({ createdTimeMs: LATE_MS, locationName: 'La "Salud"\n·漢', valorMicros: 4_500_000 });
    chain.sell({ createdTimeMs: LATE_MS + HOUR_MS, locationName: 'La "Salud"\n·漢', valorMicros: 1 });
    chain.sell({ createdTimeMs: LATE_MS, deviceId: "e", valorMicros: -500_000 });
    expect(await send(one, chain.batch())).to.deep.equal({ outcome: "taken", at: 3 });
    expect(await sums(one.name)).to.deep.equal([
      "20261121 Clínica e 1 -500000",
      '20261121 La "Salud"\n·漢 d 1 4500000',
      '20261122 La "Salud"\n·漢 d 1 1',
    ]);
    expect(await sums(one.name, "month")).to.deep.equal([
      "202611 Clínica e 1 -500000",
      '202611 La "Salud"\n·漢 d 2 4500001',
    ]);
    const canaries = await gateway("Atlantic/Canary");
    await send(canaries, chain.batch());
    expect(await sums(canaries.name)).to.include('20261121 La "Salud"\n·漢 d 2 4500001');
  });

  it("does nothing for what it has, in whole and in part", async () => {
    const one = await gateway();
    const chain = new TestChain().sellMany(5);
    for (const batch of [chain.batch(), chain.batch(), chain.batch(2), chain.batch(0, 3)]) {
      expect(await send(one, batch)).to.deep.equal({ outcome: "taken", at: 5 });
    }
    chain.sellMany(2);
    expect(await send(one, chain.batch(3))).to.deep.equal({ outcome: "taken", at: 7 });
    expect(await positions(one.name)).to.equal("1/1 1/2 1/3 1/4 1/5 1/6 1/7");
    expect(await sums(one.name)).to.deep.equal(["20261121 Clínica d 7 7000000"]);
  });

  it("follows corrections: a void sale counts in no sum, and a moved one counts on its day", async () => {
    const one = await gateway();
    const chain = new TestChain();
    const first = chain.sell({ createdTimeMs: LATE_MS });
    const second = chain.sell({ createdTimeMs: 0, valorMicros: 7 });
    await send(one, chain.batch());
    const third = chain.sell({ createdTimeMs: LATE_MS, valorMicros: 5 });
    chain.void(third);
    chain.void(first);
    chain.move(first, LATE_MS + 2 * HOUR_MS);
    chain.move(second, LATE_MS + HOUR_MS);
    await send(one, chain.batch(2));
    await send(one, chain.batch());
    expect(await sums(one.name)).to.deep.equal(["20261122 Clínica d 1 7"]);
    expect(await sums(one.name, "month")).to.deep.equal(["202611 Clínica d 1 7"]);
  });

  it("asks for what is missing, where the database went back to a backup of its own", async () => {
    const one = await gateway();
    const chain = new TestChain().sellMany(6);
    await send(one, chain.batch(0, 2));
    expect(await send(one, chain.batch(4))).to.deep.equal({ outcome: "behind", at: 2 });
    expect(await positions(one.name)).to.equal("1/1 1/2");
    expect(await send(one, chain.batch(2))).to.deep.equal({ outcome: "taken", at: 6 });
  });

  it("names a restored ledger that went on, at its first other entry, and takes nothing of it", async () => {
    const one = await gateway();
    const chain = new TestChain().sellMany(6);
    await send(one, chain.batch());
    const restored = chain.restoredAt(3);
    expect(await send(one, restored.batch(2))).to.deep.equal({ outcome: "fork", at: 4 });
    restored.sellMany(5, () => ({ room: "102" }));
    expect(await send(one, restored.batch(2))).to.deep.equal({ outcome: "fork", at: 4 });
    // By its own cursor it believes that 7 follows from 6.
    expect(await send(one, restored.batch(6))).to.deep.equal({ outcome: "back", at: 0 });
    expect(await send(one, restored.batch(4))).to.deep.equal({ outcome: "back", at: 0 });
    expect(await send(one, restored.batch(0, 3))).to.deep.equal({ outcome: "taken", at: 6 });
    expect(await send(one, restored.batch(3))).to.deep.equal({ outcome: "fork", at: 4 });
    expect(await positions(one.name)).to.equal("1/1 1/2 1/3 1/4 1/5 1/6");
    expect(await standing(one.name)).to.include({ forkedAt: 4, withheld: 5, position: 6, newest: 6 });
    // The ledger that was there before still fits.
    chain.sell();
    expect(await send(one, chain.batch(6))).to.deep.equal({ outcome: "taken", at: 7 });
    expect((await standing(one.name)).states, "ended by itself").to.deep.equal(["good"]);
    expect(await rejection(decide(one.name))).to.include({ code: "not_found" });
  });

  it("goes on with a restored ledger once it is accepted, beside what was sent before", async () => {
    const one = await gateway();
    const chain = new TestChain().sellMany(6);
    await send(one, chain.batch());
    const restored = chain.restoredAt(3).sellMany(2, () => ({ room: "102" }));
    await send(one, restored.batch(3));
    expect(await decide(one.name)).to.equal(4);
    expect(await send(one, restored.batch(3))).to.deep.equal({ outcome: "taken", at: 5 });
    // Of its own fourth sale, and of one from before the branch.
    restored.void(4);
    restored.void(2);
    expect(await send(one, restored.batch(0))).to.deep.equal({ outcome: "taken", at: 7 });
    expect(await positions(one.name)).to.equal("1/1 1/2 1/3 1/4 1/5 1/6 2/4 2/5 2/6 2/7");
    expect(await sums(one.name)).to.deep.equal(["20261121 Clínica d 6 6000000"]);
    expect(await standing(one.name)).to.deep.include({ states: ["good"], forkedAt: null, withheld: 0 });
  });

  it("counts no sale twice, and stops no ledger, after a backup was only tried and accepted", async () => {
    const one = await gateway();
    const chain = new TestChain().sellMany(6);
    await send(one, chain.batch());
    const tried = chain.restoredAt(3, "b".repeat(32)).sellMany(1, () => ({ room: "102" }));
    await send(one, tried.batch(3));
    await decide(one.name);
    // The real one sends again what it sent last, and goes on; whichever calls next.
    for (const after of [3, 0, 6]) {
      chain.sell();
      expect(await send(one, chain.batch(after))).to.deep.equal({ outcome: "taken", at: chain.position });
    }
    expect(await send(one, tried.batch(3))).to.deep.equal({ outcome: "taken", at: 4 });
    chain.void(8);
    tried.void(2);
    await send(one, tried.batch(4));
    expect(await send(one, chain.batch(0))).to.deep.equal({ outcome: "taken", at: 10 });
    const real = "1/1 1/2 1/3 1/4 1/5 1/6 1/7 1/8 1/9 1/10";
    expect(await positions(one.name)).to.equal(`${real} 2/4 2/5`);
    expect(await sums(one.name)).to.deep.equal(["20261121 Clínica d 8 8000000"]);
    // A third ledger is another one still.
    const third = chain.restoredAt(8).sellMany(2, () => ({ room: "103" }));
    expect(await send(one, third.batch(8))).to.deep.equal({ outcome: "fork", at: 9 });
    await decide(one.name);
    expect(await send(one, third.batch(8))).to.deep.equal({ outcome: "taken", at: 10 });
    third.void(4);
    expect(await send(one, third.batch(10))).to.deep.equal({ outcome: "taken", at: 11 });
    expect(await positions(one.name)).to.equal(`${real} 2/4 2/5 3/9 3/10 3/11`);
    expect(await sums(one.name)).to.deep.equal(["20261121 Clínica d 9 9000000"]);
  });

  it("takes an accepted ledger back out, with what it changed of earlier sales", async () => {
    const one = await gateway();
    const chain = new TestChain().sellMany(6);
    await send(one, chain.batch());
    const [before, place] = [await sums(one.name), await positions(one.name)];
    const tried = chain.restoredAt(3, "b".repeat(32)).sellMany(2, () => ({ room: "102" }));
    tried.void(1);
    tried.move(2, LATE_MS + 2 * HOUR_MS);
    await send(one, tried.batch(3));
    await decide(one.name);
    await send(one, tried.batch(3));
    expect(await sums(one.name)).not.to.deep.equal(before);
    expect(await decide(one.name, "undo")).to.equal(4);
    expect([await sums(one.name), await positions(one.name)]).to.deep.equal([before, place]);
    expect(await rejection(decide(one.name, "undo"))).to.include({ code: "not_found" });
    chain.sell();
    expect(await send(one, chain.batch(6))).to.deep.equal({ outcome: "taken", at: 7 });
    tried.sellMany(2);
    expect(await send(one, tried.batch(8))).to.deep.equal({ outcome: "behind", at: 7 });
    expect(await send(one, tried.batch(3))).to.deep.equal({ outcome: "fork", at: 4 });
  });

  it("forgets a ledger that was only tried, until it calls again", async () => {
    const one = await gateway();
    const chain = new TestChain().sellMany(3);
    await send(one, chain.batch());
    const tried = chain.restoredAt(2, "b".repeat(32)).sellMany(1, () => ({ room: "102" }));
    await send(one, tried.batch(2));
    expect((await standing(one.name)).states).to.deep.equal(["forked"]);
    expect(await decide(one.name, "dismiss")).to.equal(3);
    expect((await standing(one.name)).states).to.deep.equal(["good"]);
    expect(await rejection(decide(one.name, "dismiss"))).to.include({ code: "not_found" });
    await send(one, tried.batch(2));
    expect((await standing(one.name)).states).to.deep.equal(["forked"]);
  });

  it("names another ledger of the same gateway from its first entry on", async () => {
    const one = await gateway();
    await send(one, new TestChain().sellMany(2).batch());
    const other = new TestChain("b".repeat(32)).sellMany(3, () => ({ room: "7" }));
    expect(await send(one, other.batch(2))).to.deep.equal({ outcome: "back", at: 0 });
    expect(await send(one, other.batch(0))).to.deep.equal({ outcome: "fork", at: 1 });
    await decide(one.name);
    expect(await send(one, other.batch(0))).to.deep.equal({ outcome: "taken", at: 3 });
    expect(await positions(one.name)).to.equal("1/1 1/2 2/1 2/2 2/3");
  });

  it("takes a ledger that was moved to another machine, under its new name", async () => {
    const one = await gateway();
    const chain = new TestChain().sellMany(3);
    await send(one, chain.batch());
    const moved = chain.restoredAt(3, "c".repeat(32));
    moved.sell();
    expect(await send(one, moved.batch(0))).to.deep.equal({ outcome: "taken", at: 4 });
  });

  it("refuses an entry that does not follow, and takes what comes before it", async () => {
    const one = await gateway();
    const chain = new TestChain().sellMany(5);
    const altered = chain.batch();
    const entries = altered.entries.map((entry) =>
      entry.position === 4 ? { ...entry, text: entry.text.replace("1000000", "9000000") } : entry,
    );
    expect(await send(one, { ...altered, entries })).to.deep.equal({ outcome: "broken", at: 4 });
    expect(await positions(one.name)).to.equal("1/1 1/2 1/3");
    expect(await send(one, chain.batch(3))).to.deep.equal({ outcome: "taken", at: 5 });
  });

  it("names entries that were lost before they came, until the ledger tells of them", async () => {
    const one = await gateway();
    const chain = new TestChain().sellMany(8);
    await send(one, chain.batch(0, 2));
    chain.lose(3, 5);
    expect(await send(one, chain.batch(2))).to.deep.equal({ outcome: "taken", at: 8 });
    expect(await standing(one.name)).to.deep.include({ states: ["lacking"], untold: 3 });
    chain.tellOfLoss(3, 5);
    await send(one, chain.batch(8));
    expect(await standing(one.name)).to.deep.include({ states: ["good"], untold: 0 });
  });

  it("says where zone or currency differ, and counts by another zone once it is set", async () => {
    const one = await gateway("Atlantic/Canary");
    const chain = new TestChain().sellMany(2, () => ({ createdTimeMs: LATE_MS + HOUR_MS }));
    chain.void(1);
    const own = { timeZone: "Europe/Madrid", currency: "GBP" };
    const { counted } = await append(one, chain.batch(), Date.now(), own);
    expect(counted).to.deep.equal({ timeZone: "Atlantic/Canary", currency: "EUR" });
    expect((await standing(one.name)).states).to.deep.equal(["zone_off", "currency_off"]);
    expect(await sums(one.name)).to.deep.equal(["20261121 Clínica d 1 1000000"]);
    await setZone(database.admin, await database.company(), one.name, "Europe/Madrid");
    expect(await sums(one.name)).to.deep.equal(["20261122 Clínica d 1 1000000"]);
    expect((await standing(one.name)).states).to.deep.equal(["currency_off"]);
  });

  it("lets a gateway read, alter and remove nothing, and append to no chain but its own", async () => {
    const [one, other] = [await gateway(), await gateway()];
    await send(one, new TestChain().sellMany(2).batch());
    const statements = [
      "SELECT * FROM flanco.entry",
      "SELECT * FROM flanco.gateway",
      "UPDATE flanco.entry SET valor_micros = 0",
      "DELETE FROM flanco.entry",
      "TRUNCATE flanco.sum",
      "INSERT INTO flanco.version VALUES (9)",
      "DROP SCHEMA flanco CASCADE",
      "CREATE TABLE flanco.other (a int)",
      "CREATE TABLE public.other (a int)",
      "SELECT flanco.accept_fork(1, 1)",
      "SELECT flanco.add_gateway(1, 'x', 'UTC', 'x')",
      "SELECT flanco.set_password('admin', 'x')",
      "CREATE ROLE other",
      "SET ROLE admin",
      "SET SESSION AUTHORIZATION admin",
      "COPY flanco.entry TO STDOUT",
    ];
    for (const statement of statements) {
      const refused = await one.query(statement).then(
        () => false,
        () => true,
      );
      expect(refused, statement).to.equal(true);
    }
    // Functions and types of its own, which a search path would find, change nothing.
    await one.query("CREATE TEMPORARY TABLE gateway AS SELECT 1 AS company");
    await one.query("SET search_path = pg_temp, flanco");
    await send(other, new TestChain().sellMany(1).batch());
    expect(await positions(other.name)).to.equal("1/1");
    expect(await positions(one.name)).to.equal("1/1 1/2");
  });

  it("ends the connections of an earlier password, and makes a missing role anew, by an administrator who is no superuser", async () => {
    await database.admin.query("CREATE ROLE manager LOGIN CREATEROLE PASSWORD 'm'");
    await database.admin.query("CREATE DATABASE managed OWNER manager");
    const manager = await connect(parseDatabaseAddress(database.url("manager", "managed")), () => "m");
    await initialise(manager, "Otra", "Europe/Madrid");
    const company = await companyOf(manager, undefined);
    const first = await addGateway(manager, company, "soria");
    const page = await pageAccess(manager, company, "page_of_other");
    const signIn = ({ role, password }: RoleAccess) =>
      connect(parseDatabaseAddress(database.url(role, "managed")), () => password);
    const old = await signIn(first);
    const renewed = await renewPassword(manager, company, "soria");
    await rejection(append(old, null, Date.now()));
    await rejection(signIn(first));
    await (await signIn(renewed)).close();
    // Another server has none of them.
    for (const { role } of [first, page]) {
      await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`, "managed");
    }
    expect((await rejection(addGateway(manager, company, "soria"))).hint).to.contain("gateway password");
    const anew = await signIn(await renewPassword(manager, company, "soria"));
    expect(await append(anew, null, Date.now())).to.include({ outcome: "taken" });
    const reader = await signIn(await pageAccess(manager, company, "page_of_other"));
    expect(await reader.query("SELECT FROM flanco.member")).to.deep.equal([]);
    for (const connection of [anew, reader, manager]) await connection.close();
  });

  it("lets a role for reports read what was sold, and no hash of a password", async () => {
    const one = await gateway();
    await send(
      one,
      new TestChain().sellMany(2, () => ({ createdTimeMs: Date.UTC(2026, 10, 1, 12) })).batch(),
    );
    await database.admin.query("CREATE ROLE reports LOGIN PASSWORD 'r'");
    await database.admin.query("GRANT USAGE ON SCHEMA flanco TO reports");
    await database.admin.query("GRANT SELECT ON flanco.sum, flanco.gateway, flanco.device TO reports");
    const reports = await database.connectAs({ role: "reports", password: "r" });
    const rows = await reports.query(
      `SELECT counts[1] - coalesce(counts[0], 0) AS sales FROM flanco.sum JOIN flanco.gateway USING (company, gateway)
        WHERE name = @name AND unit = 'day' AND period = 202611 AND location = ''`,
      { name: one.name },
    );
    expect(rows).to.deep.equal([{ sales: "2" }]);
    for (const table of ["member", "session", "entry"]) {
      await rejection(reports.query(`SELECT FROM flanco.${table}`));
    }
  });

  it("takes a call without entries as a sign of life, with the gateway's clock", async () => {
    const one = await gateway();
    expect(await standing(one.name)).to.deep.include({ states: ["silent"], seenMs: null });
    const { clockOffMs } = await append(one, null, Date.now() + 2 * HOUR_MS);
    expect(clockOffMs).to.be.within(1.9 * HOUR_MS, 2.1 * HOUR_MS);
    expect(await standing(one.name)).to.deep.include({ states: ["clock_off"] });
    await append(one, null, Date.now());
    expect(await standing(one.name)).to.deep.include({ states: ["good"] });
  });

  it("shows the others whatever one of them claims", async () => {
    const one = await gateway();
    const forked = { ...new TestChain().sellMany(1).batch(), newest: 0 };
    const entries = forked.entries.map((entry) => ({ ...entry, previousHash: "f".repeat(64) }));
    const claim = (number: string) =>
      one.query(
        `SELECT flanco.append(2, 'x', 0, @hash, ${number}, ${number}, @hashes, @texts, repeat('Z', 1000000), E'\\x1b[2J')`,
        {
          hash: "f".repeat(64),
          hashes: entries.map(({ hash }) => hash),
          texts: entries.map(({ text }) => text),
        },
      );
    for (const number of ["-9223372036854775808", "9223372036854775807"]) {
      await claim(number);
      const { states, clockOffMs, withheld, ownZone, ownCurrency } = await standing(one.name);
      expect(states).to.include.members(["forked", "clock_off"]);
      expect([clockOffMs, withheld].every(Number.isSafeInteger), number).to.equal(true);
      expect(ownZone).to.have.length.below(100);
      expect(ownCurrency).to.equal("[2J");
    }
  });
});
