import { expect } from "chai";
import { DAY_MS, HOUR_MS } from "../../src/domain/clock.ts";
import type { Role } from "../../src/domain/member.ts";
import { Appliance, BOOT_ID } from "../rig/appliance.ts";
import { EventStream } from "../rig/event-stream.ts";
import { PASSWORD } from "../rig/shared-hasher.ts";
import { cookieOf, SignedInUser } from "../rig/signed-in-user.ts";
import { forEachTest } from "../rig/standing.ts";
import { anError } from "./bodies.ts";

const CHOSEN = "la clave que elige ella";
const EVA = { name: "Eva", email: "eva@example.org" };

describe("The members of an account", () => {
  const appliance = forEachTest(() => Appliance.open());
  const owner = forEachTest(() => appliance.addUser());

  async function invite(role: Role): Promise<string> {
    const { body } = await owner.post("/api/member", { member: { ...EVA, role } }).expect(200);
    return body.data.token;
  }

  function open(token: string, password: string = CHOSEN) {
    return appliance.api.post("/api/link").send({ token, password });
  }

  /** The member that was invited, with a session of its own. */
  async function eva(role: Role): Promise<SignedInUser> {
    const answer = await open(await invite(role)).expect(200);
    const member = appliance.reader.credentials(EVA.email)?.member;
    if (member === undefined) throw new Error("Eva was not invited.");
    return new SignedInUser(appliance, member, cookieOf(answer));
  }

  function signIn(password: string) {
    return appliance.api.post("/api/login").send({ email: EVA.email, password });
  }

  it("are invited with a link, by which they choose a password and are signed in, to the same account", async () => {
    const token = await invite("staff");
    await signIn(CHOSEN).expect(401);
    const { body, headers } = await open(token).expect(200);
    const id = appliance.reader.credentials(EVA.email)?.member.id;
    expect(body).to.deep.equal({ status: "success", userData: { _id: id, ...EVA } });
    expect(String(headers["set-cookie"])).to.match(/^auth_token=\S+; Max-Age=86400;/);
    expect((await signIn(CHOSEN).expect(200)).body).to.deep.equal(body);
    const members = await owner.data("/api/member");
    expect(members).to.deep.equal([
      {
        _id: owner.id,
        name: owner.name,
        email: owner.email,
        role: "owner",
        hasPassword: true,
        sessions: 1,
        usedTime: null,
        locationIds: null,
      },
      {
        ...{ _id: id, ...EVA, role: "staff", locationIds: null },
        ...{ hasPassword: true, sessions: 2, usedTime: null },
      },
    ]);
  });

  describe("'s link", () => {
    const dead = anError(
      "This link has been used or has expired. Ask an owner of the account for a new one.",
    );

    it("works once", async () => {
      const token = await invite("staff");
      await open(token).expect(200);
      const { body, headers } = await open(token, "otra clave más larga").expect(401);
      expect(body).to.deep.equal(dead);
      expect(headers).not.to.have.property("set-cookie");
      await signIn(CHOSEN).expect(200);
    });

    it("that was used is told before what is wrong with the password", async () => {
      const token = await invite("staff");
      await open(token, "?").expect(400);
      await open(token).expect(200);
      await open(token, "?").expect(401);
    });

    it("works for a day, by monotonic time", async () => {
      const token = await invite("staff");
      appliance.clock.setWall(appliance.clock.nowMs() + 10 * DAY_MS);
      appliance.clock.advanceMonotonic(DAY_MS - HOUR_MS);
      await open(token, "corta").expect(400);
      await open(token).expect(200);
      const late = await newLink();
      appliance.clock.advanceMonotonic(DAY_MS);
      await open(late).expect(401);
    });

    it("that has expired is told before what is wrong with the password", async () => {
      const token = await invite("staff");
      appliance.clock.advanceMonotonic(DAY_MS);
      // As the service does each hour.
      await appliance.writer.noteBoot(BOOT_ID, null);
      await open(token, "?").expect(401);
    });

    it("ends with another one, with a changed password, and with the member", async () => {
      const invited = await invite("staff");
      const another = await newLink();
      await open(invited).expect(401);
      await open(another).expect(200);
      const unused = await newLink();
      await appliance.writer.setPassword(evasId(), "$2b$10$another");
      await open(unused).expect(401);
      const last = await newLink();
      await owner.delete("/api/member", { memberId: evasId() }).expect(200);
      await open(last).expect(401);
    });

    it("is not in the ledger", async () => {
      const token = await invite("staff");
      const told = JSON.stringify(appliance.reader.audit({ before: null, sinceMs: null, limit: 100 }));
      expect(told).to.include("link_made").and.not.include(token);
    });

    it("gives who has lost the password another, and ends the sessions that were", async () => {
      const member = await eva("staff");
      const token = await newLink();
      await member.get("/api/me").expect(200);
      await open(token, "una tercera clave").expect(200);
      await member.get("/api/me").expect(401);
      await signIn(CHOSEN).expect(401);
    });
  });

  function evasId(): string {
    return appliance.reader.credentials(EVA.email)?.member.id ?? "";
  }

  async function newLink(): Promise<string> {
    const { body } = await owner.post("/api/member/link", { memberId: evasId() }).expect(200);
    return body.data.token;
  }

  for (const [what, end] of [
    ["is removed", () => owner.delete("/api/member", { memberId: evasId() })],
    [
      "gets another role",
      () => owner.patch("/api/member", { member: { role: "display" } }).query({ memberId: evasId() }),
    ],
    ["is signed out by an owner", () => owner.post("/api/member/sign-out", { memberId: evasId() })],
  ] as const) {
    it(`lose their sessions and live streams at once when one ${what}; others keep theirs`, async () => {
      const member = await eva("staff");
      const stream = await EventStream.open(member);
      await stream.next();
      await end().expect(200);
      expect(await stream.next()).to.equal(undefined);
      await member.get("/api/me").expect(401);
      await owner.get("/api/me").expect(200);
    });
  }

  it("keep an owner who can sign in: the last one is neither removed nor lowered", async () => {
    await invite("owner");
    const refusal = anError(
      "This is the account's last owner. Make another member an owner first, who has signed in already.",
    );
    const query = { memberId: owner.id };
    const lowered = await owner.patch("/api/member", { member: { role: "staff" } }).query(query);
    expect([lowered.status, lowered.body]).to.deep.equal([409, refusal]);
    expect((await owner.delete("/api/member", query).expect(409)).body).to.deep.equal(refusal);
    await open(await newLink()).expect(200);
    await owner
      .patch("/api/member", { member: { role: "staff" } })
      .query(query)
      .expect(200);
    await owner.get("/api/me").expect(401);
  });

  it("keep the account when the first of them is removed", async () => {
    const other = await eva("owner");
    await other.delete("/api/member", { memberId: owner.id }).expect(200);
    await other.post("/api/location", { location: { name: "Norte", description: "" } }).expect(200);
    expect(appliance.reader.locations(owner.id)).to.have.length(1);
  });

  it("change their own name and password, with the current one; their other sessions end", async () => {
    const member = await eva("display");
    await member.patch("/api/me", { me: { name: "Enfermería" } }).expect(200);
    const elsewhere = await appliance.sessions.begin({
      member,
      passwordHash: appliance.reader.credentials(EVA.email)?.passwordHash ?? null,
    });
    const wrong = await member.put("/api/me/password", { current: PASSWORD, password: PASSWORD }).expect(400);
    expect(wrong.body.errors).to.deep.equal({
      current: { kind: "type", message: "is not the password of this member" },
    });
    const { headers } = await member
      .put("/api/me/password", { current: CHOSEN, password: PASSWORD })
      .expect(200);
    expect(appliance.sessions.check(elsewhere)).to.equal(undefined);
    const { body } = await appliance.api.get("/api/me").set("Cookie", cookieOf({ headers })).expect(200);
    expect(body.data).to.deep.equal({
      _id: member.id,
      name: "Enfermería",
      email: EVA.email,
      role: "display",
      locationIds: null,
      serves: "gateway",
    });
    await signIn(PASSWORD).expect(200);
  });

  it("that are screens stay signed in for a year, and others for a day", async () => {
    const { headers } = await open(await invite("display")).expect(200);
    expect(String(headers["set-cookie"])).to.include("; Max-Age=31536000;");
    const screen = () => appliance.api.get("/api/room").set("Cookie", cookieOf({ headers }));
    appliance.clock.pass(365 * DAY_MS - HOUR_MS);
    await screen().expect(200);
    await owner.get("/api/me").expect(401);
    await appliance.writer.purge();
    await screen().expect(200);
    appliance.clock.pass(HOUR_MS);
    await screen().expect(401);
  });

  it("are at most a hundred", async () => {
    const member = (index: number) => ({ name: "x", email: `x${index}@example.org`, role: "staff" as const });
    const adding = Array.from({ length: 99 }, (_, index) =>
      appliance.writer.addMember(owner.id, { ...member(index), passwordHash: null }),
    );
    await Promise.all(adding);
    const { body } = await owner.post("/api/member", { member: member(100) }).expect(409);
    expect(body.error).to.match(/^The account has 100 members, the most it may have\./);
  });
});
