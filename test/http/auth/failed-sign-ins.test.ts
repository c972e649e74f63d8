import { expect } from "chai";
import type { AuditNote } from "../../../src/domain/audit.ts";
import { FailedSignIns } from "../../../src/http/auth/sign-in-gate.ts";
import { forEachTest } from "../../rig/standing.ts";
import { KeptLog, SetClock } from "../fakes.ts";

const ANA = "0123456789abcdef01234567";

describe("Failed sign-ins", () => {
  const clock = forEachTest(() => new SetClock(0));
  let written: (readonly AuditNote[])[];
  let failure: Error | undefined;
  let failed: FailedSignIns;

  beforeEach(() => {
    written = [];
    failure = undefined;
    const noteAudit = async (notes: readonly AuditNote[]) => {
      if (failure !== undefined) throw failure;
      written.push(notes);
    };
    failed = new FailedSignIns(clock, { noteAudit }, new KeptLog());
  });

  const told = () =>
    written.flat().map(({ userId, actor, details }) => [actor.from, userId, details["attempts"]] as const);

  it("are counted by address and account", async () => {
    failed.note("192.0.2.7", ANA);
    failed.note("192.0.2.7", ANA);
    failed.note("192.0.2.7", null);
    failed.note("192.0.2.8", ANA);
    await failed.write();
    expect(told()).to.deep.equal([
      ["192.0.2.7", ANA, 2],
      ["192.0.2.7", null, 1],
      ["192.0.2.8", ANA, 1],
    ]);
  });

  it("make one write of bounded size, in which every attempt is counted", async () => {
    for (let address = 0; address < 1_000; address += 1) failed.note(`2001:db8::${address}`, null);
    await failed.write();
    expect(written).to.have.length(1);
    expect(told()).to.have.length(33);
    expect(told().reduce((sum, [, , attempts]) => sum + Number(attempts), 0)).to.equal(1_000);
  });

  it("are kept while the ledger takes no writes", async () => {
    failure = new Error("the disk is full");
    failed.note("192.0.2.7", ANA);
    await failed.write();
    failed.note("192.0.2.7", ANA);
    failure = undefined;
    await failed.write();
    expect(told()).to.deep.equal([["192.0.2.7", ANA, 2]]);
  });

  it("are stored when a write resolves, also while an earlier write is under way", async () => {
    const stored = Promise.withResolvers<void>();
    const noteAudit = async (notes: readonly AuditNote[]) => {
      await stored.promise;
      written.push(notes);
    };
    failed = new FailedSignIns(clock, { noteAudit }, new KeptLog());
    failed.note("192.0.2.7", ANA);
    const first = failed.write();
    const second = failed.write().then(() => told());
    stored.resolve();
    expect(await second).to.deep.equal([["192.0.2.7", ANA, 1]]);
    await first;
  });

  it("cause no write when there are none", async () => {
    await failed.write();
    expect(written).to.deep.equal([]);
  });
});
