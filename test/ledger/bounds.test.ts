import { expect } from "chai";
import { HOUR_MS } from "../../src/domain/clock.ts";
import { Committer } from "../../src/ledger/engine/committer.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { commissionReader } from "../../src/ledger/nouns/commission.ts";
import { aSighting } from "../domain/sighting.ts";
import { plansOf, query } from "../rig/ledger-file.ts";
import { forEachTest } from "../rig/standing.ts";
import { newWiring, TestLedger } from "./test-ledger.ts";

const MAX_GAPS = 1_000;
const MAX_BOOTS = 1_000;

describe("A ledger over many years", () => {
  const ledger = forEachTest(() => new TestLedger().open());

  /** Each level of the line is told after a loss of two edges. */
  async function lose(line: string, actuatorId: string, deviceId: string, times: number): Promise<void> {
    const sightings = Array.from({ length: times + 1 }, (_, index) =>
      aSighting(false, index * 3, {
        line,
        deviceId,
        actuatorId,
        missed: index === 0 ? 0 : 2,
        timeMs: ledger.nowMs + index * 1_000,
      }),
    );
    await ledger.writer.takeIn(sightings);
  }

  it("keeps the newest thousand gaps of a line, whatever another one loses", async () => {
    await ledger.writer.noteBoot("boot", null);
    const { user, deviceId } = await ledger.wire("A");
    const wiring = newWiring({ line: "B", actuatorId: "102" });
    await ledger.writer.setWiring([{ userId: user.id, wiring }]);
    await lose("A", "101", deviceId, 3);
    await lose("B", "102", deviceId, MAX_GAPS + 5);
    const gaps = ledger.reader.gaps(user.id, { before: null, limit: 5_000 });
    expect(gaps.filter(({ line }) => line === "A")).to.have.lengthOf(3);
    const ofB = gaps.filter(({ line }) => line === "B");
    expect(ofB).to.have.lengthOf(MAX_GAPS);
    expect(ofB[0]?.toTimeMs).to.equal(ledger.nowMs + (MAX_GAPS + 5) * 1_000);
    expect(ofB.at(-1)?.toTimeMs).to.equal(ledger.nowMs + 6_000);
  });

  it("reads at a start the newest thousand boots, and losses by an index alone", async () => {
    for (let boot = 0; boot < MAX_BOOTS + 5; boot += 1) await ledger.writer.noteBoot(`boot ${boot}`, null);
    const boots = ledger.reader.boots().map(({ bootId }) => bootId);
    expect(boots).to.deep.equal(Array.from({ length: MAX_BOOTS }, (_, index) => `boot ${index + 5}`));
    const plan = query<{ detail: string }>(
      ledger.file,
      "EXPLAIN QUERY PLAN SELECT lost_to FROM correction WHERE kind = 'lost' AND noted_ms > 0 ORDER BY correction_id",
    );
    expect(plan.map(({ detail }) => detail)).to.deep.equal(["SCAN correction USING INDEX correction_lost"]);
  });

  it("finds an account's edges under test, and counts those of a test, by an index: others may have a million", async () => {
    await ledger.writer.noteBoot("boot", null);
    const { user } = await ledger.wire("A");
    await ledger.writer.beginCommission(user.id, { lines: null, freeLines: [] }, ["A"], HOUR_MS);
    const { nowMs, file } = ledger;
    const list = plansOf(file, "tested_edge", (db) =>
      commissionReader(db, { spendBytes: () => {} }).testedEdges(user.id, 200),
    );
    expect(list).to.deep.equal(["SEARCH tested_edge USING INDEX tested_edge_by_user (user_id=?)"]);
    const commands = [
      { name: "noteBoot", input: ["boot", null] },
      { name: "pauseCommission", input: [user.id] },
    ] as const;
    const end = plansOf(file, "tested_edge", (db) => {
      new Committer(db, new LocalCalendar("UTC"), undefined).commit({ nowMs, monotonicMs: 1, commands });
    });
    expect(end).to.deep.equal(["SEARCH tested_edge USING INDEX tested_edge_by_line (user_id=? AND line=?)"]);
  });
});
