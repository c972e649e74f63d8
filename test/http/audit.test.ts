import { expect } from "chai";
import { Appliance } from "../rig/appliance.ts";
import { PASSWORD } from "../rig/shared-hasher.ts";
import { cookieOf, SignedInUser } from "../rig/signed-in-user.ts";
import { forEachTest } from "../rig/standing.ts";

interface Entry {
  readonly number: number | null;
  readonly kind: string;
  readonly way: string;
  readonly who: string | null;
  readonly from: string;
  readonly own: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}

describe("GET /audit", () => {
  const appliance = forEachTest(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
  const other = forEachTest(() => appliance.addUser());

  async function listed(by: SignedInUser): Promise<Entry[]> {
    const response = await by.get("/api/audit").expect(200);
    expect(response.body).to.have.all.keys("status", "data", "next");
    return response.body.data;
  }

  /** What was noted since the users were made, newest first. */
  const since = async (by = user) =>
    (await listed(by)).filter(({ kind, way }) => way !== "service" && kind !== "member_added");

  it("says who signed in and out, from where, and that somebody could not", async () => {
    const body = { email: user.email, password: PASSWORD };
    const signedIn = await appliance.api.post("/api/login").send(body).expect(200);
    await new SignedInUser(appliance, user, cookieOf(signedIn)).post("/api/logout").expect(200);
    await appliance.api
      .post("/api/login")
      .send({ ...body, password: "not the password" })
      .expect(401);
    await appliance.failedSignIns.write();
    const entries = await since();
    expect(entries.map(({ kind, who, from, own }) => [kind, who, from, own])).to.deep.equal([
      ["sign_in_failed", null, "127.0.0.1", true],
      ["sign_out", user.email, "127.0.0.1", true],
      ["sign_in", user.email, "127.0.0.1", true],
    ]);
    expect(entries[0]?.details).to.deep.equal({ attempts: 1 });
    expect(await since(other)).to.deep.equal([]);
  });

  it("does not tell an e-mail that has an account from one that has none", async () => {
    const seen = await listed(user);
    for (const email of [other.email, "nobody@example.org", PASSWORD]) {
      await appliance.api.post("/api/login").send({ email, password: "not the password" }).expect(401);
    }
    await appliance.failedSignIns.write();
    expect(await listed(user)).to.deep.equal(seen);
    const all = appliance.reader.audit({ before: null, sinceMs: null, limit: 100 });
    expect(all.filter(({ kind }) => kind === "sign_in_failed")).to.have.length(2);
    expect(JSON.stringify(all)).not.to.contain(PASSWORD).and.not.to.contain("nobody@example.org");
  });
});
