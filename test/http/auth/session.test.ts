import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { expect } from "chai";
import { FlancoError } from "../../../src/domain/error.ts";
import { loadSecret, replaceSecret } from "../../../src/http/auth/session.ts";
import { Appliance } from "../../rig/appliance.ts";
import { rejection } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { TemporaryDirectory } from "../../rig/temporary-directory.ts";
import { until } from "../../rig/until.ts";
import { KeptLog } from "../fakes.ts";

describe("The sessions of a ledger", () => {
  const appliance = forEachTest(() => Appliance.open());
  const user = forEachTest(() => appliance.addUser());

  it("continue after a restart unless they have ended", async () => {
    const ended = await appliance.beginSession(user.id);
    const kept = await appliance.beginSession(user.id);
    await appliance.sessions.end(ended);
    const afterRestart = appliance.newSessions();

    expect(afterRestart.check(kept)).to.equal(undefined);
    afterRestart.reload();
    expect(afterRestart.check(kept)?.userId).to.equal(user.id);
    expect(afterRestart.check(ended)).to.equal(undefined);
  });

  it("end with a password that is changed in the commit in which they begin", async () => {
    const credentials = await appliance.credentialsOf(user.id);
    const beginning = appliance.sessions.begin(credentials);
    const changing = appliance.writer.setPassword(user.id, "$2b$10$another");
    const [token] = await Promise.all([beginning, changing]);

    expect(appliance.reader.sessions()).to.deep.equal([]);
    expect(appliance.sessions.check(token)).to.equal(undefined);
  });

  it("continue when others end in the commit in which they begin", async () => {
    const credentials = await appliance.credentialsOf(user.id);
    const other = await appliance.addUser();
    const beginning = appliance.sessions.begin(credentials);
    const changing = appliance.writer.setPassword(other.id, "$2b$10$another");
    const [token] = await Promise.all([beginning, changing]);

    expect(appliance.sessions.check(token)?.userId).to.equal(user.id);
  });

  it("do not begin with a password that is changed in the same commit, before them", async () => {
    const credentials = await appliance.credentialsOf(user.id);
    const changing = appliance.writer.setPassword(user.id, "$2b$10$another");
    const [refused] = await Promise.all([rejection(appliance.sessions.begin(credentials)), changing]);

    expect(refused.code).to.equal("unauthorized");
    expect(appliance.reader.sessions()).to.deep.equal([]);
  });

  it("replace unused ones when several begin side by side", async () => {
    const credentials = await appliance.credentialsOf(user.id);
    const used = await appliance.beginSession(user.id);
    for (let count = 0; count < 97; count += 1) await appliance.beginSession(user.id);
    appliance.clock.pass(1_000);
    expect(appliance.sessions.check(used)?.userId).to.equal(user.id);
    await Promise.all(Array.from({ length: 10 }, () => appliance.sessions.begin(credentials)));

    expect(appliance.reader.sessions()).to.have.length(100);
    expect(appliance.sessions.check(used)?.userId).to.equal(user.id);
  });

  it("are checked without asking the ledger", async () => {
    const token = await appliance.beginSession(user.id);
    appliance.breaker.failure = new FlancoError("unavailable", "The ledger takes no writes.");

    expect(appliance.sessions.check(token)?.userId).to.equal(user.id);
  });

  describe("of which one is signed out of while the ledger takes no writes", () => {
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
        "an ended session could not be removed from the ledger",
        "ended sessions stay in the ledger: valid after a restart",
      ]);
    });

    /** Whatever it answers: what it must answer is for the tests above. */
    async function signOutInTrouble(): Promise<void> {
      appliance.breaker.failure = new FlancoError("unavailable", "The ledger takes no writes (SQLITE_FULL).");
      await user.post("/api/logout");
    }

    function stored(): boolean {
      return appliance.reader.sessions().some((session) => session.sid === sid);
    }
  });
});

describe("The secret that signs sessions", () => {
  const directory = forEachTest(() => new TemporaryDirectory());
  const file = () => directory.file("session.key");
  const log = forEachTest(() => new KeptLog());

  it("is made at the first start, over the draft of an interrupted one: 256 bits with mode 0600", () => {
    writeFileSync(`${file()}.new`, "half", { mode: 0o644 });
    const secret = loadSecret(file(), log);
    expect(secret.symmetricKeySize).to.equal(32);
    expect(statSync(file()).mode & 0o777).to.equal(0o600);
    expect(readFileSync(file())).to.deep.equal(secret.export());
  });

  it("is the same at the next start, and differs between appliances", () => {
    const secret = loadSecret(file(), log);
    expect(loadSecret(file(), log).equals(secret)).to.equal(true);
    expect(log.errors).to.deep.equal([]);
    expect(loadSecret(directory.file("other.key"), log).equals(secret)).to.equal(false);
  });

  it("is replaced in one step, with mode 0600, and leaves no draft", () => {
    const before = loadSecret(file(), log);
    const after = replaceSecret(file());
    expect(after.equals(before)).to.equal(false);
    expect(loadSecret(file(), log).equals(after)).to.equal(true);
    expect(statSync(file()).mode & 0o777).to.equal(0o600);
    expect(readdirSync(directory.path)).to.deep.equal(["session.key"]);
  });

  it("stays as it is where another cannot be written", () => {
    const before = loadSecret(file(), log);
    mkdirSync(`${file()}.new`);
    expect(() => replaceSecret(file())).to.throw(Error);
    rmSync(`${file()}.new`, { recursive: true });
    expect(loadSecret(file(), log).equals(before)).to.equal(true);
  });

  it("is another one where the file is empty, cut off or too long: no start waits for a person", () => {
    for (const content of ["", "sixteen bytes ok", "x".repeat(33)]) {
      writeFileSync(file(), content);
      const made = loadSecret(file(), log);
      expect(made.symmetricKeySize).to.equal(32);
      expect(readFileSync(file())).to.deep.equal(made.export());
    }
    expect(log.errors).to.have.length(3);
  });
});
