import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { until } from "../../guest/inside/deadline.ts";
import { outcomeOf, type Said, teller } from "../../guest/told.ts";
import type { Unit } from "../../guest-systemd/inside/unit.ts";
import { type After, CUT_HERE, NO_PROGRAM, type Reports, type Seen } from "../report.ts";

/** An emulated processor on a busy machine starts a program in a minute. */
export const LIMIT_SECONDS = 240;
export const UNPACKING_MS = 300_000;
/** What the service, and the end of an interrupted upgrade, need on it. The watchdog has its own proof (test/guest-systemd). */
export const SLOW_SERVICE = "[Service]\nTimeoutStartSec=300\nWatchdogSec=180\n";
export const SLOW_UPGRADE = `[Service]\nEnvironment=FLANCO_TEST_LIMIT_SECONDS=${LIMIT_SECONDS}\n`;
/** The condition is looked at when it is its turn. */
const ENDED = "ActiveState,ConditionTimestampMonotonic";
const ENDED_MS = 600_000;
const PACKAGES = "/opt/guest/files";

/** A package's file, by its name. */
export function packageFile(name: string): string {
  return `${PACKAGES}/${name}.deb`;
}

/** Runs a program to its end, with the limit that this machine needs. */
export async function run(program: string, ...args: readonly string[]): Promise<Said> {
  return runFor(LIMIT_SECONDS, program, ...args);
}

/** As `run`; an upgrade waits so long for the service. */
export async function runFor(
  limitSeconds: number,
  program: string,
  ...args: readonly string[]
): Promise<Said> {
  return outcomeOf(start(limitSeconds, program, ...args));
}

/** Starts a program as the leader of a new process group. */
export function start(limitSeconds: number, program: string, ...args: readonly string[]) {
  const env = {
    ...process.env,
    PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    FLANCO_TEST_LIMIT_SECONDS: String(limitSeconds),
  };
  return spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
}

/** Installs a package. */
export function install(name: string): Promise<Said> {
  return run("dpkg", "--install", packageFile(name));
}

/** Begins to install a package, and waits until dpkg has unpacked its program. */
export async function unpack(name: string): Promise<ChildProcess> {
  const child = start(LIMIT_SECONDS, "dpkg", "--install", packageFile(name));
  await until(() => (existsSync("/usr/bin/flanco.dpkg-new") ? null : "nothing is unpacked"), UNPACKING_MS);
  return child;
}

/** How the service is; waits until it is well. */
export async function after(unit: Unit): Promise<After> {
  const health = (await run("flanco", "health", "--wait", String(LIMIT_SECONDS))).exitCode;
  return { health, ...(await seen(unit)) };
}

/** How the service is, without asking it. */
export async function seen(unit: Unit): Promise<Seen> {
  return { pid: await unit.mainPid(), state: await packageState() };
}

/** dpkg's word for the package: `installed`, `half-configured`. */
export async function packageState(): Promise<string> {
  return (await run("dpkg-query", "--show", `--showformat=\${db:Status-Status}`, "flanco")).said.trim();
}

/** Waits until what ends an interrupted upgrade at the machine's start has done so, whatever came of it. */
export async function upgradeEnded(): Promise<void> {
  await until(async () => {
    const { said } = await run("systemctl", "show", `--property=${ENDED}`, "flanco-upgrade.service");
    return /ActiveState=(inactive|failed)/.test(said) && !said.includes("Monotonic=0\n") ? null : said;
  }, ENDED_MS);
}

export const tell = teller<Reports>();

/** Tells the host to cut the power, and waits for it. */
export async function waitForPowerCut(): Promise<never> {
  tell(CUT_HERE, NO_PROGRAM);
  return new Promise(() => setInterval(() => {}, 1_000));
}

/** Runs a part of the proof; where it fails, the service's last words are told too. */
export async function prove(unit: Unit, part: () => Promise<void>): Promise<void> {
  try {
    await part();
  } catch (error) {
    for (const { message } of (await unit.journal(0)).slice(-80)) console.error(message);
    throw error;
  }
  // Relays and sockets may be open still.
  process.exit(0);
}
