import { expect } from "chai";
import fc from "fast-check";
import {
  type ContactSettings,
  judgeRoom,
  measureBounces,
  type Observation,
  type Prompt,
  type SeenLevel,
  SILENT_MS,
} from "../../src/domain/verdict.ts";

const edges = (line: string, ...times: readonly number[]) => times.map((atMs) => ({ line, atMs }));

describe("The bounce of a contact", () => {
  it("is none where each switching is one edge: the default debounce does", () => {
    expect(measureBounces(edges("GPIO17", 1_000, 2_000, 3_000))).to.deep.equal([
      { line: "GPIO17", switchings: 3, mostEdges: 1, longestMs: 0, debounceMs: 50 },
    ]);
  });

  it("is measured over all edges of a switching, and asks for twice its longest time", () => {
    const [bounce] = measureBounces(edges("GPIO17", 1_000, 1_003, 1_010, 1_041, 9_000, 9_001, 9_002));
    expect(bounce).to.deep.equal({
      line: "GPIO17",
      switchings: 2,
      mostEdges: 4,
      longestMs: 41,
      debounceMs: 90,
    });
  });

  it("is each line's own", () => {
    const changes = [...edges("SIM1", 0, 5), ...edges("SIM0", 5)];
    expect(measureBounces(changes).map(({ line, mostEdges }) => [line, mostEdges])).to.deep.equal([
      ["SIM0", 1],
      ["SIM1", 2],
    ]);
  });

  it("ends where the contact rests for longer than a switching takes", () => {
    const [bounce] = measureBounces(edges("GPIO17", 0, 200, 401));
    expect(bounce).to.include({ switchings: 2, longestMs: 200 });
  });
});

const NOW_MS = 100_000;
const WIRED = { line: "GPIO17", activeLow: false, bias: "pull-down", debounceMs: 50 } as const;
const ASKED: Prompt = { waitedMs: 0, otherLine: null };

/** Levels of a line that begins at rest, one for each time. */
function seen(times: readonly number[], restActive = false, overflowed = false): Observation {
  const levels = times.map((atMs, index): SeenLevel => ({ atMs, active: (index % 2 === 0) !== restActive }));
  return { restActive, levels, overflowed };
}

/** On after so many edges, and off a second later after as many. */
function bouncing(edges: number, apartMs: number): number[] {
  const burst = (fromMs: number) => Array.from({ length: edges }, (_, index) => fromMs + index * apartMs);
  return [...burst(1_000), ...burst(1_000 + edges * apartMs + 1_000)];
}

interface Case {
  readonly what: string;
  readonly settings?: Partial<ContactSettings>;
  readonly seen: Observation;
  readonly asking?: Prompt | null;
  readonly verdict: string | null;
  readonly cause?: string;
  readonly mend?: object | null;
}

const CASES: readonly Case[] = [
  { what: "a clean switching on and off is good", seen: seen([1_000, 2_000]), verdict: "good" },
  { what: "a room that was only switched on is not known yet", seen: seen([1_000]), verdict: null },
  { what: "one short pulse is not known yet", seen: seen([1_000, 1_010]), verdict: null },
  {
    what: "a level that has not settled is not known yet",
    seen: seen([1_000, NOW_MS - 100]),
    verdict: null,
  },
  { what: "bounce that the debounce covers twice is good", seen: seen(bouncing(3, 12)), verdict: "good" },
  {
    what: "bounce beyond half the debounce is chattering, and twice the bounce mends it",
    seen: seen(bouncing(3, 15)),
    verdict: "chattering",
    cause: "bounce",
    mend: { setting: "debounce", debounceMs: 60 },
  },
  {
    what: "a line without debounce chatters as soon as it bounces, and the usual debounce mends it",
    settings: { debounceMs: 0 },
    seen: seen(bouncing(3, 1)),
    verdict: "chattering",
    cause: "bounce",
    mend: { setting: "debounce", debounceMs: 50 },
  },
  { what: "a room that was just asked for is not silent yet", seen: seen([]), asking: ASKED, verdict: null },
  {
    what: "a room whose line does not move is silent, and no setting mends that",
    seen: seen([]),
    asking: { waitedMs: SILENT_MS, otherLine: null },
    verdict: "silent",
    cause: "no_signal",
    mend: null,
  },
  {
    what: "a low line without a bias that does not move lacks the pull-up that its contact to ground needs",
    settings: { bias: "as-is", activeLow: true },
    seen: seen([], true),
    asking: { waitedMs: SILENT_MS, otherLine: null },
    verdict: "silent",
    cause: "no_pull_up",
    mend: { setting: "bias", bias: "pull-up", activeLow: true },
  },
  {
    what: "a high line without a bias that does not move is pulled up already",
    settings: { bias: "as-is", activeLow: true },
    seen: seen([]),
    asking: { waitedMs: SILENT_MS, otherLine: null },
    verdict: "silent",
    cause: "no_signal",
    mend: null,
  },
  { what: "a room that was not asked for is never silent", seen: seen([]), asking: null, verdict: null },
  {
    what: "a line that goes inactive when its relay is switched on is inverted",
    seen: seen([1_000], true),
    asking: ASKED,
    verdict: "inverted",
    cause: "polarity",
    mend: { setting: "polarity", activeLow: true },
  },
  {
    what: "an inverted line that is active-low is mended by active-high",
    settings: { activeLow: true, bias: "pull-up" },
    seen: seen([1_000], true),
    asking: ASKED,
    verdict: "inverted",
    mend: { setting: "polarity", activeLow: false, bias: "pull-up" },
  },
  {
    what: "a line that was active at first is not judged where its room was not asked for: it may have been on",
    seen: seen([1_000, 2_000], true),
    asking: null,
    verdict: null,
  },
  {
    what: "where another line moved, the two are swapped",
    seen: seen([]),
    asking: { waitedMs: 500, otherLine: "GPIO27" },
    verdict: "swapped",
    cause: "other_line",
    mend: { setting: "line", line: "GPIO27", bias: "pull-down" },
  },
  {
    what: "a line that moves with its own relay is not swapped, whatever else moves",
    seen: seen([1_000, 2_000]),
    asking: { waitedMs: 500, otherLine: "GPIO27" },
    verdict: "good",
  },
  {
    what: "a line that moves on and on without a bias is floating, and a bias towards rest mends it",
    settings: { bias: "as-is" },
    seen: seen(Array.from({ length: 90 }, (_, index) => 1_000 + index * 10)),
    verdict: "floating",
    cause: "no_bias",
    mend: { setting: "bias", bias: "pull-down" },
  },
  {
    what: "an active-low line that floats needs a pull-up",
    settings: { bias: "disabled", activeLow: true },
    seen: seen([1_000], false, true),
    verdict: "floating",
    cause: "no_bias",
    mend: { setting: "bias", bias: "pull-up" },
  },
  {
    what: "a line with a bias that floats has a loose wire, which no setting mends",
    seen: seen([1_000], false, true),
    verdict: "floating",
    cause: "loose_wire",
    mend: null,
  },
  {
    what: "a hundred edges in one switching are floating, however short it is",
    seen: seen(Array.from({ length: 100 }, (_, index) => 1_000 + index)),
    verdict: "floating",
    cause: "loose_wire",
  },
  {
    what: "short pulses again and again are floating",
    seen: seen([1_000, 1_010, 3_000, 3_005, 7_000, 7_020]),
    verdict: "floating",
    cause: "loose_wire",
  },
];

describe("The verdict on a room", () => {
  for (const { what, settings = {}, seen: observed, asking = null, verdict, cause, mend } of CASES) {
    it(what, () => {
      const found = judgeRoom({ ...WIRED, ...settings }, observed, asking, NOW_MS);
      expect(found.verdict).to.equal(verdict);
      if (cause !== undefined) expect(found.cause).to.equal(cause);
      if (mend === null || verdict === "good") expect(found.mend).to.equal(null);
      else if (mend !== undefined) expect(found.mend).to.deep.include(mend);
    });
  }

  it("says what was measured: switchings, edges, the longest bounce and the physical level at rest", () => {
    const { measured } = judgeRoom({ ...WIRED, activeLow: true }, seen(bouncing(3, 2.4)), null, NOW_MS);
    expect(measured).to.deep.equal({ switchings: 2, edges: 6, mostEdges: 3, longestMs: 5, restHigh: true });
  });

  it("is unwired for a room without a line, which takes the line that moved", () => {
    const none = judgeRoom(null, seen([]), ASKED, NOW_MS);
    expect(none).to.deep.include({ verdict: "unwired", cause: "no_line", mend: null });
    const { mend } = judgeRoom(null, seen([]), { waitedMs: 0, otherLine: "GPIO22" }, NOW_MS);
    const usual = { activeLow: false, bias: "as-is", debounceMs: 50 };
    expect(mend).to.deep.include({ setting: "line", line: "GPIO22", ...usual });
  });

  it("of a contact that bounces for any time is good or chattering, and good once it is mended", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }).map((half) => half * 2 - 1),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 0, max: 1_000 }),
        (edges, spanMs, debounceMs) => {
          const observed = seen(bouncing(edges, edges === 1 ? 0 : spanMs / (edges - 1)));
          const wired = { ...WIRED, debounceMs };
          const { verdict, mend } = judgeRoom(wired, observed, null, NOW_MS);
          expect(verdict).to.be.oneOf(["good", "chattering"]);
          if (verdict === "good") expect(mend).to.equal(null);
          const mended = judgeRoom({ ...wired, ...mend }, observed, null, NOW_MS);
          expect(mended.verdict).to.equal("good");
        },
      ),
    );
  });
});
