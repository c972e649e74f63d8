import { expect } from "chai";
import type { BootMoment } from "../../../src/domain/boot.ts";
import { MINUTE_MS } from "../../../src/domain/clock.ts";
import type { Sighting } from "../../../src/domain/sale.ts";
import { settleTimes } from "../../../src/service/clock-watch.ts";
import { aSighting } from "../../domain/sighting.ts";
import { forEachTest } from "../../rig/standing.ts";
import { newWiring, TestLedger } from "../test-ledger.ts";

const LINE = "GPIO17";
const ALL = { before: null, limit: 100 };
const NS_PER_MS = 1_000_000;
const FIRST = "boot-1";
const SECOND = "boot-2";
/** Wall time of each boot's monotonic zero. */
const ZERO_MS = { [FIRST]: Date.UTC(2026, 10, 20, 8), [SECOND]: Date.UTC(2026, 10, 21, 8) };
/** What a clock believes that starts in 1970. */
const BELIEF_MS = 1_000;

describe("an outage", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  const wired = forEachTest(() => ledger.wire(LINE));
  let request: number;

  beforeEach(() => {
    request = 0;
  });

  /** A level found when watching begins, at a monotonic time of a boot; provisional where it is on a believed time. */
  function found(
    boot: keyof typeof ZERO_MS,
    monotonicMs: number,
    told: { since?: BootMoment; believed?: true } = {},
  ): Sighting {
    request += 1;
    return aSighting(false, 0, {
      deviceId: wired.deviceId,
      timeMs: (told.believed === true ? BELIEF_MS : ZERO_MS[boot]) + monotonicMs,
      monotonicNs: BigInt(monotonicMs * NS_PER_MS),
      source: { bootId: boot, request, sequence: 0 },
      provisional: told.believed === true,
      ...(told.since === undefined ? {} : { unwatchedSince: told.since }),
    });
  }

  const gaps = () =>
    ledger.reader.gaps(wired.user.id, ALL).map(({ fromTimeMs, toTimeMs }) => ({ fromTimeMs, toTimeMs }));

  it("is stored of all wired lines at once, from the last sign of life, where no earlier time is", async () => {
    await ledger.writer.noteBoot(FIRST, null, 7_000);
    const earlier = { bootId: FIRST, monotonicMs: 3_000 };
    await ledger.writer.noteUnwatched(LINE, earlier);
    const wiring = newWiring({ line: "GPIO18", actuatorId: "102" });
    await ledger.writer.setWiring([{ userId: wired.user.id, wiring }]);
    await ledger.writer.keepUnwatched();
    expect([...ledger.reader.unwatched()]).to.deep.equal([
      [LINE, earlier],
      ["GPIO18", { bootId: FIRST, monotonicMs: 7_000 }],
    ]);
  });

  it("is a gap from the last sign of life to the level that was found, with an unknown number of edges", async () => {
    await ledger.writer.takeIn([found(FIRST, 0)]);
    const since = { bootId: FIRST, monotonicMs: MINUTE_MS };
    await ledger.writer.takeIn([found(FIRST, 3 * MINUTE_MS, { since })]);
    expect(ledger.reader.gaps(wired.user.id, ALL)).to.deep.equal([
      {
        number: 1,
        line: LINE,
        fromTimeMs: ZERO_MS[FIRST] + MINUTE_MS,
        toTimeMs: ZERO_MS[FIRST] + 3 * MINUTE_MS,
        missed: null,
        missedRises: null,
        reason: "outage",
        added: 0,
      },
    ]);
    expect(ledger.changes.filter(({ kind }) => kind === "gap")).to.have.length(1);
  });

  it("begins with what the line itself told last, where that is later", async () => {
    await ledger.writer.takeIn([found(FIRST, MINUTE_MS)]);
    const since = { bootId: FIRST, monotonicMs: 5_000 };
    await ledger.writer.takeIn([found(FIRST, 2 * MINUTE_MS, { since })]);
    expect(gaps()).to.deep.equal([
      { fromTimeMs: ZERO_MS[FIRST] + MINUTE_MS, toTimeMs: ZERO_MS[FIRST] + 2 * MINUTE_MS },
    ]);
  });

  it("is none for a line that was never watched before", async () => {
    await ledger.writer.takeIn([
      found(FIRST, MINUTE_MS, { since: { bootId: FIRST, monotonicMs: 0 } }),
      found(FIRST, 2 * MINUTE_MS),
    ]);
    expect(gaps()).to.deep.equal([]);
  });

  it("is kept once, however often its level is told", async () => {
    await ledger.writer.takeIn([found(FIRST, 0)]);
    const after = found(SECOND, MINUTE_MS, { since: { bootId: FIRST, monotonicMs: MINUTE_MS } });
    await ledger.writer.takeIn([after]);
    await ledger.writer.takeIn([after]);
    expect(gaps()).to.have.length(1);
  });

  it("over a power cut begins where the boot before, by its own zero, is known to have come", async () => {
    await ledger.writer.takeIn([found(FIRST, 0)]);
    await ledger.writer.noteBoot(FIRST, ZERO_MS[FIRST]);
    const since = { bootId: FIRST, monotonicMs: MINUTE_MS };
    await ledger.writer.takeIn([found(SECOND, 5_000, { since })]);
    expect(gaps()).to.deep.equal([
      { fromTimeMs: ZERO_MS[FIRST] + MINUTE_MS, toTimeMs: ZERO_MS[SECOND] + 5_000 },
    ]);
  });

  it("after a boot whose clock was never trusted begins where that clock had it", async () => {
    await ledger.writer.takeIn([found(FIRST, 10_000, { believed: true })]);
    await ledger.writer.noteBoot(FIRST, null);
    const since = { bootId: FIRST, monotonicMs: MINUTE_MS };
    await ledger.writer.takeIn([found(SECOND, 5_000, { since })]);
    expect(gaps()).to.deep.equal([{ fromTimeMs: BELIEF_MS + MINUTE_MS, toTimeMs: ZERO_MS[SECOND] + 5_000 }]);
  });

  it("after a boot that saw nothing of the line, and no time, begins with the last that it told", async () => {
    await ledger.writer.takeIn([found(FIRST, 10_000)]);
    const since = { bootId: "boot without a clock", monotonicMs: 2_000 };
    await ledger.writer.noteBoot(since.bootId, null);
    await ledger.writer.takeIn([found(SECOND, 5_000, { since })]);
    expect(gaps()).to.deep.equal([
      { fromTimeMs: ZERO_MS[FIRST] + 10_000, toTimeMs: ZERO_MS[SECOND] + 5_000 },
    ]);
  });

  it("within a boot that is not trusted yet is moved as a whole once it is", async () => {
    await ledger.writer.takeIn([found(FIRST, 0, { believed: true })]);
    await ledger.writer.noteBoot(FIRST, null);
    const since = { bootId: FIRST, monotonicMs: MINUTE_MS };
    await ledger.writer.takeIn([found(FIRST, 3 * MINUTE_MS, { since, believed: true })]);
    expect(gaps()).to.deep.equal([
      { fromTimeMs: BELIEF_MS + MINUTE_MS, toTimeMs: BELIEF_MS + 3 * MINUTE_MS },
    ]);
    await settleTimes(ledger.writer, FIRST, ZERO_MS[FIRST]);
    expect(gaps()).to.deep.equal([
      { fromTimeMs: ZERO_MS[FIRST] + MINUTE_MS, toTimeMs: ZERO_MS[FIRST] + 3 * MINUTE_MS },
    ]);
  });

  it("that ends before the clock is trusted keeps its beginning when its end is moved", async () => {
    await ledger.writer.takeIn([found(FIRST, 0)]);
    await ledger.writer.noteBoot(FIRST, ZERO_MS[FIRST]);
    const since = { bootId: FIRST, monotonicMs: MINUTE_MS };
    await ledger.writer.takeIn([found(SECOND, 5_000, { since, believed: true })]);
    await settleTimes(ledger.writer, SECOND, ZERO_MS[SECOND]);
    expect(gaps()).to.deep.equal([
      { fromTimeMs: ZERO_MS[FIRST] + MINUTE_MS, toTimeMs: ZERO_MS[SECOND] + 5_000 },
    ]);
  });

  describe("'s beginning, the last sign of life,", () => {
    it("is unknown to a ledger with which no service ran", () => {
      expect(ledger.reader.lastAlive()).to.equal(undefined);
    });

    it("is the last note of the last boot", async () => {
      ledger.monotonicMs = MINUTE_MS;
      await ledger.writer.noteBoot(FIRST, null);
      ledger.monotonicMs = 5_000;
      await ledger.writer.noteBoot(SECOND, null);
      expect(ledger.reader.lastAlive()).to.deep.equal({ bootId: SECOND, monotonicMs: 5_000 });
    });

    it("is not what a line told after it: another's edge of before may wait for its commit", async () => {
      ledger.monotonicMs = 5_000;
      await ledger.writer.noteBoot(FIRST, null);
      await ledger.writer.takeIn([found(FIRST, MINUTE_MS)]);
      expect(ledger.reader.lastAlive()).to.deep.equal({ bootId: FIRST, monotonicMs: 5_000 });
    });
  });
});
