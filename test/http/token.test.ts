import { createHmac, createSecretKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { expect } from "chai";
import jwt from "jsonwebtoken";
import { Appliance, NOON_MS, type SignedInUser } from "./appliance.ts";

const NOW_S = NOON_MS / 1000;

describe("A session's token", () => {
  let appliance: Appliance;
  let user: SignedInUser;
  let sid: string;

  before(async () => {
    appliance = await Appliance.open();
  });
  beforeEach(async () => {
    user = await appliance.addUser();
    sid = appliance.sessions.check(user.cookie.replace("auth_token=", ""))?.sid ?? "";
  });
  after(() => appliance.close());

  function claims(otherwise: object = {}): object {
    return { sub: user.id, sid, iat: NOW_S, exp: NOW_S + 60, ...otherwise };
  }

  function unsigned(header: object, payload: object): string {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    return `${encode(header)}.${encode(payload)}.`;
  }

  async function expectRefused(token: string): Promise<void> {
    const cookie = `auth_token=${token}`;
    const verify = await appliance.api.get("/api/verify").set("Cookie", cookie).expect(401);
    expect(verify.body).to.deep.equal({ status: "error", error: "Unauthorized" });
    const data = await appliance.api.get("/api/data?period=anual").set("Cookie", cookie).expect(401);
    expect(data.body).to.deep.equal({ status: "error", message: "Unauthorized" });
  }

  it("signed with the appliance's secret for a session that stands is taken: the others differ in one thing", async () => {
    const token = jwt.sign(claims(), appliance.secret, { algorithm: "HS256" });
    await appliance.api.get("/api/verify").set("Cookie", `auth_token=${token}`).expect(200);
  });

  for (const algorithm of ["HS384", "HS512"] as const) {
    it(`of the algorithm ${algorithm} is refused, although the secret is right`, async () => {
      await expectRefused(jwt.sign(claims(), appliance.secret, { algorithm }));
    });
  }

  for (const algorithm of ["none", "None", "NONE"]) {
    it(`of the algorithm ${algorithm} is refused`, async () => {
      await expectRefused(unsigned({ alg: algorithm, typ: "JWT" }, claims()));
    });
  }

  it("of RS256 is refused, signed by whoever has a key of that kind", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    await expectRefused(jwt.sign(claims(), privateKey, { algorithm: "RS256" }));
  });

  it("that brings its own key in its header is refused", async () => {
    const key = randomBytes(32);
    const jwk = { kty: "oct", k: key.toString("base64url") };
    const header = { alg: "HS256", jwk, kid: "../../dev/null", jku: "http://evil.example.com/keys" } as const;
    await expectRefused(jwt.sign(claims(), key, { header }));
    await expectRefused(jwt.sign(claims(), Buffer.alloc(0).toString() || " ", { algorithm: "HS256" }));
  });

  for (const [what, otherwise] of [
    ["an expiry that is a text", { exp: String(NOW_S + 60) }],
    ["an expiry that is nothing", { exp: null }],
    ["a session that is a number", { sid: 1 }],
    ["a session that is a list", { sid: [""] }],
    ["a user that is an object", { sub: {} }],
    ["a session of every object", { sid: "__proto__" }],
  ] as const) {
    it(`with ${what} is refused`, async () => {
      const payload = Buffer.from(JSON.stringify(claims(otherwise))).toString("base64url");
      const head = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString("base64url");
      const signature = createHmac("sha256", appliance.secret)
        .update(`${head}.${payload}`)
        .digest("base64url");
      await expectRefused(`${head}.${payload}.${signature}`);
    });
  }

  it("that says HS256 and carries no signature is refused", async () => {
    await expectRefused(unsigned({ alg: "HS256", typ: "JWT" }, claims()));
  });

  it("of another secret is refused", async () => {
    const other = createSecretKey(randomBytes(32));
    await expectRefused(jwt.sign(claims(), other, { algorithm: "HS256" }));
  });

  it("that has expired is refused", async () => {
    await expectRefused(jwt.sign(claims({ exp: NOW_S }), appliance.secret));
  });

  for (const claim of ["exp", "sid", "sub", "iat"]) {
    it(`without ${claim} is refused`, async () => {
      const { [claim]: _left, ...rest } = claims() as Record<string, unknown>;
      await expectRefused(jwt.sign(rest, appliance.secret, { noTimestamp: true }));
    });
  }

  it("of a session that never was is refused", async () => {
    await expectRefused(jwt.sign(claims({ sid: "0".repeat(24) }), appliance.secret));
  });

  it("that names another user than its session's is refused", async () => {
    const other = await appliance.addUser();
    await expectRefused(jwt.sign(claims({ sub: other.id }), appliance.secret));
  });

  it("whose payload was changed after signing is refused", async () => {
    const [header, , signature] = jwt.sign(claims(), appliance.secret).split(".");
    const payload = Buffer.from(JSON.stringify(claims({ exp: NOW_S + 3_600 }))).toString("base64url");
    await expectRefused(`${header}.${payload}.${signature}`);
  });

  it("is taken from the last cookie of the name that is one: what was set for a longer path stands before it", async () => {
    const other = await appliance.addUser();
    for (const tossed of ["auth_token=forged", "auth_token=", other.cookie]) {
      const cookie = `${tossed}; theme=dark; ${user.cookie}`;
      const response = await appliance.api.get("/api/verify").set("Cookie", cookie).expect(200);
      expect(response.body.userData._id).to.equal(user.id);
    }
    await appliance.api.get("/api/verify").set("Cookie", `${user.cookie}; auth_token=ended`).expect(200);
  });

  it("is looked for among a few cookies alone", async () => {
    const cookie = [user.cookie, ...Array<string>(400).fill("auth_token=a.b.c")].join("; ");
    await appliance.api.get("/api/verify").set("Cookie", cookie).expect(401);
  });

  for (const [what, token] of [
    ["nothing", ""],
    ["garbage", "basura"],
    ["dots alone", ".."],
    ["percent signs", "%E0%A4%A"],
    ["quotes", '"a.b.c"'],
    ["four thousand characters", "a".repeat(4_000)],
    ["JSON that is no object", `${Buffer.from('{"alg":"HS256"}').toString("base64url")}.MTI.x`],
  ] as const) {
    it(`of ${what} is refused`, async () => {
      await expectRefused(token);
    });
  }

  it("elsewhere than in the cookie is no session", async () => {
    const token = user.cookie.replace("auth_token=", "");
    await appliance.api.get("/api/verify").set("Authorization", `Bearer ${token}`).expect(401);
    await appliance.api.get(`/api/verify?auth_token=${token}`).expect(401);
  });
});
