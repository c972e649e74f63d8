import { expect } from "chai";
import jwt from "jsonwebtoken";
import { Appliance, NOON_MS, PASSWORD, type SignedInUser } from "./appliance.ts";

const ATTRIBUTES = attributesOf("/");

function attributesOf(path: string): string {
  return `Path=${path}; HttpOnly; Secure; SameSite=None`;
}

describe("Signing in and out", () => {
  let appliance: Appliance;
  let user: SignedInUser;

  before(async () => {
    appliance = await Appliance.open();
  });
  beforeEach(async () => {
    appliance.clock.setWall(NOON_MS);
    user = await appliance.addUser();
  });
  after(() => appliance.close());

  /** Signs in as a client does and gives the cookie back. */
  async function signIn(email: string): Promise<string> {
    const response = await appliance.api.post("/api/login").send({ email, password: PASSWORD }).expect(200);
    return String(response.headers["set-cookie"]).split(";")[0] ?? "";
  }

  function verify(cookie: string) {
    return appliance.api.get("/api/verify").set("Cookie", cookie);
  }

  describe("POST /login", () => {
    it("answers who signed in, and nothing else", async () => {
      const response = await appliance.api
        .post("/api/login")
        .send({ email: user.email, password: PASSWORD })
        .expect(200)
        .expect("Content-Type", /^application\/json/);
      expect(response.body).to.deep.equal({
        status: "success",
        userData: { _id: user.id, name: user.name, email: user.email },
      });
    });

    it("sets the contract's cookie for 24 hours, over plain HTTP too", async () => {
      const response = await appliance.api
        .post("/api/login")
        .send({ email: user.email, password: PASSWORD })
        .expect(200);
      const cookies: unknown = response.headers["set-cookie"];
      expect(cookies).to.be.an("array").with.lengthOf(1);
      expect(String(cookies)).to.match(/^auth_token=[\w-]+\.[\w-]+\.[\w-]+; /);
      expect(String(cookies).split("; ").slice(1).join("; ")).to.equal(`Max-Age=86400; ${ATTRIBUTES}`);
    });

    it("puts a token of HS256 with sub, sid, iat and exp into the cookie", async () => {
      const token = (await signIn(user.email)).replace("auth_token=", "");
      const { header, payload } = jwt.verify(token, appliance.secret, {
        complete: true,
        clockTimestamp: NOON_MS / 1000,
      });
      expect(header).to.deep.equal({ alg: "HS256", typ: "JWT" });
      expect(payload).to.have.all.keys("sub", "sid", "iat", "exp");
      expect(payload).to.include({ sub: user.id, iat: NOON_MS / 1000, exp: NOON_MS / 1000 + 86_400 });
    });

    it("takes the e-mail without regard to case or spaces around it", async () => {
      const email = `  ${user.email.toUpperCase()} `;
      await appliance.api.post("/api/login").send({ email, password: PASSWORD }).expect(200);
    });

    for (const [what, email, password] of [
      ["a wrong password", undefined, "otra clave larga"],
      ["an unknown e-mail", "nadie@example.org", PASSWORD],
      ["the right password with something after its 72nd byte", undefined, PASSWORD.padEnd(80, "x")],
      ["the right password in other case", undefined, PASSWORD.toUpperCase()],
    ] as const) {
      it(`answers ${what} with Invalid Credentials and no cookie`, async () => {
        const response = await appliance.api
          .post("/api/login")
          .send({ email: email ?? user.email, password })
          .expect(401);
        expect(response.body).to.deep.equal({ status: "error", error: "Invalid Credentials" });
        expect(response.headers).not.to.have.property("set-cookie");
      });
    }

    it("removes what another page set for a longer path, after the contract's cookie", async () => {
      const response = await appliance.api
        .post("/api/login")
        .set("Cookie", "auth_token=tossed; auth_token=ended")
        .send({ email: user.email, password: PASSWORD })
        .expect(200);
      const [first, ...others] = response.headers["set-cookie"] as unknown as string[];
      expect(first).to.match(/^auth_token=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=86400; Path=\/; /);
      expect(others).to.deep.equal(
        ["/api", "/api/", "/api/login"].map((path) => `auth_token=; Max-Age=0; ${attributesOf(path)}`),
      );
    });

    it("names the fields of a body that lacks them", async () => {
      const response = await appliance.api.post("/api/login").send({}).expect(400);
      expect(response.body).to.deep.equal({
        status: "error",
        error: "email: is required; password: is required.",
        errors: {
          email: { kind: "required", message: "is required" },
          password: { kind: "required", message: "is required" },
        },
      });
    });

    it("does not take a number for a password", async () => {
      const response = await appliance.api
        .post("/api/login")
        .send({ email: user.email, password: 1 })
        .expect(400);
      expect(response.body.errors).to.deep.equal({ password: { kind: "type", message: "must be a text" } });
    });
  });

  describe("GET /verify", () => {
    it("answers who is signed in, and nothing else", async () => {
      const response = await verify(user.cookie).expect(200);
      expect(response.body).to.deep.equal({
        status: "success",
        userData: { _id: user.id, name: user.name, email: user.email },
      });
    });

    it("finds the session's cookie among others", async () => {
      await verify(`theme=dark; ${user.cookie}; lang=es`).expect(200);
    });

    it("answers Unauthorized without a cookie", async () => {
      const response = await appliance.api.get("/api/verify").expect(401);
      expect(response.body).to.deep.equal({ status: "error", error: "Unauthorized" });
    });
  });

  describe("POST /logout", () => {
    it("removes the cookie with the attributes that set it", async () => {
      const response = await appliance.api.post("/api/logout").set("Cookie", user.cookie).expect(200);
      expect(response.body).to.deep.equal({ status: "success" });
      expect(response.headers["set-cookie"]).to.deep.equal([`auth_token=; Max-Age=0; ${ATTRIBUTES}`]);
    });

    it("makes a copied cookie worthless at once", async () => {
      await appliance.api.post("/api/logout").set("Cookie", user.cookie).expect(200);
      await verify(user.cookie).expect(401);
      await appliance.api.get("/api/device").set("Cookie", user.cookie).expect(401);
    });

    it("ends the session of every cookie of the name: none is the next request's", async () => {
      const other = await appliance.addUser();
      const cookie = `${other.cookie}; ${user.cookie}`;
      await appliance.api.post("/api/logout").set("Cookie", cookie).expect(200);
      await verify(cookie).expect(401);
      await verify(other.cookie).expect(401);
    });

    it("ends its own session alone", async () => {
      const other = await signIn(user.email);
      await appliance.api.post("/api/logout").set("Cookie", user.cookie).expect(200);
      await verify(other).expect(200);
    });

    for (const [what, cookie] of [
      ["no cookie", ""],
      ["a cookie of garbage", "auth_token=%%%.{}"],
      ["an empty cookie", "auth_token="],
    ] as const) {
      it(`answers 200 and removes the cookie with ${what}`, async () => {
        const response = await appliance.api.post("/api/logout").set("Cookie", cookie).expect(200);
        expect(response.body).to.deep.equal({ status: "success" });
        expect(response.headers["set-cookie"]).to.deep.equal([`auth_token=; Max-Age=0; ${ATTRIBUTES}`]);
      });
    }

    it("answers 200 a second time, and with an expired token", async () => {
      await appliance.api.post("/api/logout").set("Cookie", user.cookie).expect(200);
      await appliance.api.post("/api/logout").set("Cookie", user.cookie).expect(200);
      const later = await appliance.signIn(user.id);
      appliance.clock.pass(86_400_001);
      await appliance.api.post("/api/logout").set("Cookie", later).expect(200);
    });

    it("does not mind what a client sends with it", async () => {
      await appliance.api.post("/api/logout").type("text/plain").send("adiós").expect(200);
      await appliance.api.post("/api/logout").type("application/json").send("{").expect(200);
    });
  });

  describe("a session ends", () => {
    it("24 hours after it began, to the second", async () => {
      appliance.clock.pass(86_400_000 - 1);
      await verify(user.cookie).expect(200);
      appliance.clock.pass(1);
      await verify(user.cookie).expect(401);
    });

    it("with every other one of that user when the password is changed", async () => {
      const other = await appliance.addUser();
      const second = await appliance.signIn(user.id);
      await appliance.writer.setPassword(user.id, "$2b$10$another");
      await verify(user.cookie).expect(401);
      await verify(second).expect(401);
      await verify(other.cookie).expect(200);
    });

    it("when the user is removed", async () => {
      await appliance.writer.removeUser(user.id, false);
      await verify(user.cookie).expect(401);
    });

    it("as the one of a hundred that was not used for longest when one more begins", async () => {
      const idle: string[] = [];
      for (let count = 0; count < 99; count += 1) idle.push(await appliance.signIn(user.id));
      appliance.clock.pass(1_000);
      // The oldest of all, which somebody works with.
      await verify(user.cookie).expect(200);
      await appliance.signIn(user.id);
      await verify(user.cookie).expect(200);
      await verify(idle[0] ?? "").expect(401);
      await verify(idle[1] ?? "").expect(200);
    });
  });
});
