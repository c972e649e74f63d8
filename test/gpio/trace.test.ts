import { readFileSync } from "node:fs";
import { expect } from "chai";
import { VirtualTime } from "../../src/domain/clock.ts";
import { SimulatedDriver } from "../../src/gpio/simulated.ts";
import { parseTrace, TracePlayer } from "../../src/gpio/trace.ts";
import { thrown } from "../rig/rejection.ts";

const TIME = new VirtualTime();
const CHIPS = await new SimulatedDriver({ clock: TIME, timers: TIME, lineCount: 20 }).detect();

describe("A trace file", () => {
  it("is parsed into steps in order of time, without comments and empty rows", () => {
    const text =
      "# relays\n0 SIM0 high\n\n  250\tsimchip0:1 high # by offset\r\n250 SIM0 low\n1000 repeat\n\n# end\n";
    expect(parseTrace("day.trace", text, CHIPS)).to.deep.equal({
      steps: [
        { kind: "level", atMs: 0, line: "SIM0", high: true },
        { kind: "level", atMs: 250, line: "simchip0:1", high: true },
        { kind: "level", atMs: 250, line: "SIM0", high: false },
      ],
      repeatAtMs: 1_000,
    });
    expect(parseTrace("day.trace", "", CHIPS)).to.deep.equal({ steps: [], repeatAtMs: null });
  });

  it("is refused with all its mistakes at once, each with its row", () => {
    const text = [
      "100 SIM0 high",
      "50 SIM0 low",
      "-1 SIM0 high",
      "1.5 SIM0 high",
      "200 SIM99 high",
      "300 SIM0 up",
      "400 SIM0",
      "500 SIM0 high now",
      "550 time 2026-02-30T09:00:00Z",
      "soon repeat",
      "600 SIM0 high",
    ].join("\n");
    const error = thrown(() => parseTrace("day.trace", text, CHIPS));
    expect(error.code).to.equal("config");
    expect(error.message.split("\n  ")).to.deep.equal([
      "The trace day.trace has mistakes:",
      "row 2: 50 ms is before the row above (100 ms)",
      "row 3: '-1' is not a time in whole milliseconds from 0 to 1728000000",
      "row 4: '1.5' is not a time in whole milliseconds from 0 to 1728000000",
      "row 5: No line is called SIM99.",
      "row 6: 'SIM0 up' is not a step of a trace",
      "row 7: 'SIM0' is not a step of a trace",
      "row 8: 'SIM0 high now' is not a step of a trace",
      "row 9: '2026-02-30T09:00:00Z' is not a date and time",
      "row 10: 'soon' is not a time in whole milliseconds from 0 to 1728000000",
      "row 11: nothing may follow the row that repeats",
    ]);
  });

  it("is refused when it would repeat after 0 ms", () => {
    expect(thrown(() => parseTrace("day.trace", "0 SIM0 high\n0 repeat", CHIPS)).message).to.contain("row 2");
  });
});

describe("A trace's player", () => {
  function play(text: string): { time: VirtualTime; log: string[]; player: TracePlayer } {
    const time = new VirtualTime();
    const startMs = time.nowMs();
    const log: string[] = [];
    const lines = {
      set: (line: string, high: boolean) =>
        log.push(`${time.nowMs() - startMs} ${line} ${high ? "high" : "low"}`),
    };
    const player = new TracePlayer(parseTrace("day.trace", text, CHIPS), {
      lines,
      clock: time,
      timers: time,
    });
    return { time, log, player };
  }

  it("sets each level at its time and stops after the last", async () => {
    const { time, log, player } = play("0 SIM0 high\n10 SIM1 high\n10 SIM0 low\n25 SIM1 low");
    await player.open();
    time.advance(10);
    expect(log).to.deep.equal(["0 SIM0 high", "10 SIM1 high", "10 SIM0 low"]);
    time.advance(1_000);
    expect(log.slice(3)).to.deep.equal(["25 SIM1 low"]);
    expect(time.pendingTimers).to.equal(0);
  });

  it("starts again where it repeats, without drift", async () => {
    const { time, log, player } = play("5 SIM0 high\n10 SIM0 low\n100 repeat");
    await player.open();
    time.advance(310);
    expect(log).to.deep.equal(
      [0, 100, 200, 300].flatMap((from) => [`${from + 5} SIM0 high`, `${from + 10} SIM0 low`]),
    );
  });

  it("catches up in order after the process was busy, and is on time again", async () => {
    const { time, log, player } = play("5 SIM0 high\n10 SIM0 low\n50 SIM1 high\n100 repeat");
    await player.open();
    time.stall(20);
    time.advance(0);
    time.advance(40);
    expect(log).to.deep.equal(["20 SIM0 high", "20 SIM0 low", "50 SIM1 high"]);
  });

  it("sets nothing more once it is closed", async () => {
    const { time, log, player } = play("5 SIM0 high\n10 SIM0 low\n20 repeat");
    await player.open();
    time.advance(5);
    await player.close();
    time.advance(100);
    expect(log).to.deep.equal(["5 SIM0 high"]);
  });
});

describe("The demo's trace", () => {
  const trace = parseTrace("demo", readFileSync("demo/relays.trace", "utf8"), CHIPS);

  it("switches a room on within ten seconds, and one each half minute after that, also where it repeats", () => {
    const rises = trace.steps.filter((step) => step.kind === "level" && step.high).map(({ atMs }) => atMs);
    expect(rises[0]).to.be.lessThan(10_000);
    const again = (trace.repeatAtMs ?? Number.NaN) + (rises[0] ?? Number.NaN);
    for (const [index, atMs] of [...rises.slice(1), again].entries()) {
      expect(atMs - (rises[index] ?? Number.NaN)).to.be.within(20_000, 40_000);
    }
  });

  it("switches every room on and off, changes a level in each row, and ends with all rooms low", () => {
    const high = new Set<string>();
    const sold = new Set<string>();
    for (const step of trace.steps) {
      if (step.kind !== "level") expect.fail(`${step.atMs} is no level`);
      expect(high.has(step.line), `${step.atMs} ${step.line}`).to.equal(!step.high);
      if (step.high) {
        high.add(step.line);
        sold.add(step.line);
      } else {
        high.delete(step.line);
      }
    }
    expect(sold).to.deep.equal(new Set(Array.from({ length: 20 }, (_, line) => `SIM${line}`)));
    expect([...high]).to.deep.equal([]);
  });
});
