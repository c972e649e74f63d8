import { expect } from "chai";
import { MINUTE_MS } from "../../src/domain/clock.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest } from "../rig/standing.ts";
import { anError } from "./bodies.ts";

const PASSWORD = "diez letras y más";
const EXPIRED = anError(
  "This link has been used or has expired. While there is no user, flanco prints a new one at each start and every 30 minutes.",
);

describe("The first user", () => {
  const appliance = forEachTest(() => Appliance.open());
  let token: string;

  beforeEach(async () => {
    token = appliance.firstRun.issue();
  });

  function make(otherwise: Readonly<Record<string, unknown>> = {}) {
    const body = { token, name: "Ana", email: "ana@example.org", password: PASSWORD, ...otherwise };
    return appliance.api.post("/api/first-run").send(body);
  }

  it("is made with the token and is signed in by the same answer", async () => {
    const response = await make().expect(200);
    const [user] = appliance.reader.members();
    expect(response.body).to.deep.equal({
      status: "success",
      userData: { _id: user?.id, name: "Ana", email: "ana@example.org" },
    });
    const [cookie] = response.headers["set-cookie"] ?? [];
    expect(cookie).to.match(
      /^auth_token=\S+; Max-Age=86400; Expires=[^;]+; Path=\/; HttpOnly; Secure; SameSite=None$/,
    );
    const verify = await appliance.api.get("/api/verify").set("Cookie", String(cookie)).expect(200);
    expect(verify.body).to.deep.equal(response.body);
  });

  it("uses the token up", async () => {
    await make().expect(200);
    const response = await make({ email: "eva@example.org" }).expect(401);
    expect(response.body).to.deep.equal(EXPIRED);
    expect(response.headers).not.to.have.property("set-cookie");
    expect(appliance.reader.accountCount()).to.equal(1);
  });

  it("is one, however many use the token at once", async () => {
    const emails = ["a@example.org", "b@example.org", "c@example.org"];
    const answers = await Promise.all(emails.map((email) => make({ email })));
    expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(1);
    for (const { status } of answers) expect(status).to.be.oneOf([200, 401, 409]);
    expect(appliance.reader.accountCount()).to.equal(1);
  });

  it("is not made when there is a user already: 409, and no session", async () => {
    await appliance.addUser();
    token = appliance.firstRun.issue();
    const response = await make().expect(409);
    expect(response.body).to.deep.equal(anError("The first user has already been made. Sign in instead."));
    expect(response.headers).not.to.have.property("set-cookie");
    expect(appliance.reader.accountCount()).to.equal(1);
  });

  it("cannot be made any more once another way has made a user", async () => {
    await appliance.addUser();
    expect((await make().expect(401)).body).to.deep.equal(EXPIRED);
  });

  it("has 30 minutes, by the monotonic clock, also when the network sets the wall clock by years", async () => {
    appliance.clock.setWall(NOON_MS + 10 * 365 * 24 * 60 * MINUTE_MS);
    appliance.clock.advanceMonotonic(30 * MINUTE_MS - 1);
    await make({ password: "short" }).expect(400);
    appliance.clock.advanceMonotonic(1);
    expect((await make().expect(401)).body).to.deep.equal(EXPIRED);
    expect(appliance.reader.accountCount()).to.equal(0);
  });

  it("is made with the newest token alone", async () => {
    const older = token;
    token = appliance.firstRun.issue();
    await make({ token: older }).expect(401);
    await make().expect(200);
  });

  it("is not made with a guess, which is told nothing about the password's rules either", async () => {
    for (const guess of ["x", "A".repeat(22), "undefined", "null"]) {
      for (const password of [PASSWORD, "short"]) {
        expect((await make({ token: guess, password }).expect(401)).body).to.deep.equal(EXPIRED);
      }
      // Five failures within a minute would delay the next guess.
      appliance.clock.pass(MINUTE_MS);
    }
    expect(appliance.reader.accountCount()).to.equal(0);
  });

  it("is not made with any token when none was issued", async () => {
    appliance.firstRun.revoke();
    for (const guess of [token, "undefined"]) await make({ token: guess }).expect(401);
  });

  it("may not have a password of fewer than 10 characters or more than 72 bytes, and the token stays good", async () => {
    for (const [password, message] of [
      ["nueve let", "must have at least 10 characters"],
      ["🏥".repeat(9), "must have at least 10 characters"],
      ["x".repeat(73), "must have at most 72 bytes of UTF-8; this one has 73"],
      ["ñ".repeat(37), "must have at most 72 bytes of UTF-8; this one has 74"],
      ["🏥".repeat(19), "must have at most 72 bytes of UTF-8; this one has 76"],
    ] as const) {
      const response = await make({ password }).expect(400);
      expect(response.body).to.deep.equal({
        status: "error",
        error: `password: ${message}`,
        errors: { password: { kind: "length", message } },
      });
      expect(appliance.reader.accountCount()).to.equal(0);
    }
    await make().expect(200);
  });

  for (const [what, password] of [
    ["10 characters", "diez letra"],
    ["72 bytes", "🏥".repeat(18)],
    ["spaces around it, which count", "  12345678  "],
  ] as const) {
    it(`may have a password of ${what}, and signs in with exactly that`, async () => {
      await make({ password }).expect(200);
      const login = (attempt: string) =>
        appliance.api.post("/api/login").send({ email: "ana@example.org", password: attempt });
      await login(password).expect(200);
      await login(`${password}x`).expect(401);
    });
  }

  it("is not made with a field that is missing or invalid, which the text names", async () => {
    for (const [field, value, message] of [
      ["email", "ana", "must be an e-mail address"],
      ["email", `ana@${"x".repeat(200)}.org`, ""],
      ["name", " ", "is required"],
      ["token", undefined, "is required"],
      ["password", undefined, "is required"],
      ["password", 1234567890, "must be a text"],
    ] as const) {
      appliance.clock.pass(60_000);
      const response = await make({ [field]: value }).expect(400);
      expect(Object.keys(response.body.errors)).to.deep.equal([field]);
      expect(response.body.error).to.contain(`${field}: ${message}`);
    }
  });
});
