import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { until } from "../../rig/until.ts";
import { Api } from "./api.ts";

const NAME = "flanco.service";
const UNIT_FILE = `/usr/lib/systemd/system/${NAME}`;
const COMMAND_NAME = "flanco-command.service";
/** What is about a service that goes on, and not about what it may do. */
const NOT_OF_COMMANDS = /^(Type|NotifyAccess|ExecStart|FileDescriptorStore\w*|WatchdogSec|Restart\w*)=.*$/gm;
const DROP_INS = `/etc/systemd/system/${NAME}.d`;
const START_MS = 300_000;
/** Asking systemd is a program's start each time: seldom, so that the service has the processor. */
const ASK_MS = 500;
const NANOSECONDS_PER_MICROSECOND = 1_000;

const PROPERTIES = [
  "MainPID",
  "ActiveState",
  "ActiveEnterTimestampMonotonic",
  "ActiveExitTimestampMonotonic",
  "StatusText",
  "NFileDescriptorStore",
] as const;
type Property = (typeof PROPERTIES)[number];

const run = promisify(execFile);

export interface JournalEntry {
  readonly message: string;
  readonly monotonicNs: number;
}

/** How a command ended under the unit's confinement. */
export interface ConfinedCommand {
  readonly command: string;
  /** systemd's word for it: `success`, `exit-code`, `signal`. */
  readonly result: string;
  /** The exit code, or the signal's number. */
  readonly status: number;
  /** The last lines that it printed. */
  readonly said: string;
}

/** The service as systemd has it. */
export class Unit {
  readonly baseUrl = "http://127.0.0.1:8080";
  readonly ledgerFile = "/var/lib/flanco/flanco.db";

  /** Adds settings to the unit, in a file of their own. */
  async configure(name: string, text: string): Promise<void> {
    mkdirSync(DROP_INS, { recursive: true });
    writeFileSync(`${DROP_INS}/${name}.conf`, text);
    await this.control("daemon-reload");
  }

  async control(verb: string, ...options: readonly string[]): Promise<void> {
    await run("systemctl", [verb, ...options]);
  }

  async show(property: Property): Promise<string> {
    return (await this.#properties())[property];
  }

  async mainPid(): Promise<number> {
    return Number(await this.show("MainPID"));
  }

  /** All at once: asking systemd takes a program's start. */
  async #properties(): Promise<Readonly<Record<Property, string>>> {
    const { stdout } = await run("systemctl", ["show", `--property=${PROPERTIES}`, NAME]);
    const told = new Map(stdout.split("\n").map((line) => line.split("=", 2) as [string, string]));
    return Object.fromEntries(PROPERTIES.map((name) => [name, told.get(name) ?? ""])) as Record<
      Property,
      string
    >;
  }

  /** Asks until it is so, at systemd's pace. */
  async until(what: string, isSo: () => Promise<boolean>, withinMs: number): Promise<void> {
    await until(what, async () => (await isSo()) || pause(ASK_MS, false), withinMs);
  }

  /** Waits until another process than `before` is ready; gives the monotonic time at which it was. */
  async ready(before: number): Promise<number> {
    let enteredMicros = 0;
    const isReady = async () => {
      const { MainPID, ActiveState, ActiveEnterTimestampMonotonic } = await this.#properties();
      enteredMicros = Number(ActiveEnterTimestampMonotonic);
      return ActiveState === "active" && MainPID !== String(before);
    };
    await this.until("the service is ready", isReady, START_MS);
    return enteredMicros * NANOSECONDS_PER_MICROSECOND;
  }

  /** Monotonic time at which it last ceased to be active. */
  async inactiveNs(): Promise<number> {
    return Number(await this.show("ActiveExitTimestampMonotonic")) * NANOSECONDS_PER_MICROSECOND;
  }

  /** What the service and systemd said of it since a monotonic time. */
  async journal(sinceNs: number): Promise<JournalEntry[]> {
    const { stdout } = await run(
      "journalctl",
      ["--unit", NAME, "--output=json", "--output-fields=MESSAGE", "--quiet"],
      { maxBuffer: 64 * 1024 * 1024 },
    );
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { MESSAGE: unknown; __MONOTONIC_TIMESTAMP: string })
      .map((entry) => ({
        message: String(entry.MESSAGE),
        monotonicNs: Number(entry.__MONOTONIC_TIMESTAMP) * NANOSECONDS_PER_MICROSECOND,
      }))
      .filter(({ monotonicNs }) => monotonicNs >= sinceNs);
  }

  /**
   * Runs a command to its end under all that the unit forbids, as its user. `settings` are added, as in a drop-in.
   */
  async confined(command: string, settings: string): Promise<ConfinedCommand> {
    const unit = readFileSync(UNIT_FILE, "utf8").replaceAll(NOT_OF_COMMANDS, "");
    const own = `[Service]\nType=oneshot\nExecStart=${command}\n`;
    mkdirSync("/run/systemd/system", { recursive: true });
    writeFileSync(`/run/systemd/system/${COMMAND_NAME}`, `${unit}\n${own}${settings}`);
    await this.control("daemon-reload");
    // How it ended is asked for below.
    await this.control("start", COMMAND_NAME).catch(() => {});
    const shown = ["--property=Result", "--property=ExecMainStatus", "--value", COMMAND_NAME];
    const { stdout } = await run("systemctl", ["show", ...shown]);
    const [status = "", result = ""] = stdout.trim().split("\n").sort();
    const { stdout: said } = await run("journalctl", [`--unit=${COMMAND_NAME}`, "--output=cat", "--lines=5"]);
    await this.control("reset-failed", COMMAND_NAME).catch(() => {});
    return { command, result, status: Number(status), said };
  }
}

/** Makes the first user with the link that the service has printed last. Gives the API, signed in. */
export async function firstUser(unit: Unit): Promise<Api> {
  const said = (await unit.journal(0)).map(({ message }) => message).join("\n");
  const token = [...said.matchAll(/\/primer-uso#(\S+)/g)].at(-1)?.[1] ?? "";
  const api = new Api(unit.baseUrl);
  await api.makeFirstUser(token);
  return api;
}
