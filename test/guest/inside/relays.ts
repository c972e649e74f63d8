import { spawnSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../rig/until.ts";
import { type Drive, ROOMS } from "../report.ts";

const LOW = Buffer.from("pull-down");
const HIGH = Buffer.from("pull-up");
/** CPU 0 alone, as taskset writes it. */
const FIRST_PROCESSOR = "1";

/** The eight relays: the lines of the kernel's simulated chip, driven through sysfs. */
export class Relays {
  readonly #pulls: readonly number[];

  /** `folder` is the simulator's own, the one that holds sim_gpio0/pull. */
  constructor(folder: string) {
    this.#pulls = ROOMS.map((_, offset) => openSync(join(folder, `sim_gpio${offset}`, "pull"), "w"));
  }

  /** Sets a relay's level. The simulator raises its interrupt before this returns. */
  drive(offset: number, high: boolean): Drive {
    const pull = this.#pulls[offset];
    const room = ROOMS[offset];
    if (pull === undefined || room === undefined) throw new Error(`There is no relay ${offset}.`);
    const beforeMs = Date.now();
    const beforeNs = Number(process.hrtime.bigint());
    writeSync(pull, high ? HIGH : LOW, 0, null, 0);
    const afterNs = Number(process.hrtime.bigint());
    return { room, high, beforeNs, afterNs, beforeMs, afterMs: Date.now() };
  }

  /** Every relay low, and no longer driven. */
  close(): void {
    for (const [offset, pull] of this.#pulls.entries()) {
      this.drive(offset, false);
      closeSync(pull);
    }
  }
}

/** The relays of the guest's chip. */
export function simulatedRelays(): Relays {
  const folder = process.env["FLANCO_TEST_GPIO_SIM"];
  if (folder === undefined) throw new Error("FLANCO_TEST_GPIO_SIM does not name a simulated chip.");
  return new Relays(folder);
}

/** How often each watched line's interrupt fired, by the line's offset. A line that is not here is not watched. */
export function interruptCounts(): ReadonlyMap<number, number> {
  // 26:   1   2   irq_sim   1  flanco      number, a count for each processor, chip, offset, holder
  // A line that was released keeps its row, without a holder.
  const rows = readFileSync("/proc/interrupts", "utf8").matchAll(/^ *\d+:((?: +\d+)+) +irq_sim +(\d+) +\S/gm);
  return new Map(
    [...rows].map(([, counts = "", offset]) => [
      Number(offset),
      counts
        .trim()
        .split(/\s+/)
        .reduce((sum, count) => sum + Number(count), 0),
    ]),
  );
}

/** Resolves once the kernel has an interrupt for each of the eight lines. */
export async function allWatched(withinMs: number): Promise<void> {
  await until("all lines are watched", () => interruptCounts().size === ROOMS.length, withinMs);
}

/**
 * Puts this process and the kernel's interrupt threads on one processor. The threads are real-time tasks: an
 * interrupt raised by this process is handled to its end before this process goes on, so that two edges of a
 * line never merge, however busy the machine is. The program under test keeps both processors.
 */
export function shareProcessorWithInterrupts(): void {
  const threads = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isInterruptThread(name));
  if (threads.length === 0) throw new Error("The watched lines have no interrupt threads.");
  for (const id of [String(process.pid), ...threads]) {
    const result = spawnSync("taskset", ["-p", FIRST_PROCESSOR, id], { encoding: "utf8" });
    if (result.status !== 0) throw new Error(`taskset failed: ${result.stderr}`);
  }
}

function isInterruptThread(id: string): boolean {
  try {
    return readFileSync(`/proc/${id}/comm`, "utf8").startsWith("irq/");
  } catch {
    return false;
  }
}
