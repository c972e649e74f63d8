import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import { parse, stringify } from "smol-toml";
import * as z from "zod";
import { importWirings, listWirings, removeWiring, setWiring } from "../contract/wiring.ts";
import { FlancoError } from "../domain/error.ts";
import { MAX_LINES } from "../domain/line.ts";
import { inOrder } from "../domain/text.ts";
import { notWired } from "../domain/wiring.ts";
import { mistakeOf } from "../platform/mistake.ts";
import { describeUnreadable } from "../service/config-file.ts";
import { accountsOf, ownersOfDevices } from "./account.ts";
import type { CliContext } from "./context.ts";
import type { ControlClient } from "./control-client.ts";
import { withDoor } from "./door.ts";
import type { Terminal } from "./terminal.ts";
import { toRow, toWiring, type WiringRow, wiringRow } from "./wiring-file.ts";

const wiringFile = z.strictObject({ wiring: z.array(wiringRow).max(MAX_LINES).default([]) });

const EXAMPLE = "\nExample:\n  flanco wiring set GPIO17 --device 7234 --room 101 --valor 4.50";
const SET_HELP = `
It sets the line anew: what an option leaves out gets its default, also on a line that was wired otherwise.
flanco wiring list shows what is set.

Examples:
  flanco wiring set GPIO17 --device 7234 --room 101 --valor 4.50
  flanco wiring set GPIO17 --device 7234 --room 101 --valor 5.00 --active-low --bias pull-up`;

interface SetOptions {
  readonly device: string;
  readonly room: string;
  readonly valor: number;
  readonly activeLow: boolean;
  readonly bias?: WiringRow["bias"];
  readonly debounceMs?: number;
  readonly rearmMs?: number;
  readonly user?: string;
}

/** `flanco wiring`: which line is which room. */
export function declare(program: Command, context: CliContext): void {
  const { terminal } = context;
  const wiring = program
    .command("wiring")
    .description("which line is which room")
    .addHelpText("after", EXAMPLE);

  wiring
    .command("list")
    .description("show the wired lines and whether they are watched")
    .option("--json", "as JSON", false)
    .addHelpText("after", "\nExample:\n  flanco wiring list")
    .action(async (options: { json: boolean }, command: Command) => {
      const rows = await withDoor(context, command, wiredRows);
      const lines = rows.map((row) => {
        const isShared = rows.some(({ device, user }) => device === row.device && user !== row.user);
        return describe(row, row.state, isShared ? ` of ${row.user}` : "");
      });
      terminal.show(options.json, rows, lines.length === 0 ? ["No line is wired."] : lines);
    });

  wiring
    .command("set")
    .description("wire a line to a room, or change its settings; a running service takes it up at once")
    .argument("<line>", "line name (GPIO17) or chip and offset (gpiochip0:17)")
    .requiredOption("--device <dId>", "the device's dId")
    .requiredOption("--room <actuator>", "the actuator's id, which is the room's number")
    .requiredOption("--valor <price>", "price of one sale", toNumber)
    .option("--active-low", "the line is low while the relay is on", false)
    .option("--bias <bias>", "as-is, disabled, pull-up or pull-down")
    .option("--debounce-ms <ms>", "a level must hold this long (default 50)", toNumber)
    .option("--rearm-ms <ms>", "a new high this soon after a low is the same sale (default 0)", toNumber)
    .option("--user <email>", "whose device, where several users have that dId")
    .addHelpText("after", SET_HELP)
    .action(async (line: string, options: SetOptions, command: Command) => {
      const { user, room, device, valor } = options;
      const row = {
        line,
        device,
        actuator: room,
        valor,
        active_low: options.activeLow,
        bias: options.bias,
        debounce_ms: options.debounceMs,
        rearm_ms: options.rearmMs,
      };
      await withDoor(context, command, async (door) => {
        const { email } = (await ownersOfDevices(door))(device, user);
        await door.ask(setWiring, { body: { wiring: toWiring(row) } }, email);
      });
      const settings = describeSettings(wiringRow.parse(row));
      terminal.out(`${line} is wired to room ${room} of device ${device}: ${settings}.`);
    });

  wiring
    .command("remove")
    .description("unwire a line; its records are kept")
    .argument("<line>", "one of the line's names, as for `wiring set`")
    .addHelpText("after", "\nExample:\n  flanco wiring remove GPIO17")
    .action(async (line: string, _options: object, command: Command) => {
      await withDoor(context, command, (door) => unwire(door, line));
      terminal.out(`${line} is not wired any more.`);
    });

  wiring
    .command("export")
    .description("write all wiring as TOML to standard output")
    .addHelpText("after", "\nExample:\n  flanco wiring export > wiring.toml")
    .action(async (_options: object, command: Command) => {
      const rows = await withDoor(context, command, wiredRows);
      terminal.out(stringify({ wiring: rows.map(({ state, ...row }) => row) }).trimEnd());
    });

  wiring
    .command("import")
    .description("wire every line of a TOML file, as export writes it; - reads standard input")
    .argument("<file>", "the TOML file")
    .option("--user <email>", "the user of all devices, in place of the file's")
    .addHelpText("after", "\nExample:\n  flanco wiring import wiring.toml")
    .action(async (file: string, options: { user?: string }, command: Command) => {
      const rows = await readRows(terminal, file);
      await withDoor(context, command, async (door) => {
        const ownerOf = await ownersOfDevices(door);
        const wirings = rows.map((row) => ({
          ...toWiring(row),
          userId: ownerOf(row.device, options.user ?? row.user).userId,
        }));
        await door.ask(importWirings, { body: { wirings } });
      });
      terminal.out(`${rows.length} line(s) wired.`);
    });
}

/** The wired lines of all accounts, as people count them. */
export async function wiredRows(door: ControlClient) {
  const rows: (ReturnType<typeof toRow> & { readonly user: string; readonly state: string })[] = [];
  for (const { email } of await accountsOf(door)) {
    const { data } = await door.ask(listWirings, {}, email);
    for (const wiring of data) {
      const state = wiring.problem ?? (wiring.watched ? "watched" : "not watched");
      rows.push({ ...toRow(wiring), user: email, state });
    }
  }
  return rows.toSorted((one, other) => inOrder(one.line, other.line));
}

/** Unwires a line of whichever account. */
async function unwire(door: ControlClient, line: string): Promise<void> {
  for (const { email } of await accountsOf(door)) {
    try {
      await door.ask(removeWiring, { query: { line } }, email);
      return;
    } catch (error) {
      if (!(error instanceof FlancoError) || error.code !== "not_found") throw error;
    }
  }
  throw notWired(line);
}

/** The rows of a file, or of standard input for `-`. Throws `invalid` with every mistake and its place. */
async function readRows(terminal: Terminal, file: string): Promise<WiringRow[]> {
  let content: unknown;
  try {
    content = parse(file === "-" ? await terminal.readAll() : readFileSync(file, "utf8"));
  } catch (error) {
    throw new FlancoError("invalid", describeUnreadable(file, error), { cause: error });
  }
  const parsed = wiringFile.safeParse(content, { error: mistakeOf });
  if (parsed.success) return parsed.data.wiring;
  const mistakes = parsed.error.issues.map((issue) => `${file}: ${issue.path.join(".")}: ${issue.message}.`);
  throw new FlancoError("invalid", mistakes.join("\n"), { hint: "`flanco wiring export` shows the form." });
}

/** `owner` is shown where several accounts have a device with that dId. */
function describe(row: WiringRow, state: string, owner: string): string {
  return `${row.line}\tdevice ${row.device}${owner}, room ${row.actuator}\t${describeSettings(row)}\t${state}`;
}

function describeSettings(row: WiringRow): string {
  return [
    `valor ${row.valor}`,
    ...(row.active_low ? ["active low"] : []),
    ...(row.bias === "as-is" ? [] : [row.bias]),
    `debounce ${row.debounce_ms} ms`,
    ...(row.rearm_ms === 0 ? [] : [`rearm ${row.rearm_ms} ms`]),
  ].join(", ");
}

function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) throw new InvalidArgumentError("It must be a number.");
  return number;
}
