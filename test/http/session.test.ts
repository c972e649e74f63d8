import { createHmac, createSecretKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { expect } from "chai";
import jwt from "jsonwebtoken";
import { DAY_MS } from "../../src/domain/clock.ts";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { PASSWORD } from "../rig/shared-hasher.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";

const NOW_S = NOON_MS / 1000;
const ATTRIBUTES = attributesOf("/");
const LASTS = "Max-Age=86400; Expires=Thu, 31 Dec 2037 23:55:55 GMT";
const ENDED = "Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT";

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
      expect(attributes).to.equal(`${LASTS}; ${ATTRIBUTES}`);
      const { header, payload } = jwt.verify(token, appliance.secret, {
        complete: true,
        clockTimestamp: NOW_S,
      });
      expect(header).to.deep.equal({ alg: "HS256", typ: "JWT" });
      expect(payload).to.have.all.keys("sub", "sid", "iat", "exp");
      expect(payload).to.include({ sub: user.id, iat: NOW_S, exp: NOW_S + 86_400 });
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
      expect(first).to.match(new RegExp(`^auth_token=[\\w-]+\\.[\\w-]+\\.[\\w-]+; ${LASTS}; Path=/; `));
      expect(others).to.deep.equal(
        ["/api", "/api/", "/api/login"].map((path) => `auth_token=; ${ENDED}; ${attributesOf(path)}`),
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

  it("GET /verify answers the signed-in user alone, and finds the session's cookie among others", async () => {
    const response = await verify(`theme=dark; ${user.cookie}; lang=es`).expect(200);
    expect(response.body).to.deep.equal(userData());
  });

  it("finds the session in a cookie that comes back in quotes, as Java's cookie jar sends some", async () => {
    const [name, token] = user.cookie.split("=");
    await verify(`$Version="1"; ${name}="${token}";$Path="/"`).expect(200);
    await verify(`${name}="${token}`).expect(401);
  });

  describe("POST /logout", () => {
    function logout(cookie: string) {
      return appliance.api.post("/api/logout").set("Cookie", cookie).expect(200);
    }

    it("removes the cookie with the attributes that set it, also of a session that has ended or never was", async () => {
      const later = await appliance.signIn(user.id);
      appliance.clock.pass(DAY_MS);
      await logout(later);
      for (const cookie of [user.cookie, later, "", "auth_token=%%%.{}", "auth_token="]) {
        const { body, headers } = await logout(cookie);
        expect(body).to.deep.equal({ status: "success" });
        expect(headers["set-cookie"]).to.deep.equal([`auth_token=; ${ENDED}; ${ATTRIBUTES}`]);
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

    it("ignores the body", async () => {
      await logout(user.cookie).type("text/plain").send("adiós");
      await logout(user.cookie).type("application/json").send("{");
    });
  });

  it("a session that ends while a body is on its way changes nothing by it", async () => {
    const email = "intruso@example.org";
    const body = JSON.stringify({ member: { name: "Intruso", email, role: "owner" } });
    const headers = {
      Cookie: user.cookie,
      Expect: "100-continue",
      "Content-Type": "application/json",
      "Content-Length": String(body.length),
    };
    const slow = request({ port: appliance.port, method: "POST", path: "/api/member", headers });
    slow.flushHeaders();
    // The service has taken the request, with its cookie, and waits for the body.
    await once(slow, "continue");
    await appliance.writer.setPassword(user.id, "$2b$10$another");
    slow.end(body);
    const [response] = (await once(slow, "response")) as [IncomingMessage];
    expect(response.statusCode).to.equal(401);
    response.resume();
    expect(appliance.reader.credentials(email)).to.equal(undefined);
  });

  describe("a session's token", () => {
    let sid: string;

    beforeEach(async () => {
      sid = appliance.sessions.check(user.token)?.sid ?? "";
    });

    function claims(otherwise: object = {}): object {
      return { sub: user.id, sid, iat: NOW_S, exp: NOW_S + 60, ...otherwise };
    }

    function unsigned(header: object, payload: object): string {
      const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
      return `${encode(header)}.${encode(payload)}.`;
    }

    async function expectRefused(token: string): Promise<void> {
      const cookie = `auth_token=${token}`;
      const asked = await verify(cookie).expect(401);
      expect(asked.body).to.deep.equal({ status: "error", error: "Unauthorized" });
      const data = await appliance.api.get("/api/data?period=anual").set("Cookie", cookie).expect(401);
      expect(data.body).to.deep.equal({ status: "error", message: "Unauthorized" });
    }

    it("signed with the appliance's secret for a session that stands is taken (control)", async () => {
      const token = jwt.sign(claims(), appliance.secret, { algorithm: "HS256" });
      await verify(`auth_token=${token}`).expect(200);
    });

    const signed = (payload: object, options?: jwt.SignOptions) =>
      jwt.sign(payload, appliance.secret, options);
    const without = (claim: string) => {
      const { [claim]: _left, ...rest } = claims() as Record<string, unknown>;
      return signed(rest, { noTimestamp: true });
    };
    /** Signs what jsonwebtoken itself would refuse to. */
    const forced = (otherwise: object) => {
      const [head, body] = unsigned({ alg: "HS256", typ: "JWT" }, claims(otherwise)).split(".");
      const signature = createHmac("sha256", appliance.secret).update(`${head}.${body}`).digest("base64url");
      return `${head}.${body}.${signature}`;
    };
    const ofRs256 = () => {
      const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
      return jwt.sign(claims(), privateKey, { algorithm: "RS256" });
    };
    const withOwnKey = () => {
      const key = randomBytes(32);
      const jwk = { kty: "oct", k: key.toString("base64url") };
      const header = {
        alg: "HS256",
        jwk,
        kid: "../../dev/null",
        jku: "http://evil.example.com/keys",
      } as const;
      return jwt.sign(claims(), key, { header });
    };
    const changedAfterSigning = () => {
      const [header, , signature] = signed(claims()).split(".");
      const payload = Buffer.from(JSON.stringify(claims({ exp: NOW_S + 3_600 }))).toString("base64url");
      return `${header}.${payload}.${signature}`;
    };

    for (const [what, make] of [
      ["of HS384, although the secret is right", () => signed(claims(), { algorithm: "HS384" })],
      ["of HS512, although the secret is right", () => signed(claims(), { algorithm: "HS512" })],
      ["of RS256", ofRs256],
      ["that brings its own key", withOwnKey],
      ["signed with an empty secret", () => jwt.sign(claims(), " ", { algorithm: "HS256" })],
      ["of HS256 without a signature", () => unsigned({ alg: "HS256", typ: "JWT" }, claims())],
      ["of another secret", () => jwt.sign(claims(), createSecretKey(randomBytes(32)))],
      ["that has expired", () => signed(claims({ exp: NOW_S }))],
      ["of a session that never was", () => signed(claims({ sid: "0".repeat(24) }))],
      [
        "of another user than its session's",
        async () => signed(claims({ sub: (await appliance.addUser()).id })),
      ],
      ["changed after signing", changedAfterSigning],
    ] as const) {
      it(`${what} is refused`, async () => {
        await expectRefused(await make());
      });
    }

    it("without a signature, a claim or the form of a token is refused", async () => {
      for (const alg of ["none", "None", "NONE"])
        await expectRefused(unsigned({ alg, typ: "JWT" }, claims()));
      for (const claim of ["exp", "sid", "sub", "iat"]) await expectRefused(without(claim));
      for (const wrong of [
        ...[
          { exp: String(NOW_S + 60) },
          { exp: null },
          { sid: 1 },
          { sid: [""] },
          { sid: "__proto__" },
          { sub: {} },
        ],
      ]) {
        await expectRefused(forced(wrong));
      }
      const noObject = `${Buffer.from('{"alg":"HS256"}').toString("base64url")}.MTI.x`;
      for (const garbage of ["", "basura", "..", "%E0%A4%A", '"a.b.c"', "a".repeat(4_000), noObject]) {
        await expectRefused(garbage);
      }
    });

    it("is taken from the one cookie of the name that is valid: what was set for a longer path stands before it", async () => {
      const another = await appliance.signIn(user.id);
      for (const tossed of ["auth_token=forged", "auth_token=", another]) {
        const cookie = `${tossed}; theme=dark; ${user.cookie}`;
        const response = await verify(cookie).expect(200);
        expect(response.body.userData._id).to.equal(user.id);
      }
      await appliance.api.get("/api/verify").set("Cookie", `${user.cookie}; auth_token=ended`).expect(200);
    });

    it("is refused beside another user's, because one of them was planted; signing in removes both", async () => {
      const other = await appliance.addUser();
      for (const cookie of [`${other.cookie}; ${user.cookie}`, `${user.cookie}; ${other.cookie}`]) {
        await verify(cookie).expect(401);
        await appliance.api.post("/api/data").set("Cookie", cookie).send({}).expect(401);
      }
    });

    it("is looked for among a few cookies alone", async () => {
      const cookie = [user.cookie, ...Array<string>(400).fill("auth_token=a.b.c")].join("; ");
      await verify(cookie).expect(401);
    });

    it("elsewhere than in the cookie is no session", async () => {
      const token = user.token;
      await appliance.api.get("/api/verify").set("Authorization", `Bearer ${token}`).expect(401);
      await appliance.api.get(`/api/verify?auth_token=${token}`).expect(401);
    });
  });
});
