import { valorFromMicros } from "../domain/amount.ts";
import type { CardWear, Disk } from "../domain/disk.ts";
import type { Fault } from "../domain/fault.ts";
import type { ApplianceFacts, BackupStatus, LastEdge, LedgerStatus, Status } from "../domain/status.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SIZES = ["B", "kB", "MB", "GB", "TB"] as const;
const SIZE_STEP = 1_000;

/** How a running appliance is, for a person: a line each. */
export function describeStatus(status: Status): string[] {
  const { version, startedMs, uptimeMs, timeZone, driver, simulated } = status;
  const { linesWired, linesWatched, queues, clock } = status;
  const trust = clock.trusted ? "set, and to be trusted" : "not set from the network yet";
  return [
    `flanco ${version} is running since ${moment(startedMs, timeZone)} (${duration(uptimeMs)}).`,
    `Lines: ${linesWatched} of ${linesWired} watched by the driver ${driver}${simulated ? " (SIMULATED)" : ""}.`,
    ...describeLedger(status, status),
    `Waiting for the disk: ${queues.writes.waiting} writes (room for ${queues.writes.limit}), ${queues.edges.waiting} switchings (room for ${queues.edges.limit}).`,
    ...describeFacts(status),
    `Clock: ${moment(clock.nowMs, timeZone)} (${timeZone}), ${trust}.`,
  ];
}

/** What the ledger itself tells. */
export function describeLedger(ledger: LedgerStatus, { timeZone, currency }: ApplianceFacts): string[] {
  const { today, lastEdges, gaps, provisional } = ledger;
  const revenue = valorFromMicros(BigInt(today.revenueMicros)).toFixed(currency.decimals);
  return [
    ...lastEdges.map((edge) => describeEdge(edge, timeZone)),
    `Today (${today.day}): ${today.sales} records, ${revenue} ${currency.code}.`,
    `Gaps: ${gaps.all} known, ${gaps.last30Days} of them in the last 30 days.`,
    `Records without a trusted time: ${provisional.waiting} waiting for the clock, ${provisional.unplaced} that nobody can place.`,
  ];
}

/** What is known whether the appliance runs or not. */
export function describeFacts({ lastBackup, disk, timeZone }: ApplianceFacts): string[] {
  return [describeBackup(lastBackup, timeZone), ...(disk === null ? [] : [describeDisk(disk)])];
}

/** A fault in one line, with what to do. */
export function describeFault({ message, hint }: Fault): string {
  return `${message} ${hint}`;
}

function describeEdge(
  { line, room, deviceName, active, timeMs, provisional }: LastEdge,
  timeZone: string,
): string {
  const level =
    active === null || timeMs === null
      ? "not seen yet"
      : `${active ? "on" : "off"} since ${moment(timeMs, timeZone)}${provisional ? " (not trusted)" : ""}`;
  return `  ${line}: room ${room} of ${deviceName}, ${level}`;
}

function describeBackup(backup: BackupStatus | null, timeZone: string): string {
  if (backup === null) return "Backup: none yet.";
  const age = backup.ageMs === null ? "" : `, ${duration(backup.ageMs)} ago`;
  return `Backup: of ${moment(backup.madeMs, timeZone)}${age}, with ${backup.records} records, restored and checked.`;
}

function describeDisk({ freeBytes, totalBytes, ledgerBytes, logBytes, card }: Disk): string {
  const wear = card === null ? "" : ` ${describeCard(card)}`;
  return `Disk: ${size(freeBytes)} of ${size(totalBytes)} free; the ledger takes ${size(ledgerBytes)}, its log ${size(logBytes)}.${wear}`;
}

function describeCard({ device, lifeUsedPercent, spareBlocks }: CardWear): string {
  const life = lifeUsedPercent === null ? [] : [`at most ${lifeUsedPercent} % of its life used`];
  const spare = spareBlocks === null ? [] : [`spare blocks: ${spareBlocks}`];
  return `Card ${device}: ${[...life, ...spare].join(", ")}.`;
}

/** Local date and time: 2026-11-21 17:40:02. */
function moment(timeMs: number, timeZone: string): string {
  // Swedish dates are written as ISO 8601 has them.
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(
    timeMs,
  );
}

function duration(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`;
  return `${Math.floor(ms / DAY_MS)} d ${Math.floor((ms % DAY_MS) / HOUR_MS)} h`;
}

function size(bytes: number): string {
  const step = Math.min(
    SIZES.length - 1,
    bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / Math.log10(SIZE_STEP)),
  );
  const value = bytes / SIZE_STEP ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${SIZES[step]}`;
}
