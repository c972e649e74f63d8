import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { boxBroker, type Config } from "../contract/config/schema.ts";
import { driveLine, listChips, type ShownSighting } from "../contract/line.ts";
import { type Clock, HOUR_MS, monotonicMs, NANOSECONDS_PER_MILLISECOND, SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { ChipInfo, Edge, LineDriver, LineInfo } from "../domain/line.ts";
import { DEFAULT_DEBOUNCE_MS } from "../domain/wiring.ts";
import { formatLine, resolveLine } from "../gpio/address.ts";
import { createDriver } from "../gpio/driver.ts";
import { TraceWriter } from "../gpio/trace.ts";
import { systemClock, systemTimers } from "../platform/machine.ts";
import { type ControlClient, withService } from "./api-access.ts";
import { AS_JSON, type CommandTable, command, flag, needed, several } from "./command.ts";
import { iso, type Terminal } from "./terminal.ts";
import { wiredRows } from "./wiring.ts";

/** A timer at this interval keeps the process running at no cost. */
const KEEP_AWAKE_MS = HOUR_MS;
/** How often it is looked for the next service, once one has ended. */
const SERVICE_RETRY_MS = SECOND_MS;

const LINES = several("[lines...]", "only these; none: all of them");

/** `flanco gpio`: what lines there are, and what they do. */
export const commands: CommandTable = [
  {
    name: "gpio",
    about: "chips and lines of this machine",
    help: "flanco gpio detect",
    rows: [
      command(
        "detect",
        "show every chip with its lines and who holds them",
        { json: AS_JSON },
        "flanco gpio detect",
        async ({ json }, call) => {
          const chips = await detect(call.config(), call.terminal);
          const lines = chips.flatMap((chip) => [
            `${chip.name} [${chip.label}] (${chip.lines.length} lines)`,
            ...chip.lines.map((line) => `  ${describe(line)}`),
          ]);
          call.terminal.show(json, chips, lines.length === 0 ? ["No GPIO chip was found."] : lines);
        },
      ),
      command(
        "info",
        "show one line: its chip, name and holder",
        { name: needed("<line>", "line name (GPIO17) or chip and offset (gpiochip0:17)"), json: AS_JSON },
        "flanco gpio info GPIO17",
        async ({ name, json }, call) => {
          const line = resolveLine(name, await detect(call.config(), call.terminal));
          call.terminal.show(json, line, [describe(line)]);
        },
      ),
      command(
        "watch",
        "show edges as they come, until Ctrl-C: of a running service's wired lines, else of free lines",
        { lines: LINES, json: flag("--json", "one JSON text a line") },
        "flanco gpio watch GPIO17 GPIO27",
        ({ lines, json }, call) => watch(call.config(), lines, call.terminal, json),
      ),
      command(
        "record",
        "write a trace of lines, until Ctrl-C, for 'flanco simulate': of a running service the wired lines as it sees them, else every change of free lines",
        { lines: LINES },
        "flanco gpio record > relays.trace",
        ({ lines }, call) => record(call.config(), lines, call.terminal),
      ),
      command(
        "set",
        "set a line of the running service's simulated driver",
        {
          line: needed("<line>", "the simulated line (SIM0)"),
          level: needed("<level>", "its physical level", ["high", "low"]),
        },
        "flanco gpio set SIM0 high",
        async ({ line, level }, call) => {
          const body = { line, level: level === "high" };
          await call.withRunning((service) => service.ask(driveLine, { body }));
          call.terminal.out(`${line} is ${level}.`);
        },
      ),
    ],
  },
];

function makeDriver(config: Config, terminal: Terminal): LineDriver {
  return createDriver(config.gpio_driver, {
    clock: systemClock,
    timers: systemTimers,
    warn: (text) => terminal.err(text),
    simulatedLineCount: config.simulated_lines,
    boxes: boxBroker(config, null),
  });
}

async function detect(config: Config, terminal: Terminal): Promise<readonly ChipInfo[]> {
  const found = await withService(config, (service) => service.ask(listChips, {}));
  if (found !== undefined) return found.data;
  const driver = makeDriver(config, terminal);
  await using closing = new AsyncDisposableStack();
  await driver.open();
  closing.defer(() => driver.close());
  return await driver.detect();
}

async function watch(
  config: Config,
  lines: readonly string[],
  terminal: Terminal,
  json: boolean,
): Promise<void> {
  terminal.endUnread();
  const show = (sighting: ShownSighting) =>
    terminal.out(json ? JSON.stringify(sighting) : describeEdge(sighting));
  const watched = await withService(config, async (service) => {
    await requireWired(service, lines);
    terminal.err("Watching wired lines of the running service. Ctrl-C ends it.");
    for await (const sighting of service.watch()) {
      if (lines.length === 0 || lines.includes(sighting.line)) show(sighting);
    }
    return true;
  });
  if (watched) return;
  const driver = makeDriver(config, terminal);
  await watchLines(driver, systemClock, lines, show, (names) => untilInterrupted(names, terminal));
}

/** Throws `not_found` for a line that the service does not watch: its silence would look like a dead line. */
async function requireWired(service: ControlClient, lines: readonly string[]): Promise<void> {
  const wired = new Set((await wiredRows(service)).map(({ line }) => line));
  const free = lines.filter((line) => !wired.has(line));
  if (free.length === 0) return;
  throw new FlancoError("not_found", `The running service watches no line called ${free.join(", ")}.`, {
    hint: "flanco wiring list shows those that it watches; on the page, Commissioning looks at free ones too.",
  });
}

async function untilInterrupted(names: readonly string[], terminal: Terminal): Promise<void> {
  // A signal's handler keeps no process running, and neither does every driver.
  const awake = setInterval(() => {}, KEEP_AWAKE_MS);
  // Listen first: a Ctrl-C may come as soon as the text is shown.
  const ended = once(process, "SIGINT");
  terminal.err(`Watching ${names.join(", ")}. Ctrl-C ends it.`);
  await ended;
  clearInterval(awake);
}

/**
 * Records until Ctrl-C: what the running service sees, and where
 * it is restarted what the next one sees; else these lines.
 */
async function record(config: Config, lines: readonly string[], terminal: Terminal): Promise<void> {
  terminal.endUnread();
  const trace = new TraceWriter(systemClock, (row) => terminal.out(row));
  const isWanted = (line: string) => lines.length === 0 || lines.includes(line);
  const show = ({ line, active, activeLow, ...seen }: ShownSighting) => {
    if (isWanted(line)) trace.level({ ...seen, line, high: active !== activeLow });
  };
  const recordService = async (service: ControlClient) => {
    for (const { line, debounce_ms, rearm_ms, active_low } of await wiredRows(service)) {
      const settings = { debounceMs: debounce_ms, rearmMs: rearm_ms, activeLow: active_low };
      if (isWanted(line)) trace.now({ kind: "wire", line, ...settings });
    }
    for await (const sighting of service.watch()) show(sighting);
    trace.now({ kind: "stop" });
  };
  trace.begin();
  const isRunning = await withService(config, async (service) => {
    await requireWired(service, lines);
    await recordService(service);
    return true;
  });
  if (!isRunning) {
    const driver = makeDriver(config, terminal);
    await watchLines(driver, systemClock, lines, show, (names) => untilInterrupted(names, terminal), 0);
    return;
  }
  for (;;) {
    await setTimeout(SERVICE_RETRY_MS);
    await withService(config, async (service) => {
      trace.now({ kind: "start" });
      await recordService(service);
    });
  }
}

function describe(line: LineInfo): string {
  const holder = line.holder === null ? "free" : `in use by "${line.holder}"`;
  return `${formatLine(line)}\t${line.name ?? "unnamed"}\t${holder}`;
}

function describeEdge({ line, active, timeMs, sequence, missed }: ShownSighting): string {
  const what = sequence === 0 ? "at start" : active ? "rising" : "falling";
  const lost = missed === 0 ? "" : `\t${missed} edge(s) lost before it`;
  return `${iso(timeMs)}\t${line}\t${active ? "high" : "low"}\t${what}${lost}`;
}

/**
 * Shows the edges of these lines, or of every free one where none is named, until
 * `during` ends, which is given their names. Records nothing. Rejects when a line
 * cannot be watched or is lost meanwhile. The driver is closed in any case.
 */
export async function watchLines(
  driver: LineDriver,
  clock: Clock,
  lines: readonly string[],
  show: (sighting: ShownSighting) => void,
  during: (names: readonly string[]) => Promise<void>,
  debounceMs = DEFAULT_DEBOUNCE_MS,
): Promise<void> {
  await driver.open();
  try {
    const lost = Promise.withResolvers<never>();
    // A line may be lost before anything awaits this promise.
    lost.promise.catch(() => {});
    const names = lines.length > 0 ? lines : freeLines(await driver.detect());
    for (const line of names) {
      const request = { line, activeLow: false, bias: "as-is", debounceMs } as const;
      const watched = await driver.watch(request);
      const showEdge = ({ active, timeNs, sequence, missed }: Edge) => {
        const agoMs = Number((clock.monotonicNs() - timeNs) / NANOSECONDS_PER_MILLISECOND);
        const times = { timeMs: clock.nowMs() - agoMs, monotonicMs: monotonicMs(clock) - agoMs };
        show({ line, active, activeLow: false, ...times, sequence, missed });
      };
      const timeNs = clock.monotonicNs();
      showEdge({ active: watched.initiallyActive, timeNs, sequence: 0, missed: 0 });
      watched.listen(showEdge, lost.reject);
    }
    await Promise.race([during(names), lost.promise]);
  } finally {
    await driver.close();
  }
}

function freeLines(chips: readonly ChipInfo[]): string[] {
  const free = chips.flatMap((chip) => chip.lines).filter((line) => line.holder === null);
  return free.map((line) => line.name ?? formatLine(line));
}
