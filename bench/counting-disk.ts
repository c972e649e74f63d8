import { mkdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { runCommand, tryCommand } from "../scripts/command.ts";
import { installFor } from "../scripts/debian.ts";

const DISK = "2G";
const SECTOR_BYTES = 512;
/** Which field of a block device's `stat` counts sectors written (Documentation/block/stat.rst of the kernel). */
const SECTORS_WRITTEN = 6;

/** An ext4 in a file, as a block device of its own, whose writes the kernel counts. Only root may mount one. */
export class CountingDisk {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** With the options of a card's file systems, and others. */
  mount(options = "noatime"): void {
    installFor("disk whose writes are counted");
    const image = `${this.directory}.image`;
    mkdirSync(this.directory, { recursive: true });
    runCommand(["truncate", `--size=${DISK}`, image]);
    runCommand(["mke2fs", "-q", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", image]);
    runCommand(["mount", "-o", `loop,${options}`, image, this.directory]);
    // Before the folder of the run is removed, also when a signal ends it.
    process.prependOnceListener("exit", () => this.unmount());
  }

  /** Everything that was written so far, once nothing is left to write. */
  bytesWritten(): number {
    runCommand(["sync", "--file-system", this.directory]);
    return this.#written();
  }

  /** What reaches the disk during some work, and what that has left to write in bytes: the kernel writes that later. */
  async writtenWhile(work: () => Promise<void>): Promise<{ readonly synced: number; readonly left: number }> {
    const before = this.bytesWritten();
    await work();
    const after = this.#written();
    return { synced: after - before, left: this.bytesWritten() - after };
  }

  #written(): number {
    const [, device = ""] = /^(\/dev\/loop\d+) /m.exec(mountLine(this.directory)) ?? [];
    const fields = readFileSync(`/sys/block/${basename(device)}/stat`, "utf8")
      .trim()
      .split(/\s+/);
    return Number(fields[SECTORS_WRITTEN]) * SECTOR_BYTES;
  }

  unmount(): void {
    tryCommand(["umount", "--lazy", this.directory]);
  }
}

function mountLine(directory: string): string {
  const lines = readFileSync("/proc/mounts", "utf8").split("\n");
  return lines.find((line) => line.split(" ")[1] === directory) ?? "";
}
