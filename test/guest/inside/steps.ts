import { setTimeout as pause } from "node:timers/promises";
import { type Drive, type Gap, lineName, type Reports, ROOMS } from "../report.ts";
import type { Api } from "./api.ts";
import { Books } from "./books.ts";
import { until } from "./deadline.ts";
import type { Ledger } from "./ledger.ts";
import { interruptTotal, type Relays, shareProcessorWithInterrupts } from "./relays.ts";
import type { Service } from "./service.ts";

/** What a step works with: a service that watches eight lines, all low. */
export interface Parts {
  readonly service: Service;
  readonly relays: Relays;
  readonly ledger: Ledger;
  readonly api: Api;
}

/** Between two edges of the eight lines together. */
const PACE_MS = 1;
const BURST_LINE = 7;
const SETTLE_MS = 30_000;
/** High before the kill and all the while. */
const STAYS_HIGH = 0;
/** High before the kill, low while the program is away. */
const GOES_LOW = 1;
/** Low before the kill, high while the program is away. */
const GOES_HIGH = 2;
/** Low before the kill and after, watched: its pulse shows that the program is done with starting. */
const MARKER = 3;

/**
 * Drives the lines in turn, high and low. `heardBy` says what must have taken an edge before its line changes
 * again: the kernel (its interrupt thread has put it into the buffer), or the ledger.
 */
export async function provePaced(
  { relays, ledger, api }: Parts,
  edges: number,
  heardBy: "kernel" | "ledger",
): Promise<Reports["paced"]> {
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
  const interrupts = interruptTotal() - interruptsBefore;
  const [actuators, summary] = [await api.actuators(), await api.summary()];
  return { drives, interrupts, rows: ledger.rowsAfter(position), actuators, summary };
}

/**
 * Stops the program, gives one line more edges than the kernel's buffer holds, and lets the program go on. The
 * last edge is a marker: once its sale is in the ledger, everything before it has been dealt with.
 */
export async function proveBurst(
  { service, relays, ledger, api }: Parts,
  driven: number,
): Promise<Reports["burst"]> {
  shareProcessorWithInterrupts();
  const position = ledger.position();
  const gapsBefore = ledger.gaps().length;
  const interruptsBefore = interruptTotal();
  service.signal("SIGSTOP");
  let lastHighNs = 0;
  for (let edge = 0; edge < driven; edge += 1) {
    const high = edge % 2 === 0;
    const drive = relays.drive(BURST_LINE, high);
    if (high) lastHighNs = drive.beforeNs;
  }
  service.signal("SIGCONT");
  await until(() => {
    const last = ledger.rowsAfter(position).at(-1);
    if (last === undefined || last.monotonicNs === null) return "no record of the burst";
    if (last.monotonicNs < lastHighNs) return "the burst's last sale is not in the ledger";
    return last.endedMs === null ? "the burst's last sale has not ended" : null;
  }, SETTLE_MS);
  const interrupts = interruptTotal() - interruptsBefore;
  const gaps = ledger.gaps().slice(gapsBefore);
  const apiGaps = (await api.gaps())
    .map(({ line, missed, reason }): Gap => ({ line, missed, reason }))
    .filter(({ line }) => line === lineName(BURST_LINE));
  return { driven, interrupts, rows: ledger.rowsAfter(position), gaps, apiGaps };
}

/** Kills the program between high and low and between low and high and starts it again. */
export async function proveKill({ service, relays, ledger }: Parts): Promise<Reports["killed"]> {
  const position = ledger.position();
  const books = new Books(ledger);
  const drive = (offset: number, high: boolean) => {
    relays.drive(offset, high);
    books.expect(offset, high);
  };

  drive(STAYS_HIGH, true);
  drive(GOES_LOW, true);
  await books.settled();
  const awayFromMs = Date.now();
  await service.end("SIGKILL");
  drive(GOES_LOW, false);
  drive(GOES_HIGH, true);
  await service.start();
  await service.watchesAllLines();
  const awayToMs = Date.now();
  // A second record of a sale would be in the file before the marker's: the recorder begins with the levels.
  drive(MARKER, true);
  await books.settled(MARKER);
  drive(MARKER, false);
  await books.settled();
  const restarted = ledger.roomsAfter(position);

  drive(STAYS_HIGH, false);
  drive(GOES_HIGH, false);
  await books.settled();
  return { awayFromMs, awayToMs, restarted, last: ledger.roomsAfter(position) };
}

/**
 * Sends every line high and, with those edges perhaps not even read, tells the program to end; then starts it
 * again and ends it once more.
 */
export async function proveEnd({ service, relays, ledger }: Parts): Promise<Reports["ended"]> {
  const position = ledger.position();
  for (const offset of ROOMS.keys()) relays.drive(offset, true);
  const exitCode = await service.end("SIGTERM");
  const committed = ledger.roomsAfter(position);
  await service.start();
  await service.watchesAllLines();
  await service.end("SIGTERM");
  return { exitCode, committed, restarted: ledger.roomsAfter(position) };
}
