import { expect } from "chai";
import { addGateway, type Company, initialise, pageAccess } from "../../src/company/company.ts";
import { ConnectionPool } from "../../src/company/connection-pool.ts";
import { accountOf, CompanyMembers } from "../../src/company/members.ts";
import { commandActor } from "../../src/domain/audit.ts";
import { parseDatabaseAddress } from "../../src/domain/database-address.ts";
import type { Member } from "../../src/domain/member.ts";
import { type Connection, connect } from "../../src/notify/database.ts";
import { systemTimers } from "../../src/platform/machine.ts";
import { rejection } from "../rig/rejection.ts";
import { CompanyDatabase } from "./postgres.ts";

const BY = commandActor("root");
const PEOPLE = { userId: accountOf(1), passwordHash: null } as const;

describe("the members of a company", () => {
  const database = new CompanyDatabase(["fsync=off"]);
  const pools: ConnectionPool[] = [];
  let admin: Connection;
  /** As two processes of one company's page, and one of another company's. */
  let one: CompanyMembers;
  let two: CompanyMembers;
  let other: CompanyMembers;
  let page: Connection;
  let owner: Member;
  let told: string[] = [];

  async function open(role: string, password: string, company: Company): Promise<CompanyMembers> {
    const address = parseDatabaseAddress(database.url(role));
    const pool = new ConnectionPool(() => connect(address, () => password), systemTimers);
    pools.push(pool);
    return new CompanyMembers(
      pool,
      company,
      () => Date.now(),
      ({ kind }) => told.push(kind),
    );
  }

  before(async () => {
    await database.start();
    admin = database.admin;
    await initialise(admin, "Otra", "Europe/Madrid");
    const company = await database.company();
    const stranger = await database.company("Otra");
    const access = await pageAccess(admin, company, "flanco_page");
    const elsewhere = await pageAccess(admin, stranger, "flanco_page_b");
    one = await open(access.role, access.password, company);
    two = await open(access.role, access.password, company);
    other = await open(elsewhere.role, elsewhere.password, stranger);
    page = await database.connectAs(access);
    const gateway = await database.connectAs(await database.addGateway("malaga"));
    // Whatever it can hold, a member is changed all the same.
    await gateway.query(
      "SELECT pg_advisory_lock(hashtext('flanco.member'), company) FROM generate_series(1, 2) company",
    );
    await addGateway(admin, stranger, "lugo");
  });

  beforeEach(async () => {
    await admin.query("DELETE FROM flanco.member");
    owner = await one.addMember("", { ...PEOPLE, role: "owner", name: "Ana", email: "Ana@example.org" }, BY);
    await one.setPassword(owner.id, "hash", BY);
    told = [];
  });

  after(async () => {
    for (const pool of pools) pool.close();
    await database.stop();
  });

  it("are found by e-mail without regard to case, in their own company alone", async () => {
    expect(await two.credentials("ANA@example.org")).to.deep.equal({ member: owner, passwordHash: "hash" });
    expect(await two.member(owner.id)).to.deep.equal(owner);
    expect(await other.credentials("ana@example.org")).to.equal(undefined);
    expect(await other.accountCredentials()).to.deep.equal([]);
    const again = await rejection(one.addMember("", { ...PEOPLE, ...owner, email: "ANA@EXAMPLE.ORG" }, BY));
    expect(again).to.include({ code: "conflict" });
    await other.addMember("", { ...PEOPLE, ...owner }, BY);
  });

  it("have a session at every process, which ends at all of them", async () => {
    const token = await one.begin({ member: owner, passwordHash: "hash" }, BY);
    expect(await two.check(token)).to.include({ memberId: owner.id, role: "owner", userId: accountOf(1) });
    expect(await other.check(token)).to.equal(undefined);
    expect(await two.sessions()).to.deep.equal([{ memberId: owner.id }]);
    await two.end(token, BY);
    expect(await one.check(token)).to.equal(undefined);
    expect(told).to.deep.equal(["sign_in", "sign_out"]);
  });

  it("lose their sessions with another password, and get none for the one before", async () => {
    const token = await one.begin({ member: owner, passwordHash: "hash" }, BY);
    await two.setPassword(owner.id, "another", BY);
    expect(await one.check(token)).to.equal(undefined);
    const stale = await rejection(one.begin({ member: owner, passwordHash: "hash" }, BY));
    expect(stale).to.include({ code: "unauthorized" });
  });

  it("have a hundred sessions at most, of which the oldest ends first, and none after its time", async () => {
    const credentials = { member: owner, passwordHash: "hash" };
    const first = await one.begin(credentials, BY);
    await admin.query("UPDATE flanco.session SET begun_ms = begun_ms - 1000");
    for (let count = 0; count < 99; count += 1) await one.begin(credentials, BY);
    expect(await one.check(first)).not.to.equal(undefined);
    const last = await two.begin(credentials, BY);
    expect(await one.check(first)).to.equal(undefined);
    expect(await one.sessions()).to.have.length(100);
    await admin.query("UPDATE flanco.session SET ends_ms = flanco.now_ms()");
    expect(await one.check(last)).to.equal(undefined);
  });

  it("choose a password by a link, once and within a day", async () => {
    const eva = { ...PEOPLE, role: "staff", name: "Eva", email: "eva@example.org" } as const;
    const { id } = await one.addMember("", eva, BY);
    await one.addLink("", id, "token", BY);
    const used = await Promise.allSettled([one.useLink("token", "a", BY), two.useLink("token", "b", BY)]);
    expect(used.map(({ status }) => status).sort()).to.deep.equal(["fulfilled", "rejected"]);
    await one.addLink("", id, "late", BY);
    await admin.query("UPDATE flanco.member SET link_ends_ms = flanco.now_ms() WHERE link_hash IS NOT NULL");
    expect(await rejection(two.useLink("late", "c", BY))).to.include({ code: "unauthorized" });
  });

  it("keep an owner with a password, whatever two owners do at once", async () => {
    const ben = { ...PEOPLE, role: "owner", name: "Ben", email: "ben@example.org" } as const;
    const { id } = await one.addMember("", ben, BY);
    expect(await rejection(one.removeMember("", owner.id, BY))).to.include({ code: "conflict" });
    await one.setPassword(id, "hash", BY);
    const both = await Promise.allSettled([
      one.removeMember("", owner.id, BY),
      two.changeMember("", id, { role: "staff" }, BY),
    ]);
    expect(both.filter(({ status }) => status === "fulfilled")).to.have.length(1);
    expect(await rejection(one.changeMember("", id, { role: "technician" }, BY))).to.include({
      code: "invalid",
    });
  });

  it("are all that the page's role may change, and it sees its own company alone", async () => {
    const rows = await page.query<{ name: string }>("SELECT name FROM flanco.gateway");
    expect(rows.map(({ name }) => name)).to.deep.equal(["malaga"]);
    expect(await page.query("SELECT FROM flanco.company")).to.have.length(1);
    for (const sql of [
      "DELETE FROM flanco.entry",
      "UPDATE flanco.sum SET period = 0",
      "INSERT INTO flanco.fork VALUES (1, 1, 1, '', 1, 1, 1, NULL)",
      "SELECT flanco.accept_fork(1, 1)",
      "SELECT flanco.set_page_role(1, 'flanco_page', 'x')",
    ]) {
      expect(await rejection(page.query(sql)), sql).to.include({
        message: "The database's role lacks a right.",
      });
    }
    expect(await rejection(page.query("INSERT INTO flanco.session VALUES (2, 'x', 'y', 1, 1)"))).to.include({
      code: "unavailable",
    });
    // The owner of the tables still sees all of them (control).
    expect(await admin.query("SELECT FROM flanco.gateway")).to.have.length(2);
  });

  it("are served by a role that gets another password where it is made already", async () => {
    const company = await database.company();
    const access = await pageAccess(admin, company, "other_name");
    expect(access.role).to.equal("flanco_page");
    await database.connectAs(access);
    const taken = await rejection(pageAccess(admin, { ...company, company: 3 }, "flanco_page"));
    expect(taken).to.include({ code: "conflict" });
  });
});
