import { expect } from "chai";
import { type Actor, networkActor, SERVICE_ACTOR } from "../../../src/domain/audit.ts";
import { DAY_MS, HOUR_MS } from "../../../src/domain/clock.ts";
import { FlancoError } from "../../../src/domain/error.ts";
import type { Id } from "../../../src/domain/id.ts";
import { LASTING_A_DAY, REPORTS_A_DAY } from "../../../src/ledger/nouns/audit.ts";
import { openFindings } from "../../../src/ledger/safety/verify.ts";
import { rejection } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { newWiring, TestLedger } from "../test-ledger.ts";

const LINE = "GPIO17";
const REPORT = {
  technician: "Luis",
  clinic: "Ana",
  counts: { rooms: 1, good: 1, attention: 0, untested: 0 },
  text: JSON.stringify({ rooms: [{ room: "101", verdict: "good" }] }),
};

describe("A commissioning in the ledger", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  let userId: Id;

  beforeEach(async () => {
    userId = (await ledger.wire(LINE)).user.id;
    await ledger.writer.noteBoot("boot", null);
  });

  async function report(): Promise<number> {
    await ledger.writer.beginCommission(userId, { lines: null, freeLines: [] }, [LINE], HOUR_MS);
    return (await ledger.writer.endCommission(userId, REPORT)) ?? 0;
  }

  it("keeps its report under the chain's hash: one that is altered is found by the full check", async () => {
    const number = await report();
    const stored = ledger.reader.acceptanceReport(userId, number);
    expect(stored).to.include({ text: REPORT.text, hash: ledger.reader.chainHead() });
    const findings = () => openFindings(ledger.verify());
    expect(findings()).to.deep.equal([]);
    await ledger.tamper((db) => {
      db.exec("UPDATE audit SET details = replace(details, 'good', 'bad_') WHERE kind = 'commissioned'");
    });
    expect(findings()).not.to.deep.equal([]);
  });

  it("ends with so many reports a day at most that they do not fill the disk, over the network", async () => {
    const by = networkActor("192.0.2.7", userId);
    const another = async (actor: Actor) => {
      await ledger.writer.beginCommission(userId, { lines: null, freeLines: ["GPIO9"] }, [], HOUR_MS, actor);
      return ledger.writer.endCommission(userId, REPORT, actor);
    };
    for (let made = 0; made < REPORTS_A_DAY; made += 1) await another(by);
    expect((await rejection(another(by))).code).to.equal("too_many");
    expect(await another(SERVICE_ACTOR)).to.be.a("number");
    ledger.monotonicMs += DAY_MS;
    expect(await another(by)).to.be.a("number");
  });

  it("ends the tests of its lines by one entry, which leaves the account its other changes of a day", async () => {
    const second = newWiring({ line: "GPIO27", actuatorId: "102" });
    await ledger.writer.setWiring([{ userId, wiring: second }]);
    const lines = [LINE, "GPIO27"];
    await ledger.writer.beginCommission(userId, { lines, freeLines: [] }, lines, HOUR_MS);
    await ledger.writer.endCommission(userId, null);
    const [ended, begun] = ledger.reader.audit({ userId, before: null, sinceMs: null, limit: 2 });
    expect([ended?.kind, begun?.kind]).to.deep.equal(["test_ended", "test_begun"]);
    expect(ended?.details).to.deep.equal({ lines: "GPIO17, GPIO27", rooms: "101, 102", edges: 0 });
  });

  it("is begun for lines that are all the account's, or not at all", async () => {
    const scope = { lines: ["GPIO99"], freeLines: [] };
    const refused = await rejection(ledger.writer.beginCommission(userId, scope, ["GPIO99"], HOUR_MS));
    expect(refused).to.be.instanceOf(FlancoError);
    expect(ledger.reader.commissions()).to.deep.equal([]);
    expect(await ledger.writer.endCommission(userId, null)).to.equal(null);
  });

  it("is ended without a report where the account has made its changes of a day: its lines sell again", async () => {
    const by = networkActor("192.0.2.7", userId);
    await ledger.writer.beginCommission(userId, { lines: null, freeLines: [] }, [LINE], HOUR_MS, by);
    for (let turn = 1; turn < LASTING_A_DAY; turn += 1) {
      await ledger.writer.setWiring([{ userId, wiring: newWiring({ debounceMs: turn }) }], by);
    }
    expect((await rejection(ledger.writer.endCommission(userId, REPORT, by))).code).to.equal("too_many");
    await ledger.writer.endCommission(userId, null, by);
    const now = { bootId: "boot", monotonicMs: ledger.monotonicMs };
    expect(ledger.reader.lineTests(now, userId)).to.deep.equal([]);
  });
});
