import { expect } from "chai";
import { DAY_MS, HOUR_MS } from "../../src/domain/clock.ts";
import { Appliance } from "../rig/appliance.ts";
import { rejection } from "../rig/rejection.ts";
import { cookieOf, SignedInUser } from "../rig/signed-in-user.ts";
import { forEachTest } from "../rig/standing.ts";
import { aDevice, aLocation, anError, aRecord } from "./bodies.ts";

const RELAY = { name: "Relé 1", email: "rele-1@programa.invalid" };

describe("A program", () => {
  const appliance = forEachTest(() => Appliance.open());
  const owner = forEachTest(() => appliance.addUser());

  async function add(): Promise<string> {
    const { body } = await owner.post("/api/member", { member: { ...RELAY, role: "program" } }).expect(200);
    expect(body.data.token).to.equal(null);
    return body.data.key;
  }

  const signIn = (key: string) =>
    appliance.api.post("/api/login").send({ email: RELAY.email, password: key });

  async function program(key: string): Promise<SignedInUser> {
    return new SignedInUser(appliance, relay(), cookieOf(await signIn(key).expect(200)));
  }

  function relay() {
    const member = appliance.reader.credentials(RELAY.email)?.member;
    if (member === undefined) throw new Error("There is no program.");
    return member;
  }

  const listed = async () =>
    (await owner.data("/api/member")).find(({ email }: { email: string }) => email === RELAY.email);

  it("signs in by the contract's login with its key, posts, reads its devices, and stays for a year", async () => {
    await owner.post("/api/location", aLocation()).expect(200);
    await owner.post("/api/device", aDevice()).expect(200);
    const key = await add();
    expect(Buffer.from(key, "base64url").length).to.be.at.least(16);
    const by = await program(key);
    expect((await by.get("/api/verify").expect(200)).body.userData).to.include(RELAY);
    await by.post("/api/data", aRecord()).expect(201);
    expect(appliance.recordsOf(owner.id)).to.have.length(1);
    const devices = await by.get("/api/device").expect(200);
    expect(devices.body.data).to.have.length(1);
    expect(await by.data("/api/location")).to.have.length(1);
    expect(devices.headers, "no position, which comes with sales").not.to.have.property("x-flanco-at");
    appliance.clock.pass(365 * DAY_MS - HOUR_MS);
    await by.post("/api/data", aRecord()).expect(201);
    appliance.clock.pass(HOUR_MS);
    await by.post("/api/data", aRecord()).expect(401);
  });

  it("loses its session and its key at once when it gets another key, or none", async () => {
    const first = await add();
    const by = await program(first);
    const { body } = await owner.post("/api/member/link", { memberId: relay().id }).expect(200);
    await by.post("/api/data", aRecord()).expect(401);
    expect((await signIn(first).expect(401)).body).to.deep.equal(anError("Invalid Credentials"));
    const again = await program(body.data.key);
    await again.post("/api/data", aRecord()).expect(201);
    await owner.post("/api/member/sign-out", { memberId: relay().id }).expect(200);
    await again.post("/api/data", aRecord()).expect(401);
    await signIn(body.data.key).expect(401);
    expect(await listed()).to.include({ hasPassword: false, sessions: 0 });
    // Nothing more is written for a key that has ended.
    await owner.post("/api/member/sign-out", { memberId: relay().id }).expect(200);
    const kinds = (await owner.data("/api/audit")).map(({ kind }: { kind: string }) => kind);
    expect(kinds.filter((kind: string) => kind.startsWith("key_"))).to.deep.equal([
      "key_revoked",
      "key_made",
      "key_made",
    ]);
  });

  it("has its key nowhere in the ledger or the audit log", async () => {
    const key = await add();
    const told = JSON.stringify(appliance.reader.audit({ before: null, sinceMs: null, limit: 100 }));
    expect(told).to.include("key_made").and.not.include(key);
    expect(appliance.reader.credentials(RELAY.email)?.passwordHash).to.match(/^\$2/);
  });

  it("tells when it was last active, with one write a day however often it posts", async () => {
    const key = await add();
    expect((await listed()).usedTime).to.equal(null);
    const by = await program(key);
    const begun = appliance.clock.nowMs();
    expect((await listed()).usedTime).to.equal(begun);
    const noted = new Set<number | undefined>();
    for (let hour = 1; hour <= 50; hour += 1) {
      appliance.clock.pass(HOUR_MS);
      await by.get("/api/verify").expect(200);
      noted.add(appliance.reader.credentials(RELAY.email)?.usedMs);
    }
    expect([...noted]).to.deep.equal([begun, begun + 24 * HOUR_MS, begun + 48 * HOUR_MS]);
    const another = await appliance.signedIn(owner);
    const [, { usedTime }] = await another.data("/api/member");
    expect(usedTime).to.equal(begun + 48 * HOUR_MS);
  });

  it("has no password, is given none, and neither becomes nor was a person", async () => {
    await add();
    const memberId = relay().id;
    const wayIn = async (id: string) =>
      (await owner.post("/api/member/link", { memberId: id }).expect(200)).body.data;
    expect(await wayIn(memberId)).to.include({ token: null });
    const refusal = await rejection(appliance.writer.addLink(owner.id, memberId, "hash"));
    expect(refusal.message).to.match(/^A program signs in with a key: it has no password/);
    const change = (id: string, role: string) =>
      owner.patch("/api/member", { member: { role } }).query({ memberId: id });
    expect((await change(memberId, "staff")).status).to.equal(409);
    expect((await change((await appliance.addMember(owner.id, "staff")).id, "program")).status).to.equal(409);
    await owner
      .patch("/api/member", { member: { name: "Relé 2" } })
      .query({ memberId })
      .expect(200);
    const staff = await appliance.addMember(owner.id, "staff");
    expect(await wayIn(staff.id)).to.include({ key: null });
    expect((await rejection(appliance.writer.setKey(owner.id, staff.id, "hash"))).code).to.equal("not_found");
  });

  it("of another account gets no key from here", async () => {
    await add();
    const stranger = await appliance.addUser();
    await stranger.post("/api/member/link", { memberId: relay().id }).expect(404);
    await stranger.post("/api/member/sign-out", { memberId: relay().id }).expect(404);
  });
});
