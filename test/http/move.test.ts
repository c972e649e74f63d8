import { expect } from "chai";
import { HOUR_MS, MINUTE_MS } from "../../src/domain/clock.ts";
import { beginOf, parseCode } from "../../src/domain/move.ts";
import { Appliance, FINGERPRINT } from "../rig/appliance.ts";
import type { SignedInUser } from "../rig/signed-in-user.ts";
import { forEachTest } from "../rig/standing.ts";

const JOB_MS = 60_000;

describe("A move to another gateway", function () {
  this.timeout(JOB_MS);
  const old = forEachTest(() => Appliance.open());

  async function makeCode(owner?: SignedInUser): Promise<{ secret: string; fingerprint: string }> {
    owner ??= await old.addUser();
    const { body } = await owner.post("/api/move/code", {}).expect(200);
    const code = parseCode(body.data.code);
    if (code === undefined) throw new Error("That is no code.");
    return code;
  }

  async function begin(owner?: SignedInUser): Promise<string> {
    const { secret } = await makeCode(owner);
    const { body } = await old.api.post("/api/move").send({ secret }).expect(200);
    return body.data.ticket;
  }

  const ask = (path: string, body: object) => old.api.post(`/api/move${path}`).send(body);

  async function ready(ticket: string): Promise<{ proof: string; gateway: string }> {
    for (;;) {
      const { body } = await ask("/clinic", { ticket }).expect(200);
      if (body.data !== null) return body.data;
    }
  }

  it("gives an owner a code that tells of the served certificate", async () => {
    expect((await makeCode()).fingerprint).to.equal(beginOf(FINGERPRINT));
  });

  it("takes a code once, and not after fifteen minutes", async () => {
    const owner = await old.addUser();
    const { secret } = await makeCode(owner);
    await ask("", { secret }).expect(200);
    const { body } = await ask("", { secret }).expect(401);
    expect(body.error).to.include("This code has been used or has expired");
    const late = await makeCode(owner);
    old.clock.pass(15 * MINUTE_MS);
    await ask("", { secret: late.secret }).expect(401);
  });

  it("delays an address that guesses", async () => {
    await makeCode();
    for (let guess = 0; guess < 5; guess += 1) await ask("", { secret: "0".repeat(15) }).expect(401);
    await ask("", { secret: "0".repeat(15) }).expect(429);
  });

  it("is begun by none where several accounts share the gateway", async () => {
    const owner = await old.addUser();
    await old.addUser();
    await owner.post("/api/move/code", {}).expect(409);
  });

  it("gives the backup from any byte on, its proof and the gateway's keys, to the holder of the ticket alone", async () => {
    const ticket = await begin();
    await ask("/clinic", { ticket: "x".repeat(22) }).expect(401);
    const { proof, gateway } = await ready(ticket);
    expect(JSON.parse(gateway)).to.include({ hostName: "clinica" });
    const { bytes, records } = JSON.parse(proof) as { bytes: number; records: number };
    expect(records).to.equal(0);
    await ask("/ledger", { ticket: "x".repeat(22), from: 0 }).expect(401);
    const whole = await ask("/ledger", { ticket, from: 0 }).buffer(true).expect(200);
    expect(Number(whole.body.length)).to.equal(bytes);
    const rest = await ask("/ledger", { ticket, from: bytes - 10 })
      .buffer(true)
      .expect(200);
    expect(Buffer.compare(rest.body, whole.body.subarray(bytes - 10))).to.equal(0);
  });

  it("is on record when it ends, shows for a week that the clinic has another gateway, and keeps no backup", async () => {
    const ticket = await begin();
    await ready(ticket);
    await ask("/end", { ticket }).expect(200);
    expect(old.reader.lastAudit("ledger_moved")?.from).to.equal("127.0.0.1");
    expect(old.moving.faults().map(({ code }) => code)).to.deep.equal(["clinic_moved"]);
    expect(old.leftOfMove()).to.deep.equal([]);
    await ask("/clinic", { ticket }).expect(401);
    old.clock.pass(7 * 24 * HOUR_MS);
    expect(old.moving.faults()).to.deep.equal([]);
  });

  it("is given up once the other gateway has not asked for ten minutes", async () => {
    const ticket = await begin();
    await ready(ticket);
    old.clock.pass(9 * MINUTE_MS);
    await old.moving.look();
    await ask("/clinic", { ticket }).expect(200);
    old.clock.pass(10 * MINUTE_MS);
    await old.moving.look();
    await ask("/clinic", { ticket }).expect(401);
    expect(old.leftOfMove()).to.deep.equal([]);
  });

  it("ends an earlier one that is under way", async () => {
    const owner = await old.addUser();
    const first = await begin(owner);
    const second = await begin(owner);
    await ask("/clinic", { ticket: first }).expect(401);
    await ready(second);
    expect(old.leftOfMove()).to.have.length(1);
  });
});
