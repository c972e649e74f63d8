import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { ScriptFailure } from "../command.ts";
import { buildSystem, type Contents, joinArchives, packArchive } from "./initramfs.ts";
import { type GuestContent, packInstalled } from "./installed.ts";
import { buildKernel, type GuestKernel } from "./kernel.ts";

export const CHECKOUT = join(import.meta.dirname, "..", "..");
/**
 * A processor without AVX, BMI and protection keys. With all that QEMU can emulate (`max`), V8 stopped now and
 * then on a failed check of its own, and more often with AVX: QEMU 7.2, which Debian 12 has, emulates it first.
 */
const PROCESSOR = "Nehalem";
const MEMORY_MIB = 1536;
const PROCESSORS = 2;
/** The guest outlives the host's patience by this much, so that the host's text is the one that is seen. */
const GUEST_GRACE_SECONDS = 30;
/** From the exit code's arrival to the machine being off. */
const POWER_OFF_MS = 10_000;
const CONSOLE_LINES = 40;
/** What the guest's kernel writes of a processor that never gets on. */
const LOCKUP = /BUG: soft lockup/;
/** How often a machine is started in place of one whose kernel locked up. */
const REPLACEMENTS = 2;
const RUN_PREFIX = "run-";
/** Where the guest's first script (init.sh) looks for its command. */
const COMMAND_FOLDER = "/lib/guest";

/**
 * The emulated machine's kernel stood still. In one CI run of some sixty its processors waited for each other
 * (`migration/0` stuck for 1,129 s) before a program of ours ran; nothing is known of what such a machine was to prove.
 */
export class KernelLockup extends ScriptFailure {}

/** A guest that is built and can be started any number of times, also side by side. */
export interface Guest {
  /** For what this process writes; gone when it ends. */
  readonly directory: string;
  readonly kernel: GuestKernel;
  /** Archives of everything but the run's own command. */
  readonly archives: readonly string[];
}

export interface GuestRun {
  /** Program and arguments, started in the folder of the bundled scripts. */
  readonly command: readonly string[];
  /** From the machine's start to the command's end. */
  readonly timeoutMs: number;
  /** Called with the output as it comes, which the run's end has as a whole: standard output by whole lines. */
  readonly onLine?: (line: string) => void;
  readonly onStderr?: (chunk: Buffer) => void;
  /** A disk of ext4, mounted before the command starts. */
  readonly disk?: GuestDisk;
  /** When the machine's power is cut. It then ends without an exit code. */
  readonly powerCut?: AbortSignal;
  /** How long the machine may take to be off once the command has ended; undefined: as long as one without a disk. */
  readonly powerOffMs?: number;
}

/** How a guest's command ended, and what it wrote. */
export interface GuestEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A disk of which every write and every flush is logged, in the format of Linux's dm-log-writes. */
export interface GuestDisk {
  /** A raw image that holds an ext4 file system. */
  readonly image: string;
  /** An empty file; QEMU appends what the guest writes, before the guest is told that it is written. */
  readonly log: string;
  /** Where the guest has it. */
  readonly mountPoint: string;
}

/**
 * Builds a guest in the checkout's build/guest, the slow parts only where something changed. Throws
 * ScriptFailure.
 */
export async function buildGuest(installed: GuestContent): Promise<Guest> {
  const directory = join(CHECKOUT, "build", "guest");
  mkdirSync(directory, { recursive: true });
  const kernel = buildKernel(directory);
  const system = buildSystem(directory, CHECKOUT, kernel);
  const own = ownDirectory(directory);
  const archives = [system, await packInstalled(own, installed)];
  return { directory: own, kernel, archives };
}

/**
 * Tries once more, twice at most, where a machine's kernel locked up, and says so. `attempt` starts anew each time: new
 * disks, nothing kept of what was written.
 */
export async function replacingLockups<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (let replaced = 0; ; replaced++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof KernelLockup) || replaced === REPLACEMENTS) throw error;
      process.stderr.write(`${error.message}\nIts kernel locked up: another machine takes its place.\n`);
    }
  }
}

/**
 * Boots the guest, runs one command in it, as root, and resolves once the machine is off and the command's output was
 * delivered. Rejects with ScriptFailure when no exit code came: a panic, the end of the time; with KernelLockup when the
 * machine stood still.
 */
export async function runInGuest(guest: Guest, run: GuestRun): Promise<GuestEnd> {
  const directory = mkdtempSync(join(guest.directory, "machine-"));
  const initramfs = join(directory, "initramfs.cpio");
  const consoleLog = join(directory, "console.log");
  try {
    const command = join(directory, "command.cpio");
    const mountPoint = run.disk && {
      [`${COMMAND_FOLDER}/mount-point`]: { text: `${run.disk.mountPoint}\n` },
    };
    packArchive(command, { ...commandIn(COMMAND_FOLDER, run), ...mountPoint });
    joinArchives([...guest.archives, command], initramfs);
    const options = machineOptions(guest.kernel.image, initramfs, consoleLog, MEMORY_MIB);
    return await boot([...options, ...diskOptions(run.disk)], run, consoleLog);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The shell script of a run's command, and after how long the guest switches itself off. */
export function commandIn(folder: string, { command, timeoutMs }: GuestRun): Contents {
  const limitSeconds = Math.ceil(timeoutMs / 1000 + GUEST_GRACE_SECONDS);
  return {
    [`${folder}/command`]: { text: `exec ${command.map(quoted).join(" ")}\n` },
    [`${folder}/limit`]: { text: `limit_seconds=${limitSeconds}\n` },
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * A folder for what this process writes, removed when it ends. It is named by the process's number, so that a later build knows
 * the folders of processes that were killed, and removes them.
 */
export function ownDirectory(guests: string): string {
  for (const name of readdirSync(guests)) {
    if (!name.startsWith(RUN_PREFIX) || existsSync(`/proc/${name.slice(RUN_PREFIX.length)}`)) continue;
    rmSync(join(guests, name), { recursive: true, force: true });
  }
  const own = join(guests, `${RUN_PREFIX}${process.pid}`);
  mkdirSync(own, { recursive: true });
  process.once("exit", () => rmSync(own, { recursive: true, force: true }));
  return own;
}

/** What every machine is started with. */
export function machineOptions(
  image: string,
  initramfs: string,
  consoleLog: string,
  memoryMib: number,
): string[] {
  const ports = ["stdout", "stderr", "status"].flatMap((name, index) => [
    "-chardev",
    `socket,id=${name},fd=${index + 3}`,
    "-device",
    `virtserialport,bus=ports.0,chardev=${name},name=${name}`,
  ]);
  return [
    ...["-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-monitor", "none"],
    ...["-accel", "tcg,thread=multi", "-cpu", PROCESSOR, "-smp", String(PROCESSORS), "-m", String(memoryMib)],
    ...["-kernel", image, "-initrd", initramfs, "-serial", `file:${consoleLog}`],
    // A panic restarts the machine at once, and QEMU ends where a machine restarts. A processor that is stuck for twice
    // the threshold (s) is one.
    ...[
      "-append",
      "console=ttyS0 panic=-1 oops=panic watchdog_thresh=30 softlockup_panic=1 quiet random.trust_cpu=on",
    ],
    ...["-device", "virtio-serial-pci,id=ports", ...ports],
  ];
}

function diskOptions(disk: GuestDisk | undefined): string[] {
  if (disk === undefined) return [];
  // The host's own files need not be safe: a power cut of the guest is made from the log alone.
  const file = (filename: string) => ({
    driver: "file",
    filename,
    cache: { "no-flush": true, direct: false },
  });
  const node = {
    driver: "blklogwrites",
    "node-name": "disk",
    file: { driver: "raw", file: file(disk.image) },
    log: { driver: "raw", file: file(disk.log) },
    "log-sector-size": 512,
    "log-super-update-interval": 1,
    cache: { "no-flush": false, direct: false },
  };
  return [
    ...["-blockdev", JSON.stringify(node)],
    ...["-device", "virtio-blk-pci,drive=disk,write-cache=on,logical_block_size=512,physical_block_size=512"],
  ];
}

/** Starts a machine and resolves to its command's end, as runInGuest does. */
export function boot(options: readonly string[], run: GuestRun, consoleLog: string): Promise<GuestEnd> {
  const machine = spawn("qemu-system-x86_64", options, {
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe", "pipe"],
  });
  const stop = () => machine.kill("SIGKILL");
  process.once("exit", stop);
  run.powerCut?.addEventListener("abort", stop);
  let ending: string | null = null;
  let timer = setTimeout(() => {
    ending = `The guest did not end within ${run.timeoutMs / 1000} s.`;
    stop();
  }, run.timeoutMs);
  let status = "";
  let complaint = "";
  readable(machine, 2).on("data", (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  let stdout = "";
  let stderr = "";
  let unfinished = "";
  readable(machine, 3)
    .setEncoding("utf8")
    .on("data", (text: string) => {
      stdout += text;
      const lines = (unfinished + text).split("\n");
      unfinished = lines.pop() ?? "";
      for (const line of lines) run.onLine?.(line);
    });
  readable(machine, 4).on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
    run.onStderr?.(chunk);
  });
  readable(machine, 5).on("data", (chunk: Buffer) => {
    status += chunk.toString();
    if (!status.endsWith("\n")) return;
    // The command has ended: what is left is switching off, and a machine that cannot is no failure of it.
    clearTimeout(timer);
    timer = setTimeout(stop, run.powerOffMs ?? POWER_OFF_MS);
  });
  return new Promise((resolve, reject) => {
    const finish = (failure: string) => {
      clearTimeout(timer);
      process.removeListener("exit", stop);
      const code = /^exit (\d+)\n$/.exec(status)?.[1];
      if (code !== undefined) return resolve({ exitCode: Number(code), stdout, stderr });
      const wrote = `${complaint}${lastWords(consoleLog)}\nWhat its command wrote:\n${stderr}`;
      const Failure = LOCKUP.test(consoleText(consoleLog)) ? KernelLockup : ScriptFailure;
      reject(new Failure(`${ending ?? failure}\n${wrote}`));
    };
    machine.once("error", (error) => finish(`qemu-system-x86_64 did not start: ${error.message}`));
    // "close" comes after the last byte of every stream, "exit" may come before.
    machine.once("close", () => finish("The guest went down before its command ended."));
  });
}

function readable(machine: ChildProcess, descriptor: number): Readable {
  const stream = machine.stdio[descriptor];
  if (stream === null || stream === undefined || !("read" in stream)) {
    throw new ScriptFailure(`QEMU has no stream ${descriptor}.`);
  }
  return stream;
}

function lastWords(consoleLog: string): string {
  const text = consoleText(consoleLog).trimEnd();
  if (text === "") return "Its console stayed empty.";
  return `The last lines of its console:\n${text.split(/\r?\n/).slice(-CONSOLE_LINES).join("\n")}`;
}

function consoleText(consoleLog: string): string {
  return existsSync(consoleLog) ? readFileSync(consoleLog, "utf8") : "";
}
