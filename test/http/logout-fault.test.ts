import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { Appliance } from "../rig/appliance.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";

describe("Signing out of a ledger that takes no writes", () => {
  const appliance = forEachTest(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());
  let sid: string;

  beforeEach(async () => {
    sid = appliance.sessions.check(user.token)?.sid ?? "";
  });

  for (const code of ["unavailable", "overloaded", "internal"] as const) {
    it(`answers 200 and removes the cookie when the writer says ${code}`, async () => {
      appliance.breaker.failure = new FlancoError(code, "The ledger takes no writes (SQLITE_FULL).");
      const response = await user.post("/api/logout").expect(200);
      expect(response.body).to.deep.equal({ status: "success" });
      expect(String(response.headers["set-cookie"])).to.match(/^auth_token=; Max-Age=0; /);
    });
  }

  it("ends this session for good, and no other, also when the sessions are read from the ledger again", async () => {
    const other = await appliance.addUser();
    const second = await appliance.signIn(user.id);
    await signOutInTrouble();
    expect(stored()).to.equal(true);
    await appliance.writer.setPassword(other.id, "$2b$10$another");
    appliance.breaker.failure = undefined;
    await user.get("/api/verify").expect(401);
    await appliance.api.get("/api/verify").set("Cookie", second).expect(200);
  });

  it("removes it from the ledger once that takes writes again, so that a restart finds none", async () => {
    await signOutInTrouble();
    appliance.breaker.failure = undefined;
    await until("the ended session leaves the ledger", () => !stored());
    const afterRestart = appliance.newSessions();
    afterRestart.reload();
    expect(afterRestart.check(user.token)).to.equal(undefined);
  });

  it("removes it at the latest when the service stops", async () => {
    await signOutInTrouble();
    appliance.breaker.failure = undefined;
    await appliance.sessions.close();
    expect(stored()).to.equal(false);
  });

  it("logs that it was not stored, at the sign-out and again when the service stops", async () => {
    await signOutInTrouble();
    await appliance.sessions.close();
    expect(appliance.log.errors).to.deep.equal([
      "a session that has ended could not be removed from the ledger",
      "sessions that have ended stand again at the next start",
    ]);
  });

  async function signOutInTrouble(): Promise<void> {
    appliance.breaker.failure = new FlancoError("unavailable", "The ledger takes no writes (SQLITE_FULL).");
    // Whatever it answers: what it must answer is for the tests above.
    await user.post("/api/logout");
  }

  function stored(): boolean {
    return appliance.reader.sessions().some((session) => session.sid === sid);
  }
});
