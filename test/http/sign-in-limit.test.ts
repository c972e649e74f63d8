import { expect } from "chai";
import type { PasswordHasher } from "../../src/domain/password.ts";
import { Appliance, PASSWORD, type SignedInUser, sharedHasher } from "./appliance.ts";

const WRONG = "otra clave larga";

describe("Signing in again and again", () => {
  let appliance: Appliance;
  let user: SignedInUser;

  beforeEach(async () => {
    appliance = await Appliance.open();
    user = await appliance.addUser();
  });
  afterEach(() => appliance.close());

  function login(email: string, password: string) {
    return appliance.api.post("/api/login").send({ email, password });
  }

  async function failFiveTimes(email: string): Promise<void> {
    for (let count = 0; count < 5; count += 1) await login(email, WRONG).expect(401);
  }

  it("is answered five times, then with 429, when to come again, and no look at the password", async () => {
    await failFiveTimes(user.email);
    for (const password of [WRONG, PASSWORD]) {
      const response = await login(user.email, password).expect(429);
      expect(response.headers["retry-after"]).to.equal("1");
      expect(response.headers).not.to.have.property("set-cookie");
      expect(response.body).to.deep.equal({
        status: "error",
        error: "Too many attempts. Try again in 1 second.",
      });
    }
  });

  it("is answered again after the delay, and the next failure costs twice as much", async () => {
    await failFiveTimes(user.email);
    clock(1_000);
    await login(user.email, WRONG).expect(401);
    const response = await login(user.email, PASSWORD).expect(429);
    expect(response.headers["retry-after"]).to.equal("2");
    clock(2_000);
    await login(user.email, PASSWORD).expect(200);
  });

  it("is refused alike for an e-mail that nobody has: the delay tells nothing either", async () => {
    const other = await Appliance.open();
    try {
      const heads = [];
      for (const [where, email] of [
        [appliance, user.email],
        [other, "nadie@example.org"],
      ] as const) {
        for (let count = 0; count < 6; count += 1) {
          const { status, headers, text } = await where.api
            .post("/api/login")
            .send({ email, password: WRONG });
          const { date: _date, ...rest } = headers;
          heads.push({ status, rest, text });
        }
      }
      expect(heads.slice(6)).to.deep.equal(heads.slice(0, 6));
    } finally {
      await other.close();
    }
  });

  it("costs one comparison each, whether there is such an e-mail or not", async () => {
    const compared: (string | null)[] = [];
    const { hasher } = sharedHasher();
    const passwords: PasswordHasher = {
      hash: (password) => hasher.hash(password),
      matches: (password, hash) => {
        compared.push(hash);
        return hasher.matches(password, hash);
      },
    };
    const other = await Appliance.open({ passwords });
    try {
      const { email } = await other.addUser();
      for (const tried of [email, "nadie@example.org"]) {
        await other.api.post("/api/login").send({ email: tried, password: WRONG }).expect(401);
      }
      expect(compared).to.deep.equal([await sharedHasher().passwordHash, null]);
    } finally {
      await other.close();
    }
  });

  it("delays no session that stands, and no other request", async () => {
    await failFiveTimes(user.email);
    await login(user.email, PASSWORD).expect(429);
    await appliance.api.get("/api/verify").set("Cookie", user.cookie).expect(200);
    await appliance.api.post("/api/logout").set("Cookie", user.cookie).expect(200);
  });

  it("believes no header that names another address", async () => {
    for (let count = 0; count < 5; count += 1) {
      await login(user.email, WRONG).set("X-Forwarded-For", `10.0.0.${count}`).set("X-Real-IP", "10.0.0.9");
    }
    await login(user.email, PASSWORD).set("X-Forwarded-For", "10.0.0.77").expect(429);
  });

  it("counts no mistake in the body: nothing was tried", async () => {
    for (let count = 0; count < 10; count += 1) await appliance.api.post("/api/login").send({}).expect(400);
    await login(user.email, PASSWORD).expect(200);
  });

  it("with first-run links is slowed down too, and together with passwords", async () => {
    const account = { name: "Eva", email: "eva@example.org", password: PASSWORD };
    const link = (token: string) => appliance.api.post("/api/first-run").send({ token, ...account });
    for (let count = 0; count < 5; count += 1) await link("x").expect(401);
    const response = await link(appliance.firstRun.issue()).expect(429);
    expect(response.headers["retry-after"]).to.equal("1");
    await login(user.email, PASSWORD).expect(429);
  });

  function clock(ms: number): void {
    appliance.clock.pass(ms);
  }
});
