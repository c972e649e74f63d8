import { Argument, type Command } from "commander";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/schema.ts";
import { RemoteOperations } from "../control/client.ts";
import type { SightingMessage } from "../control/message.ts";
import { noService } from "../control/operation.ts";
import type { ChipInfo, LineDriver, LineInfo } from "../domain/line.ts";
import { formatLine, resolveLine } from "../gpio/address.ts";
import { createDriver } from "../gpio/driver.ts";
import { systemTimers } from "../gpio/timers.ts";
import { type CliContext, configOf } from "./context.ts";
import { LineWatch } from "./line-watch.ts";
import { placeOf } from "./place.ts";
import type { Terminal } from "./terminal.ts";

/** A timer that comes this seldom costs nothing. */
const KEEP_AWAKE_MS = 3_600_000;

/** `flanco gpio`: what lines there are, and what they do. */
export function addGpioCommands(program: Command, context: CliContext): void {
  const { terminal } = context;
  const gpio = program
    .command("gpio")
    .description("chips and lines of this machine")
    .addHelpText("after", "\nExample:\n  flanco gpio detect");

  gpio
    .command("detect")
    .description("show every chip with its lines and who holds them")
    .option("--json", "as JSON", false)
    .addHelpText("after", "\nExample:\n  flanco gpio detect")
    .action(async (options: { json: boolean }, command: Command) => {
      const chips = await detect(configOf(context, command), terminal);
      if (options.json) {
        terminal.json(chips);
        return;
      }
      if (chips.length === 0) terminal.out("No GPIO chip was found.");
      for (const chip of chips) {
        terminal.out(`${chip.name} [${chip.label}] (${chip.lines.length} lines)`);
        for (const line of chip.lines) terminal.out(`  ${describe(line)}`);
      }
    });

  gpio
    .command("info")
    .description("show one line: its chip, name and holder")
    .argument("<line>", "line name (GPIO17) or chip and offset (gpiochip0:17)")
    .option("--json", "as JSON", false)
    .addHelpText("after", "\nExample:\n  flanco gpio info GPIO17")
    .action(async (name: string, options: { json: boolean }, command: Command) => {
      const line = resolveLine(name, await detect(configOf(context, command), terminal));
      if (options.json) terminal.json(line);
      else terminal.out(describe(line));
    });

  gpio
    .command("watch")
    .description(
      "show edges as they come, until Ctrl-C: the wired lines of a running service, or lines named here",
    )
    .argument("[lines...]", "lines to watch while no service runs; none: every free line")
    .option("--json", "one JSON text a line", false)
    .addHelpText("after", "\nExample:\n  flanco gpio watch GPIO17 GPIO27")
    .action(async (lines: string[], options: { json: boolean }, command: Command) => {
      await watch(configOf(context, command), lines, terminal, options.json);
    });

  gpio
    .command("set")
    .description("set a line of the running service's simulated driver")
    .argument("<line>", "the simulated line (SIM0)")
    .addArgument(new Argument("<level>", "its physical level").choices(["high", "low"]))
    .addHelpText("after", "\nExample:\n  flanco gpio set SIM0 high")
    .action(async (line: string, level: string, _options: object, command: Command) => {
      const remote = await RemoteOperations.connect(placeOf(configOf(context, command).data_dir).control);
      if (remote === undefined) throw noService();
      try {
        await remote.call("setLine", { line, high: level === "high" });
      } finally {
        remote.close();
      }
      terminal.out(`${line} is ${level}.`);
    });
}

function makeDriver(config: Config, terminal: Terminal): LineDriver {
  return createDriver(config.gpio_driver, {
    clock: systemClock,
    timers: systemTimers,
    warn: (text) => terminal.err(text),
    simulatedLineCount: config.simulated_lines,
  });
}

async function detect(config: Config, terminal: Terminal): Promise<readonly ChipInfo[]> {
  const remote = await RemoteOperations.connect(placeOf(config.data_dir).control);
  if (remote !== undefined) {
    try {
      return await remote.call("detect", {});
    } finally {
      remote.close();
    }
  }
  const driver = makeDriver(config, terminal);
  await driver.open();
  try {
    return await driver.detect();
  } finally {
    await driver.close();
  }
}

async function watch(
  config: Config,
  lines: readonly string[],
  terminal: Terminal,
  json: boolean,
): Promise<void> {
  const show = (sighting: SightingMessage) =>
    terminal.out(json ? JSON.stringify(sighting) : describeEdge(sighting));
  const remote = await RemoteOperations.connect(placeOf(config.data_dir).control);
  if (remote !== undefined) {
    for await (const sighting of remote.watch()) {
      if (lines.length === 0 || lines.includes(sighting.line)) show(sighting);
    }
    return;
  }
  const watch = new LineWatch(makeDriver(config, terminal), systemClock, show);
  await watch.run(lines, async (names) => {
    // A Ctrl-C may follow the words at once: whoever waits for it is there before them.
    const ended = interrupted();
    terminal.err(`Watching ${names.join(", ")}. Ctrl-C ends it.`);
    await ended;
  });
}

/** Resolves at Ctrl-C. A signal's handler keeps no process running, and neither does every driver. */
async function interrupted(): Promise<void> {
  const awake = setInterval(() => {}, KEEP_AWAKE_MS);
  await new Promise<void>((resolve) => process.once("SIGINT", () => resolve()));
  clearInterval(awake);
}

function describe(line: LineInfo): string {
  const holder = line.holder === null ? "free" : `in use by "${line.holder}"`;
  return `${formatLine(line)}\t${line.name ?? "unnamed"}\t${holder}`;
}

function describeEdge({ line, active, timeMs, sequence, missed }: SightingMessage): string {
  const what = sequence === 0 ? "at start" : active ? "rising" : "falling";
  const lost = missed === 0 ? "" : `\t${missed} edge(s) lost before it`;
  return `${new Date(timeMs).toISOString()}\t${line}\t${active ? "high" : "low"}\t${what}${lost}`;
}
