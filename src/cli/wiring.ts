import { readFileSync } from "node:fs";
import { parse, stringify } from "smol-toml";
import * as z from "zod";
import { name, valor } from "../contract/field.ts";
import {
  importWirings,
  listWirings,
  movePaidTime,
  newWiring,
  removeWiring,
  setWiring,
  type Wiring,
} from "../contract/wiring.ts";
import { FlancoError } from "../domain/error.ts";
import { BIASES, MAX_LINES } from "../domain/line.ts";
import { inOrder } from "../domain/text.ts";
import { notWired } from "../domain/wiring.ts";
import { mistakeOf } from "../platform/mistake.ts";
import { describeUnreadable } from "../service/config-file.ts";
import type { ControlClient } from "./api-access.ts";
import { ACCOUNT, AS_JSON, type CommandTable, command, flag, needed, optional, toNumber } from "./command.ts";
import type { Terminal } from "./terminal.ts";
import { accountsOf } from "./user.ts";

/** One wired line as files and `--json` show it. These names stay, because people keep such files. */
export const wiringRow = z.strictObject({
  line: name,
  device: name,
  actuator: name,
  valor,
  active_low: newWiring.activeLow,
  bias: newWiring.bias,
  debounce_ms: newWiring.debounceMs,
  rearm_ms: newWiring.rearmMs,
  paid_minutes: newWiring.paidMinutes,
  /** E-mail of the user whose device it is; needed where there are several accounts. */
  user: name.optional(),
});
export type WiringRow = z.output<typeof wiringRow>;

const wiringFile = z.strictObject({ wiring: z.array(wiringRow).max(MAX_LINES).default([]) });

const EXAMPLE = "flanco wiring set GPIO17 --device 7234 --room 101 --valor 4.50";
const SET_HELP = `
It sets the line anew: what an option leaves out gets its default, also on a line that was wired otherwise.
flanco wiring list shows what is set.

Examples:
  flanco wiring set GPIO17 --device 7234 --room 101 --valor 4.50
  flanco wiring set GPIO17 --device 7234 --room 101 --valor 5.00 --active-low --bias pull-up
  flanco wiring set GPIO17 --device 7234 --room 101 --valor 6.00 --paid-minutes 1440`;

/** `flanco wiring`: which line is which room. */
export const commands: CommandTable = [
  {
    name: "wiring",
    about: "which line is which room",
    help: EXAMPLE,
    rows: [
      command(
        "list",
        "show the wired lines and whether they are watched",
        { json: AS_JSON },
        "flanco wiring list",
        async ({ json }, call) => {
          const rows = await call.withApi(wiredRows);
          const isShared = rows.some(({ user }) => user !== rows[0]?.user);
          const lines = rows.map((row) => describe(row, row.state, isShared ? ` of ${row.user}` : ""));
          call.terminal.show(json, rows, lines.length === 0 ? ["No line is wired."] : lines);
        },
      ),
      command(
        "set",
        "wire a line to a room, or change its settings; a running service takes it up at once",
        {
          line: needed("<line>", "line name (GPIO17) or chip and offset (gpiochip0:17)"),
          device: needed("--device <dId>", "the device's dId"),
          room: needed("--room <actuator>", "the actuator's id, which is the room's number"),
          valor: needed("--valor <price>", "price of one sale", toNumber),
          activeLow: flag("--active-low", "the line is low while the relay is on"),
          bias: optional("--bias <bias>", "the internal resistor", BIASES),
          debounceMs: optional("--debounce-ms <ms>", "a level must hold this long (default 50)", toNumber),
          rearmMs: optional(
            "--rearm-ms <ms>",
            "a new high this soon after a low is the same sale (default 0)",
            toNumber,
          ),
          paidMinutes: optional(
            "--paid-minutes <minutes>",
            "a new high this long after a sale is the same sale (default 0; a day has 1440)",
            toNumber,
          ),
          account: ACCOUNT,
        },
        SET_HELP,
        async ({ device: dId, room: actuatorId, account, ...settings }, call) => {
          const wiring = { ...settings, dId, actuatorId };
          await call.ask(setWiring, { body: { wiring } }, account);
          const set = describeSettings(setWiring.body.parse({ wiring }).wiring);
          call.terminal.out(`${wiring.line} is wired to room ${actuatorId} of device ${dId}: ${set}.`);
        },
      ),
      command(
        "move-paid",
        "move the rest of a room's paid time to another room: the patient has moved",
        {
          device: needed("--device <dId>", "the dId of the device whose room is left"),
          room: needed("--room <actuator>", "the room that is left"),
          toRoom: needed("--to-room <actuator>", "the room that is taken"),
          toDevice: optional("--to-device <dId>", "its device, where that is another one"),
          account: ACCOUNT,
        },
        "flanco wiring move-paid --device 7234 --room 101 --to-room 103",
        async ({ device, room, toRoom, toDevice = device, account }, call) => {
          const move = { from: { dId: device, room }, to: { dId: toDevice, room: toRoom } };
          await call.ask(movePaidTime, { body: { move } }, account);
          call.terminal.out(`What is paid of room ${room} holds for room ${toRoom}.`);
        },
      ),
      command(
        "remove",
        "unwire a line; its records are kept",
        { line: needed("<line>", "one of the line's names, as for `wiring set`") },
        "flanco wiring remove GPIO17",
        async ({ line }, call) => {
          await call.withApi((api) => unwire(api, line));
          call.terminal.out(`${line} is not wired any more.`);
        },
      ),
      command(
        "export",
        "write all wiring as TOML to standard output",
        {},
        "flanco wiring export > wiring.toml",
        async (_given, call) => {
          const rows = await call.withApi(wiredRows);
          call.terminal.out(stringify({ wiring: rows.map(({ state, ...row }) => row) }).trimEnd());
        },
      ),
      command(
        "import",
        "wire every line of a TOML file, as export writes it; - reads standard input",
        {
          file: needed("<file>", "the TOML file"),
          account: optional("--account <email>", "a member of the account, in place of the file's users"),
        },
        "flanco wiring import wiring.toml",
        async ({ file, account }, call) => {
          const rows = await readRows(call.terminal, file);
          const wirings = rows.map((row) => ({ ...toWiring(row), user: account ?? row.user }));
          await call.ask(importWirings, { body: { wirings } });
          call.terminal.out(`${rows.length} line(s) wired.`);
        },
      ),
    ],
  },
];

/** The wired lines of all accounts, as people count them. */
export async function wiredRows(api: ControlClient) {
  const rows: (ReturnType<typeof toRow> & { readonly user: string; readonly state: string })[] = [];
  for (const { email } of await accountsOf(api)) {
    const { data } = await api.ask(listWirings, {}, email);
    for (const wiring of data) {
      const state = wiring.problem ?? (wiring.watched ? "watched" : "not watched");
      rows.push({ ...toRow(wiring), user: email, state });
    }
  }
  return rows.toSorted((one, other) => inOrder(one.line, other.line));
}

/** Unwires a line of whichever account. */
async function unwire(api: ControlClient, line: string): Promise<void> {
  for (const { email } of await accountsOf(api)) {
    try {
      await api.ask(removeWiring, { query: { line } }, email);
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

/** `owner` is shown where there are several accounts. */
function describe(row: WiringRow, state: string, owner: string): string {
  const settings = describeSettings(toWiring(row));
  return `${row.line}\tdevice ${row.device}${owner}, room ${row.actuator}\t${settings}\t${state}`;
}

type Settings = Pick<Wiring, "activeLow" | "bias" | "debounceMs" | "rearmMs"> & {
  readonly valor?: number | undefined;
  readonly paidMinutes?: number | undefined;
};

function describeSettings({ bias, rearmMs, paidMinutes = 0, ...settings }: Settings): string {
  return [
    `valor ${settings.valor}`,
    ...(settings.activeLow ? ["active low"] : []),
    ...(bias === "as-is" ? [] : [bias]),
    `debounce ${settings.debounceMs} ms`,
    ...(rearmMs === 0 ? [] : [`rearm ${rearmMs} ms`]),
    ...(paidMinutes === 0 ? [] : [`paid for ${paidMinutes} min`]),
  ].join(", ");
}

type WiringColumns = Omit<Wiring, "deviceName" | "watched" | "problem">;

/** A command acts as an owner, whom the API shows each price. */
export function toRow({ line, dId, actuatorId, valor, activeLow, bias, ...times }: WiringColumns) {
  return {
    line,
    device: dId,
    actuator: actuatorId,
    valor: valor ?? 0,
    active_low: activeLow,
    bias,
    debounce_ms: times.debounceMs,
    rearm_ms: times.rearmMs,
    paid_minutes: times.paidMinutes,
  };
}

/** The same line as the API has it. */
export function toWiring({ line, device, actuator, valor, bias, ...row }: Omit<WiringRow, "user">) {
  return {
    line,
    dId: device,
    actuatorId: actuator,
    valor,
    activeLow: row.active_low,
    bias,
    debounceMs: row.debounce_ms,
    rearmMs: row.rearm_ms,
    paidMinutes: row.paid_minutes,
  };
}
