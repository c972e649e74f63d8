import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { bundle } from "../bundle.mjs";
import { CpioArchive } from "./cpio.ts";
import { buildDiskRoot, writeImage } from "./disk-root.ts";
import { GATEWAY_SCRIPT } from "./gateway.ts";
import { buildKernel, type GuestKernel } from "./kernel.ts";
import {
  boot,
  CHECKOUT,
  GUEST_GRACE_SECONDS,
  type GuestRun,
  machineOptions,
  removeLeftovers,
} from "./machine.ts";
import { runProgram } from "./program.ts";
import type { Suite } from "./systemd-root.ts";

const MEMORY_MIB = 1024;
/** Services are stopped and the disk is written. */
const POWER_OFF_MS = 90_000;
const BUSYBOX = "/bin/busybox";
const INIT = join(import.meta.dirname, "disk", "init.sh");
/** Room on the second disk beside its files. */
const SPARE_MIB = 32;

export interface DiskMachineOptions {
  readonly suite: Suite;
  /** Scripts by their names, each with its source's path: `node NAME.mjs` runs them. */
  readonly scripts: Readonly<Record<string, string>>;
  /** A folder that the machine finds as /opt/guest/files. */
  readonly files: string;
}

/**
 * A machine of Debian with systemd, udev, dpkg and a disk of its own, which is what it was left as at every start. Eight
 * simulated relays are there before systemd is. Nothing of flanco is installed.
 */
export class DiskMachine {
  readonly #directory: string;
  readonly #kernel: GuestKernel;

  private constructor(directory: string, kernel: GuestKernel) {
    this.#directory = directory;
    this.#kernel = kernel;
  }

  /** Builds it in the checkout's build/guest; the slow parts only where something changed. Throws GuestFailure. */
  static async make({ suite, scripts, files }: DiskMachineOptions): Promise<DiskMachine> {
    const guests = join(CHECKOUT, "build", "guest");
    mkdirSync(guests, { recursive: true });
    const kernel = buildKernel(guests);
    const root = buildDiskRoot(guests, CHECKOUT, suite);
    removeLeftovers(guests);
    const own = join(guests, `run-${process.pid}`);
    mkdirSync(own, { recursive: true });
    process.once("exit", () => rmSync(own, { recursive: true, force: true }));
    const directory = mkdtempSync(join(own, "machine-"));
    runProgram("cp", ["--sparse=always", root, join(directory, "system.img")]);
    const content = join(directory, "content");
    await bundle(join(content, "scripts"), scripts);
    runProgram("cp", ["--archive", files, join(content, "files")]);
    const mebibytes = Number(runProgram("du", ["-sm", content]).split("\t")[0]);
    writeImage(content, join(directory, "content.img"), `${mebibytes + SPARE_MIB}M`);
    rmSync(content, { recursive: true });
    return new DiskMachine(directory, kernel);
  }

  /**
   * Starts it, runs one command as root, switches it off and resolves to the command's exit code; to null where its power
   * was cut. Rejects with GuestFailure when neither came.
   */
  async run(run: GuestRun): Promise<number | null> {
    const initramfs = join(this.#directory, "initramfs.cpio");
    const consoleLog = join(this.#directory, "console.log");
    packInitramfs(initramfs, this.#kernel, run);
    const options = [
      ...machineOptions(this.#kernel.image, initramfs, consoleLog),
      ...["-m", String(MEMORY_MIB)],
      ...drive("system", join(this.#directory, "system.img")),
      ...drive("content", join(this.#directory, "content.img")),
    ];
    try {
      return await boot(options, { powerOffMs: POWER_OFF_MS, ...run }, consoleLog);
    } catch (error) {
      if (run.powerCut?.aborted === true) return null;
      throw error;
    }
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** What the guest was told is written stays written when its power is cut; the host itself keeps its power. */
function drive(name: string, file: string): string[] {
  return [
    ...["-drive", `file=${file},format=raw,if=none,id=${name},cache=unsafe`],
    ...["-device", `virtio-blk-pci,drive=${name},write-cache=on`],
  ];
}

function packInitramfs(file: string, kernel: GuestKernel, run: GuestRun): void {
  const archive = new CpioArchive(file);
  archive.copy("/init", INIT, 0o755);
  archive.copy("/gateway.sh", GATEWAY_SCRIPT, 0o644);
  archive.copy("/bin/busybox", BUSYBOX, 0o755);
  const modules = [...kernel.modules, ...kernel.diskModules];
  for (const module of modules) archive.copy(`/modules/${basename(module)}`, module, 0o644);
  archive.text("/modules/list", modules.map((module) => `${basename(module)}\n`).join(""));
  const limitSeconds = Math.ceil(run.timeoutMs / 1000 + GUEST_GRACE_SECONDS);
  const exports = Object.entries(run.environment).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  archive.text("/run-once/command", `${exports.join("")}exec ${run.command.map(quoted).join(" ")}\n`);
  archive.text("/run-once/limit", `limit_seconds=${limitSeconds}\n`);
  archive.close();
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
