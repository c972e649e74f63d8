import { expect } from "chai";
import jwt from "jsonwebtoken";
import { DAY_MS } from "../../src/domain/clock.ts";
import { Appliance, NOON_MS, PASSWORD } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";

const ATTRIBUTES = attributesOf("/");

function attributesOf(path: string): string {
  return `Path=${path}; HttpOnly; Secure; SameSite=None`;
}

describe("Signing in and out", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => {
    appliance.clock.setWall(NOON_MS);
    return appliance.addUser();
  });

  function login(email: string, password: string = PASSWORD) {
    return appliance.api.post("/api/login").send({ email, password });
  }

  /** The answer that names the user. */
  const userData = () => ({
    status: "success",
    userData: { _id: user.id, name: user.name, email: user.email },
  });

  function verify(cookie: string) {
    return appliance.api.get("/api/verify").set("Cookie", cookie);
  }

  describe("POST /login", () => {
    it("answers the signed-in user alone, and sets the contract's cookie for 24 hours, over plain HTTP too", async () => {
      const { body, headers } = await login(user.email)
        .expect(200)
        .expect("Content-Type", /^application\/json/);
      expect(body).to.deep.equal(userData());
      const cookies: unknown = headers["set-cookie"];
      expect(cookies).to.be.an("array").with.lengthOf(1);
      const [, token = "", attributes] = /^auth_token=([^;]+); (.*)$/.exec(String(cookies)) ?? [];
      expect(attributes).to.equal(`Max-Age=86400; ${ATTRIBUTES}`);
      const { header, payload } = jwt.verify(token, appliance.secret, {
        complete: true,
        clockTimestamp: NOON_MS / 1000,
      });
      expect(header).to.deep.equal({ alg: "HS256", typ: "JWT" });
      expect(payload).to.have.all.keys("sub", "sid", "iat", "exp");
      expect(payload).to.include({ sub: user.id, iat: NOON_MS / 1000, exp: NOON_MS / 1000 + 86_400 });
    });

    it("takes the e-mail without regard to case or spaces around it", async () => {
      await login(`  ${user.email.toUpperCase()} `).expect(200);
    });

    for (const [what, email, password] of [
      ["a wrong password", undefined, "otra clave larga"],
      ["an unknown e-mail", "nadie@example.org", PASSWORD],
      ["the right password with something after its 72nd byte", undefined, PASSWORD.padEnd(80, "x")],
      ["the right password in other case", undefined, PASSWORD.toUpperCase()],
    ] as const) {
      it(`answers ${what} with Invalid Credentials and no cookie`, async () => {
        const response = await login(email ?? user.email, password).expect(401);
        expect(response.body).to.deep.equal({ status: "error", error: "Invalid Credentials" });
        expect(response.headers).not.to.have.property("set-cookie");
      });
    }

    it("removes what another page set for a longer path, after the contract's cookie", async () => {
      const response = await login(user.email)
        .set("Cookie", "auth_token=tossed; auth_token=ended")
        .expect(200);
      const [first, ...others] = response.headers["set-cookie"] as unknown as string[];
      expect(first).to.match(/^auth_token=[\w-]+\.[\w-]+\.[\w-]+; Max-Age=86400; Path=\/; /);
      expect(others).to.deep.equal(
        ["/api", "/api/", "/api/login"].map((path) => `auth_token=; Max-Age=0; ${attributesOf(path)}`),
      );
    });

    it("names the fields of a body that lacks them, or has a number for a text", async () => {
      const { body } = await appliance.api.post("/api/login").send({ password: 1 }).expect(400);
      expect(body).to.deep.equal({
        status: "error",
        error: "email: is required; password: must be a text.",
        errors: {
          email: { kind: "required", message: "is required" },
          password: { kind: "type", message: "must be a text" },
        },
      });
    });
  });

  describe("GET /verify", () => {
    it("answers the signed-in user alone, and finds the session's cookie among others", async () => {
      const response = await verify(`theme=dark; ${user.cookie}; lang=es`).expect(200);
      expect(response.body).to.deep.equal(userData());
    });
  });

  describe("POST /logout", () => {
    function logout(cookie: string) {
      return appliance.api.post("/api/logout").set("Cookie", cookie).expect(200);
    }

    it("removes the cookie with the attributes that set it", async () => {
      const later = await appliance.signIn(user.id);
      await logout(later);
      for (const cookie of [user.cookie, later, "", "auth_token=%%%.{}", "auth_token="]) {
        const { body, headers } = await logout(cookie);
        expect(body).to.deep.equal({ status: "success" });
        expect(headers["set-cookie"]).to.deep.equal([`auth_token=; Max-Age=0; ${ATTRIBUTES}`]);
      }
    });

    it("ends its own session at once, also for a copied cookie, and no other", async () => {
      const other = await appliance.signIn(user.id);
      await logout(user.cookie);
      await verify(user.cookie).expect(401);
      await user.get("/api/device").expect(401);
      await verify(other).expect(200);
    });

    it("ends the session of every cookie of the name", async () => {
      const other = await appliance.addUser();
      const cookie = `${other.cookie}; ${user.cookie}`;
      await logout(cookie);
      await verify(cookie).expect(401);
      await verify(other.cookie).expect(401);
    });

    it("answers 200 with an expired token", async () => {
      appliance.clock.pass(86_400_001);
      await logout(user.cookie);
    });

    it("ignores the body", async () => {
      await logout(user.cookie).type("text/plain").send("adiós");
      await logout(user.cookie).type("application/json").send("{");
    });
  });

  describe("a session ends", () => {
    it("24 hours after it began, to the second", async () => {
      appliance.clock.pass(DAY_MS - 1);
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
  });
});
