import { readdirSync } from "node:fs";
import { expect } from "chai";
import { VirtualTime } from "../../src/domain/clock.ts";
import { parseTrace, TraceWriter } from "../../src/gpio/trace.ts";
import { DEFAULT_REPLAY_WIRING, replay } from "../../src/service/replay.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";

/** Each level as `AT_MS LINE LEVEL OUTCOME`; found ones with an f. */
async function outcomesOf(text: string, wiring = DEFAULT_REPLAY_WIRING): Promise<readonly string[]> {
  const { levels, sales, gaps } = await replay(parseTrace("a trace", text), wiring);
  const rows = levels.map(({ atMs, line, high, found, outcome }) => {
    return `${atMs}${found ? "f" : ""} ${line} ${high ? "high" : "low"} ${outcome}`;
  });
  return [...rows, `sales ${sales}, gaps ${gaps}`];
}

describe("A trace that is run through the recorder", () => {
  const cases: readonly (readonly [what: string, trace: string, outcomes: readonly string[]])[] = [
    [
      "counts a relay that bounces once, where its level holds",
      "10 A high\n12 A low\n15 A high\n900 A low\n905 A high\n910 A low\n2000 A low",
      [
        ...["0f A low baseline", "10 A high debounced", "12 A low debounced", "15 A high sale"],
        ...["900 A low debounced", "905 A high debounced", "910 A low end", "2000 A low unchanged"],
        "sales 1, gaps 0",
      ],
    ],
    [
      "goes on with the same sale within the rearm time, by the wiring that the trace gives",
      "0 wire A 0 1000 active-high\n10 A high\n20 A low\n900 A high\n910 A low\n2000 A high",
      [
        ...["0f A low baseline", "10 A high sale", "20 A low end", "900 A high same_sale", "910 A low end"],
        ...["2000 A high sale", "sales 2, gaps 0"],
      ],
    ],
    [
      "reads a line that is active while low",
      "0 wire A 0 0 active-low\n10 A low\n20 A high",
      ["0f A high baseline", "10 A low sale", "20 A high end", "sales 1, gaps 0"],
    ],
    [
      "keeps a line under test apart, until the test ends by itself",
      "100 test A 1000\n200 A high\n400 A low\n2000 A high",
      ["0f A low baseline", "200 A high tested", "400 A low end", "2000 A high sale", "sales 1, gaps 0"],
    ],
    [
      "has a gap of each line where no service ran, and records nothing of it",
      "10 A high\n500 stop\n600 A low\n700 A high\n1000 start\n2000 A low",
      [
        ...["0f A low baseline", "10 A high sale", "600 A low unwatched", "700 A high unwatched"],
        ...["1000f A high nothing", "2000 A low end", "sales 1, gaps 1"],
      ],
    ],
    [
      "sees nothing of a line before it is wired",
      "10 A high\n20 A low\n100 wire A 0 0 active-high\n200 A high",
      [
        ...["10 A high unwatched", "20 A low unwatched", "100f A low baseline"],
        ...["200 A high sale", "sales 1, gaps 0"],
      ],
    ],
    [
      "takes a line whose first change is a fall for high before, and runs once through a trace that repeats",
      "10 A low\n500 A high\n9000 repeat",
      ["0f A high baseline", "10 A low end", "500 A high sale", "sales 1, gaps 0"],
    ],
  ];
  for (const [what, trace, outcomes] of cases) {
    it(what, async () => expect(await outcomesOf(trace)).to.deep.equal(outcomes));
  }

  it("gives each level the time of the trace's wall clock, also after that is set", async () => {
    const text = "0 time 2026-03-01T10:00:00Z\n100 A high\n500 time 2031-03-01T10:00:00Z\n1500 A low";
    const { levels } = await replay(parseTrace("a trace", text), DEFAULT_REPLAY_WIRING);
    expect(levels.map(({ timeMs }) => new Date(timeMs).toISOString())).to.deep.equal([
      "2026-03-01T10:00:00.000Z",
      "2026-03-01T10:00:00.100Z",
      "2031-03-01T10:00:01.000Z",
    ]);
  });

  it("leaves no ledger behind", async () => {
    const before = process.env["TMPDIR"];
    using directory = new TemporaryDirectory();
    try {
      process.env["TMPDIR"] = directory.path;
      await outcomesOf("10 A high");
      expect(readdirSync(directory.path)).to.deep.equal([]);
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
  });
});

describe("A trace that is written as things are seen", () => {
  it("is read as it was: levels, wiring, the service's end and start, and a clock that was set", async () => {
    const clock = new VirtualTime();
    const rows: string[] = [];
    const trace = new TraceWriter(clock, (row) => rows.push(row));
    clock.setWall(Date.UTC(2026, 2, 1));
    const see = (high: boolean, missed = 0) => {
      const [timeMs, monotonicMs] = [clock.nowMs(), Number(clock.monotonicNs() / 1_000_000n)];
      trace.level({ line: "GPIO17", high, missed, timeMs, monotonicMs });
    };
    trace.begin();
    trace.now({ kind: "wire", line: "GPIO17", debounceMs: 20, rearmMs: 0, activeLow: true });
    clock.advance(250);
    see(true);
    clock.advance(50);
    trace.now({ kind: "stop" });
    clock.advance(1_000);
    trace.now({ kind: "start" });
    see(false, 3);
    expect(rows).to.deep.equal([
      "0 time 1970-01-01T00:00:01.000Z",
      "0 wire GPIO17 20 0 active-low",
      "250 time 2026-03-01T00:00:00.250Z",
      "250 GPIO17 high",
      "300 stop",
      "1300 start",
      "# 3 edges of GPIO17 were lost here",
      "1300 GPIO17 low",
    ]);
    expect(parseTrace("a trace", rows.join("\n")).steps).to.have.length(7);
  });
});
