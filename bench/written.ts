import { join } from "node:path";
import { type Claim, type Pair, spreadOf } from "./claim.ts";
import { CountingDisk } from "./counting-disk.ts";
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
