import { mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { runCommand, tryCommand } from "../scripts/command.ts";
import { installFor } from "../scripts/debian.ts";
import { type Claim, type Pair, spreadOf } from "./claim.ts";
import { prepareFlanco, startFlanco } from "./flanco-process.ts";
import { startPeer } from "./peer-process.ts";
import type { Plan } from "./plan.ts";
import type { Server } from "./server.ts";
import { slowSync } from "./slow-sync.ts";
import { post } from "./wrk.ts";

const PROMISED_KB: readonly (readonly [connections: number, kilobytes: number])[] = [
  [1, 16],
  [64, 1.6],
];
/** With a card's syncs 64 clients share a commit; a fast disk's leave no time for as many to come together. */
const PROMISED_SLOW_KB: typeof PROMISED_KB = [[64, 1.6]];
const WARM_UP_CONNECTIONS = 64;
const DISK = "2G";
const SECTOR_BYTES = 512;
/** Which field of a block device's `stat` counts sectors written (Documentation/block/stat.rst of the kernel). */
const SECTORS_WRITTEN = 6;

/** Bytes that reach the disk for each record, with SQLite's log and the file system's own, at the block device, with `delayMs` added to each sync. */
export async function measureWritten(plan: Plan, delayMs = 0): Promise<readonly Claim[]> {
  const disk = new CountingDisk(join(plan.directory, `disk-${delayMs}`));
  const preload = delayMs === 0 ? undefined : slowSync(plan, delayMs);
  const added = delayMs === 0 ? "" : `, ${delayMs} ms added to each sync`;
  disk.mount();
  try {
    const flancoSetting = { directory: join(disk.directory, "flanco"), preload };
    const password = prepareFlanco(flancoSetting);
    const floor = await startPeer("floor", { directory: join(disk.directory, "floor"), preload });
    const flanco = await startFlanco(flancoSetting, password);
    // Until SQLite's log has its full size: each commit that lengthens a file also writes the file system's journal.
    for (const server of [floor, flanco]) await post(server, WARM_UP_CONNECTIONS, 2 * plan.warmUpSeconds);
    const claims: Claim[] = [];
    for (const [connections, promised] of delayMs === 0 ? PROMISED_KB : PROMISED_SLOW_KB) {
      const floorKb: number[] = [];
      const pairs: Pair[] = [];
      for (let turn = 0; turn < plan.pairs; turn += 1) {
        floorKb.push(await kilobytesARecord(disk, floor, connections, plan.windowSeconds));
        const measured = await kilobytesARecord(disk, flanco, connections, plan.windowSeconds);
        pairs.push({ base: promised, measured });
      }
      claims.push({
        title: `Bytes written a record at the block device, ${connections} connections${added}`,
        names: ["promised", "written"],
        unit: "kB",
        target: { bound: "at most", ratio: 1 },
        pairs,
        notes: [`the floor writes ${spreadOf(floorKb).median.toFixed(2)} kB a record`],
      });
    }
    await floor.stop();
    await flanco.stop();
    return claims;
  } finally {
    disk.unmount();
  }
}

async function kilobytesARecord(
  disk: CountingDisk,
  server: Server,
  connections: number,
  seconds: number,
): Promise<number> {
  const before = disk.bytesWritten();
  const { requests } = await post(server, connections, seconds);
  return (disk.bytesWritten() - before) / requests / 1_000;
}

/** An ext4 in a file, as a block device of its own, whose writes the kernel counts. Only root may mount one. */
class CountingDisk {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  mount(): void {
    installFor("disk whose writes are counted");
    const image = `${this.directory}.image`;
    mkdirSync(this.directory, { recursive: true });
    runCommand(["truncate", `--size=${DISK}`, image]);
    runCommand(["mke2fs", "-q", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", image]);
    runCommand(["mount", "-o", "loop", image, this.directory]);
    // Before the folder of the run is removed, also when a signal ends it.
    process.prependOnceListener("exit", () => this.unmount());
  }

  /** Everything that was written so far, once nothing is left to write. */
  bytesWritten(): number {
    runCommand(["sync", "--file-system", this.directory]);
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
