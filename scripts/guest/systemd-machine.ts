import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CpioArchive } from "./cpio.ts";
import { joinArchives } from "./initramfs.ts";
import { type Installed, packInstalled } from "./installed.ts";
import { buildKernel } from "./kernel.ts";
import {
  boot,
  CHECKOUT,
  GUEST_GRACE_SECONDS,
  type Guest,
  type GuestRun,
  machineOptions,
  removeLeftovers,
} from "./machine.ts";
import { buildSystemdRoot } from "./systemd-root.ts";

/** The whole system lies in memory, twice while it is unpacked. */
const MEMORY_MIB = 2048;
/** Where a package puts the unit. */
const UNIT = "/usr/lib/systemd/system/flanco.service";

/**
 * Builds, in the checkout's build/guest, a guest that runs systemd, with flanco installed as a package would
 * do it; the slow parts only where something changed. Throws GuestFailure.
 */
export async function buildSystemdGuest(installed: Installed): Promise<Guest> {
  const directory = join(CHECKOUT, "build", "guest");
  mkdirSync(directory, { recursive: true });
  const kernel = buildKernel(directory);
  const root = buildSystemdRoot(directory, CHECKOUT, kernel);
  removeLeftovers(directory);
  // By the process's number, so that the next build knows what nobody uses.
  const own = join(directory, `run-${process.pid}`);
  mkdirSync(own, { recursive: true });
  process.once("exit", () => rmSync(own, { recursive: true, force: true }));
  const unit = join(own, "unit.cpio");
  const archive = new CpioArchive(unit);
  archive.copy(UNIT, join(CHECKOUT, "systemd", "flanco.service"), 0o644);
  archive.close();
  return { directory: own, kernel, archives: [root, await packInstalled(own, installed), unit] };
}

/**
 * Boots the guest, runs one command in it as root, beside systemd, and resolves to the command's exit code.
 * Rejects with GuestFailure when no exit code came: a panic, a hang, the time's end.
 */
export async function runInSystemdGuest(guest: Guest, run: GuestRun): Promise<number> {
  const directory = mkdtempSync(join(guest.directory, "machine-"));
  const initramfs = join(directory, "initramfs.cpio");
  const command = join(directory, "command.cpio");
  const consoleLog = join(directory, "console.log");
  try {
    packCommand(command, run);
    joinArchives([...guest.archives, command], initramfs);
    const options = machineOptions(guest.kernel.image, initramfs, consoleLog);
    return await boot([...options, "-m", String(MEMORY_MIB)], run, consoleLog);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Not where the other guest has it: /lib is a link in Debian, and would become a folder. */
function packCommand(file: string, run: GuestRun): void {
  const limitSeconds = Math.ceil(run.timeoutMs / 1000 + GUEST_GRACE_SECONDS);
  const exports = Object.entries(run.environment).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  const archive = new CpioArchive(file);
  archive.text("/opt/guest/command", `${exports.join("")}exec ${run.command.map(quoted).join(" ")}\n`);
  archive.text("/opt/guest/limit", `limit_seconds=${limitSeconds}\n`);
  archive.close();
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
