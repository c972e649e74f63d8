import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "../bundle.ts";
import { runCommand } from "../command.ts";
import { buildDiskRoot, type Suite, writeImage } from "./disk-root.ts";
import { BUSYBOX, GATEWAY_SCRIPT, modulesIn, packArchive } from "./initramfs.ts";
import { buildKernel, type GuestKernel } from "./kernel.ts";
import {
  boot,
  CHECKOUT,
  commandIn,
  type GuestEnd,
  type GuestRun,
  machineOptions,
  ownDirectory,
} from "./machine.ts";

const MEMORY_MIB = 1024;
/** Services are stopped and the disk is written. */
const POWER_OFF_MS = 90_000;
const INIT = join(import.meta.dirname, "disk", "init.sh");
/** Room on the second disk beside its files. */
const SPARE_MIB = 32;

export interface DiskMachineOptions {
  readonly suite: Suite;
  /** Scripts by their names, each with its source's path: `node NAME.mjs` runs them. */
  readonly scripts: Readonly<Record<string, string>>;
  /** A folder that the machine finds as /opt/guest/files. */
  readonly files: string;
  /** An image of a disk that the machine has beside its own, as /dev/vdc: another machine may have it next. */
  readonly removable?: string;
}

/**
 * A machine of Debian with systemd, udev, dpkg and its own disk, which keeps what is written to it from start to start. Eight
 * simulated relays are there before systemd is. Nothing of flanco is installed.
 */
export class DiskMachine {
  readonly #directory: string;
  readonly #kernel: GuestKernel;
  readonly #removable: string | undefined;

  private constructor(directory: string, kernel: GuestKernel, removable: string | undefined) {
    this.#directory = directory;
    this.#kernel = kernel;
    this.#removable = removable;
  }

  /** Builds it in the checkout's build/guest; the slow parts only where something changed. Throws ScriptFailure. */
  static async make({ suite, scripts, files, removable }: DiskMachineOptions): Promise<DiskMachine> {
    const guests = join(CHECKOUT, "build", "guest");
    mkdirSync(guests, { recursive: true });
    const kernel = buildKernel(guests);
    const root = buildDiskRoot(guests, CHECKOUT, suite);
    const own = ownDirectory(guests);
    const directory = mkdtempSync(join(own, "machine-"));
    runCommand(["cp", "--sparse=always", root, join(directory, "system.img")]);
    const content = join(directory, "content");
    await bundle(join(content, "scripts"), scripts);
    runCommand(["cp", "--archive", files, join(content, "files")]);
    const mebibytes = Number(runCommand(["du", "-sm", content]).split("\t")[0]);
    writeImage(content, join(directory, "content.img"), `${mebibytes + SPARE_MIB}M`);
    rmSync(content, { recursive: true });
    return new DiskMachine(directory, kernel, removable);
  }

  /**
   * Starts it, runs one command as root, switches it off and resolves to the command's end; to null where its power was
   * cut. Rejects with ScriptFailure when neither came.
   */
  async run(run: GuestRun): Promise<GuestEnd | null> {
    const initramfs = join(this.#directory, "initramfs.cpio");
    const consoleLog = join(this.#directory, "console.log");
    packArchive(initramfs, {
      "/init": INIT,
      "/gateway.sh": GATEWAY_SCRIPT,
      "/bin/busybox": BUSYBOX,
      ...modulesIn("/modules", "list", [...this.#kernel.modules, ...this.#kernel.diskModules]),
      ...commandIn("/run-once", run),
    });
    const options = [
      ...machineOptions(this.#kernel.image, initramfs, consoleLog, MEMORY_MIB),
      ...drive("system", join(this.#directory, "system.img")),
      ...drive("content", join(this.#directory, "content.img")),
      ...(this.#removable === undefined ? [] : drive("removable", this.#removable)),
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
