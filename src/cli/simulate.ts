import { InvalidArgumentError } from "commander";
import { FlancoError } from "../domain/error.ts";
import { type Bounce, measureBounces } from "../domain/verdict.ts";
import { readTrace, type Trace } from "../gpio/trace.ts";
import { DEFAULT_REPLAY_WIRING, type Outcome, type ReplayedLevel, replay } from "../service/replay.ts";
import { AS_JSON, type CommandTable, command, flag, needed, optional } from "./command.ts";
import { iso } from "./terminal.ts";

const HELP = `
A trace is a text of one step a row, in order of time (docs/wiring.md). 'flanco gpio record' writes
one. The recorder runs over it by the trace's own time, on a ledger that is thrown away: the
appliance's ledger, lines and clock stay as they are. At the end it says how much each contact
bounces, and which debounce that asks for; a trace that was recorded while no service ran has all
of it.

Example:
  flanco simulate relays.trace --debounce 20`;

const WORDS: Readonly<Record<Outcome, string>> = {
  sale: "sale",
  same_sale: "no new sale: it was low for less than the rearm time",
  end: "the room is off",
  baseline: "the level at the start: no sale",
  nothing: "nothing: this level was recorded already",
  repeated: "nothing: this edge was recorded before",
  tested: "no sale: the line is under test",
  debounced: "nothing: it did not hold for the debounce",
  unchanged: "nothing: the line had this level",
  unwatched: "not seen: the line was not watched",
};

const OF_UNWIRED = "of lines that the trace does not wire";

/** `flanco simulate`: what the recorder would make of a trace, and why. */
export const commands: CommandTable = [
  command(
    "simulate",
    "show what would be recorded of a trace of lines, and why",
    {
      file: needed("<trace>", "file with the trace"),
      debounce: optional("--debounce <ms>", OF_UNWIRED, toWhole, DEFAULT_REPLAY_WIRING.debounceMs),
      rearm: optional("--rearm <ms>", OF_UNWIRED, toWhole, DEFAULT_REPLAY_WIRING.rearmMs),
      activeLow: flag("--active-low", "lines that the trace does not wire are active while low"),
      json: AS_JSON,
    },
    HELP,
    async ({ file, debounce, rearm, activeLow, json }, { terminal }) => {
      const trace = traceOf(file);
      const result = await replay(trace, { debounceMs: debounce, rearmMs: rearm, activeLow });
      // A trace that was recorded from a running service has no bounce: the kernel has debounced its lines.
      const bounces = measureBounces(
        result.levels.filter(({ found, outcome }) => !found && outcome !== "unchanged"),
      );
      const gaps = result.gaps === 0 ? "" : `, gaps in which sales may be missing: ${result.gaps}`;
      terminal.show(json, { ...result, bounces }, [
        ...result.levels.map(describe),
        ...bounces.map(describeBounce),
        `Sales: ${result.sales}${gaps}.`,
      ]);
    },
  ),
];

/** Reads the trace. Its mistakes are `invalid`, because it is named on the command line and is no setting. */
function traceOf(file: string): Trace {
  try {
    return readTrace(file);
  } catch (error) {
    if (!(error instanceof FlancoError)) throw error;
    throw new FlancoError("invalid", error.message, { hint: error.hint, cause: error });
  }
}

function describe({ atMs, timeMs, line, high, found, outcome }: ReplayedLevel): string {
  const level = `${high ? "high" : "low"}${found ? " (found)" : ""}`;
  return [`${atMs} ms`, iso(timeMs), line, level, WORDS[outcome]].join("\t");
}

function describeBounce({ line, switchings, mostEdges, longestMs, debounceMs }: Bounce): string {
  const bounce =
    mostEdges === 1
      ? "no bounce"
      : `at most ${mostEdges} edges in ${longestMs} ms: a debounce of ${debounceMs} ms or more`;
  return `${line}: ${switchings} switchings, ${bounce}.`;
}

function toWhole(text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number of milliseconds.");
  return Number(text);
}
