import { createHmac, createSecretKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { expect } from "chai";
import jwt from "jsonwebtoken";
import { Appliance, NOON_MS } from "../rig/appliance.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";

const NOW_S = NOON_MS / 1000;

describe("A session's token", () => {
  const appliance = forSuite(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
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
    const verify = await appliance.api.get("/api/verify").set("Cookie", cookie).expect(401);
    expect(verify.body).to.deep.equal({ status: "error", error: "Unauthorized" });
    const data = await appliance.api.get("/api/data?period=anual").set("Cookie", cookie).expect(401);
    expect(data.body).to.deep.equal({ status: "error", message: "Unauthorized" });
  }

  it("signed with the appliance's secret for a session that stands is taken (control)", async () => {
    const token = jwt.sign(claims(), appliance.secret, { algorithm: "HS256" });
    await appliance.api.get("/api/verify").set("Cookie", `auth_token=${token}`).expect(200);
  });

  const signed = (payload: object, options?: jwt.SignOptions) => jwt.sign(payload, appliance.secret, options);
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
    const header = { alg: "HS256", jwk, kid: "../../dev/null", jku: "http://evil.example.com/keys" } as const;
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
    for (const alg of ["none", "None", "NONE"]) await expectRefused(unsigned({ alg, typ: "JWT" }, claims()));
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
      const response = await appliance.api.get("/api/verify").set("Cookie", cookie).expect(200);
      expect(response.body.userData._id).to.equal(user.id);
    }
    await appliance.api.get("/api/verify").set("Cookie", `${user.cookie}; auth_token=ended`).expect(200);
  });

  it("is refused beside another user's, because one of them was planted; signing in removes both", async () => {
    const other = await appliance.addUser();
    for (const cookie of [`${other.cookie}; ${user.cookie}`, `${user.cookie}; ${other.cookie}`]) {
      await appliance.api.get("/api/verify").set("Cookie", cookie).expect(401);
      await appliance.api.post("/api/data").set("Cookie", cookie).send({}).expect(401);
    }
  });

  it("is looked for among a few cookies alone", async () => {
    const cookie = [user.cookie, ...Array<string>(400).fill("auth_token=a.b.c")].join("; ");
    await appliance.api.get("/api/verify").set("Cookie", cookie).expect(401);
  });

  it("elsewhere than in the cookie is no session", async () => {
    const token = user.token;
    await appliance.api.get("/api/verify").set("Authorization", `Bearer ${token}`).expect(401);
    await appliance.api.get(`/api/verify?auth_token=${token}`).expect(401);
  });
});
