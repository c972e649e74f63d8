import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { InvalidArgumentError } from "commander";
import * as z from "zod";
import { parseDay } from "../domain/day.ts";
import { FlancoError } from "../domain/error.ts";
import { parseJson } from "../domain/text.ts";
import { type CommandTable, command, flag, optional } from "./command.ts";

/** The names of pino's levels, by number. */
const LEVELS = new Map([
  [20, "debug"],
  [30, "info"],
  [40, "warning"],
  [50, "error"],
]);
const WARNING = 40;
/** The most lines that are shown, the newest ones. */
const MAX_LINES = 10_000;

const logLine = z.looseObject({
  level: z.int(),
  time: z.number(),
  msg: z.string().default(""),
  code: z.string().optional(),
  err: z.looseObject({ stack: z.string().default("") }).optional(),
});
/** One line of the service's log, as pino writes it. */
type LogLine = z.output<typeof logLine>;

/** Fields that are not shown: every line has them, or its message tells them. */
const UNSHOWN = new Set(["level", "time", "msg", "pid", "hostname", "err"]);

const HELP = `
It reads the journal, which root and the groups adm and systemd-journal may do.

Example:
  flanco logs
  flanco logs --since yesterday --warnings`;

/** `flanco logs`: the service's log of the last day, as sentences. */
export const commands: CommandTable = [
  command(
    "logs",
    "show the service's log, one sentence a line, with its local time",
    {
      since: optional("--since <when>", "from this time on, as journalctl takes it", toSince, "24 hours ago"),
      warnings: flag("--warnings", "only warnings and errors"),
      unit: optional("--unit <unit>", "the systemd unit", String, "flanco.service"),
      json: flag("--json", "the lines as the service wrote them"),
    },
    HELP,
    async ({ since, warnings, unit, json }, { terminal }) => {
      let shown = 0;
      const filters = [`--unit=${unit}`, `--since=${since}`];
      for await (const text of journalLines(filters, MAX_LINES)) {
        const line = parseLogLine(text);
        if (warnings && (line === undefined || line.level < WARNING)) continue;
        shown += 1;
        terminal.out(json || line === undefined ? text : describe(line));
      }
      if (shown > 0) return;
      // journalctl does not say that a user sees only their own lines.
      terminal.err(`The journal has no matching line since ${since}. Root sees all: sudo flanco logs.`);
    },
  ),
];

/** Parses a moment for journalctl, which itself takes the 30th of February for the 2nd of March. */
function toSince(text: string): string {
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(text) ?? [];
  if (day !== undefined && parseDay(day) === undefined)
    throw new InvalidArgumentError("There is no such day.");
  return text;
}

/** Undefined for a line of systemd, or of the runtime. */
export function parseLogLine(text: string): LogLine | undefined {
  return parseJson(logLine, text);
}

function describe(line: LogLine): string {
  // Swedish dates are written as ISO 8601 has them.
  const time = new Date(line.time).toLocaleString("sv-SE");
  const fields = Object.entries(line).filter(([name]) => !UNSHOWN.has(name));
  const values = fields.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ");
  const level = LEVELS.get(line.level) ?? "fatal";
  return `${time}  ${level.padEnd(7)}  ${line.msg}${values === "" ? "" : `  (${values})`}`;
}

/**
 * The newest lines of systemd's journal, in their order, as their programs wrote
 * them. The filters are options of journalctl. Throws `unavailable` where there
 * is no journal or it may not be read, after the lines that could be read.
 */
export async function* journalLines(filters: readonly string[], maxLines: number): AsyncGenerator<string> {
  const options = [...filters, `--lines=${maxLines}`, "--output=cat", "--no-pager", "--quiet"];
  const child = spawn("journalctl", options, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "close");
  // Awaited below, after the last line.
  ended.catch(() => {});
  yield* createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY });
  const [exitCode] = await ended.catch((error: unknown) => {
    throw new FlancoError("unavailable", "journalctl cannot be started.", {
      hint: "Without systemd the service writes its log to standard error.",
      cause: error,
    });
  });
  if (exitCode !== 0) {
    throw new FlancoError("unavailable", `journalctl failed: ${said.trim().replace(/\.?$/, ".")}`, {
      hint: "Times are written as 2026-11-21 09:00, yesterday or 3 days ago. Where it may not read, run it as root: sudo flanco logs.",
    });
  }
}
