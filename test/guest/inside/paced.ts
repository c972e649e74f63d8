import { setTimeout as pause } from "node:timers/promises";
import { type Drive, type ReportOf, ROOMS } from "../report.ts";
import { Books } from "./books.ts";
import type { Parts } from "./parts.ts";
import { interruptTotal, shareProcessorWithInterrupts } from "./relays.ts";

/** Between two edges of the eight lines together. */
const PACE_MS = 1;

/**
 * Drives the lines in turn, high and low. `heardBy` says what must have taken an edge before its line changes
 * again: the kernel (its interrupt thread has put it into the buffer), or the ledger.
 */
export async function provePaced(
  { relays, ledger, api }: Parts,
  edges: number,
  heardBy: "kernel" | "ledger",
): Promise<ReportOf<"paced">> {
  if (heardBy === "kernel") shareProcessorWithInterrupts();
  const books = new Books(ledger);
  const position = ledger.position();
  const interruptsBefore = interruptTotal();
  const drives: Drive[] = [];
  for (let edge = 0; edge < edges; edge += 1) {
    const offset = edge % ROOMS.length;
    const high = Math.floor(edge / ROOMS.length) % 2 === 0;
    if (heardBy === "ledger") await books.settled(offset);
    drives.push(relays.drive(offset, high));
    books.expect(offset, high);
    await pause(PACE_MS);
  }
  await books.settled();
  return {
    step: "paced",
    drives,
    interrupts: interruptTotal() - interruptsBefore,
    rows: [...ledger.rowsAfter(position)],
    actuators: await api.actuators(),
    summary: await api.summary(),
  };
}
