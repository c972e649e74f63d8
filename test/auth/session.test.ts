import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { Appliance } from "../rig/appliance.ts";
import { rejection } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";

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
});
