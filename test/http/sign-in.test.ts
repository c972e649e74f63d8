import { expect } from "chai";
import type { PasswordHasher } from "../../src/domain/account.ts";
import { Appliance } from "../rig/appliance.ts";
import { PASSWORD, sharedHasher } from "../rig/shared-hasher.ts";
import { forEachTest } from "../rig/standing.ts";

const WRONG = "otra clave larga";
const UNKNOWN = "nadie@example.org";

/** The real hasher. Notes each comparison, and lets a test change the account between it and its result. */
class WatchedHasher implements PasswordHasher {
  readonly compared: (string | null)[] = [];
  meanwhile: () => Promise<void> = () => Promise.resolve();

  hash(password: string): Promise<string> {
    return sharedHasher().hasher.hash(password);
  }

  async matches(password: string, hash: string | null): Promise<boolean> {
    this.compared.push(hash);
    const right = await sharedHasher().hasher.matches(password, hash);
    await this.meanwhile();
    return right;
  }
}

describe("Attempts to sign in", () => {
  const passwords = forEachTest(() => new WatchedHasher());
  const appliance = forEachTest(() => Appliance.open({ passwords }));
  const user = forEachTest(() => appliance.addUser());

  function login(email: string, password: string) {
    return appliance.api.post("/api/login").send({ email, password });
  }

  it("are refused after five failures, by 429 and Retry-After; sessions and other requests are not", async () => {
    for (let count = 0; count < 5; count += 1) await login(user.email, WRONG).expect(401);
    for (const password of [WRONG, PASSWORD]) {
      const { headers, body } = await login(user.email, password).expect(429);
      expect(headers["retry-after"]).to.equal("1");
      expect(headers).not.to.have.property("set-cookie");
      expect(body).to.deep.equal({ status: "error", error: "Too many attempts. Try again in 1 second." });
    }
    await user.get("/api/verify").expect(200);
    await user.post("/api/logout").expect(200);
  });

  it("get the same answers and cost the same comparisons with an unknown e-mail", async () => {
    const answers = [];
    for (const email of [user.email, UNKNOWN]) {
      for (let count = 0; count < 6; count += 1) {
        const { status, headers, text } = await login(email, WRONG);
        const { date: _date, ...rest } = headers;
        answers.push({ status, rest, text });
      }
      appliance.clock.pass(600_000);
    }
    expect(answers.slice(6)).to.deep.equal(answers.slice(0, 6));
    const hash = await sharedHasher().passwordHash;
    expect(passwords.compared).to.deep.equal([...Array(5).fill(hash), ...Array(5).fill(null)]);
  });

  for (const [what, status, send] of [
    ["that names no e-mail", 400, () => appliance.api.post("/api/login").send({})],
    ["that is not JSON", 415, () => appliance.api.post("/api/login").type("text").send("ana")],
    [
      "larger than 4 KiB",
      413,
      () => appliance.api.post("/api/login").send({ email: "ana@example.org", password: "x".repeat(4_096) }),
    ],
    [
      "of more than 64 values",
      413,
      () => appliance.api.post("/api/login").send(Array.from({ length: 64 }, () => ({}))),
    ],
  ] as const) {
    it(`count as failures with a body ${what}, and the next one is refused before its body is read`, async () => {
      for (let count = 0; count < 5; count += 1) await send().expect(status);
      await send().expect(429);
      await login(user.email, PASSWORD).expect(429);
    });
  }

  it("take a body of 64 values and 4 KiB", async () => {
    const values = { email: user.email, password: PASSWORD, more: Array(60).fill(0) };
    await appliance.api.post("/api/login").send(values).expect(200);
    const empty = JSON.stringify({ email: user.email, password: PASSWORD, more: "" });
    const more = "x".repeat(4_096 - Buffer.byteLength(empty));
    await appliance.api.post("/api/login").send({ email: user.email, password: PASSWORD, more }).expect(200);
  });

  it("with first-run links count together with those with passwords", async () => {
    const account = { name: "Eva", email: "eva@example.org", password: PASSWORD };
    const link = (token: string) => appliance.api.post("/api/first-run").send({ token, ...account });
    for (let count = 0; count < 5; count += 1) await link("x").expect(401);
    const response = await link(appliance.firstRun.issue()).expect(429);
    expect(response.headers["retry-after"]).to.equal("1");
    await login(user.email, PASSWORD).expect(429);
  });

  it("are also a member's link and the change of a password with the current one", async () => {
    const change = () => user.put("/api/me/password", { current: WRONG, password: PASSWORD });
    for (let count = 0; count < 5; count += 1) await change().expect(400);
    await change().expect(429);
    await appliance.api.post("/api/link").send({ token: "x", password: PASSWORD }).expect(429);
  });

  for (const [what, change, status] of [
    ["succeed while nothing changes (control)", async () => {}, 200],
    [
      "fail when the password is changed after it was compared",
      () => appliance.writer.setPassword(user.id, "$2b$10$another"),
      401,
    ],
    [
      "fail when the user is removed after the password was compared",
      () => appliance.writer.removeUser(user.id, true),
      401,
    ],
  ] as const) {
    it(what, async () => {
      passwords.meanwhile = change;
      const { body, headers } = await login(user.email, PASSWORD).expect(status);
      expect(appliance.reader.sessions()).to.have.lengthOf(status === 200 ? 2 : 0);
      if (status === 200) return;
      expect(body).to.deep.equal({ status: "error", error: "Invalid Credentials" });
      expect(headers).not.to.have.property("set-cookie");
    });
  }
});
