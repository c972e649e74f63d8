import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../rig/until.ts";
import { type Absence, type Drive, ROOMS } from "../report.ts";
import type { Ledger } from "./ledger.ts";
import { allWatched, type Relays } from "./relays.ts";
import type { Unit } from "./unit.ts";

/** Between two edges of the eight lines together: a line's buffer then holds minutes of them. */
const PACE_MS = 50;
export const SETTLE_MS = 300_000;
/** Edges before the process goes, so that some are on their way just then. */
const BEFORE_MS = 500;

export interface Parts {
  readonly unit: Unit;
  readonly relays: Relays;
  readonly ledger: Ledger;
}

/**
 * Drives the eight lines in turn without a pause, while the process goes away by `leave` and systemd brings the
 * next one. Afterwards every line goes high and low once more: when these sales are in the ledger, whatever
 * was to come of the edges before has come.
 */
export async function proveAbsence(
  { unit, relays, ledger }: Parts,
  leave: (pid: number) => Promise<void>,
): Promise<Absence> {
  const position = ledger.position();
  const gaps = ledger.gaps().length;
  const outages = ledger.outages().length;
  const drives: Drive[] = [];
  const drive = (offset: number, high: boolean) => drives.push(relays.drive(offset, high));
  let driving = true;
  const driven = (async () => {
    for (let edge = 0; driving || edge % (2 * ROOMS.length) !== 0; edge += 1) {
      drive(edge % ROOMS.length, Math.floor(edge / ROOMS.length) % 2 === 0);
      await pause(PACE_MS);
    }
  })();
  await pause(BEFORE_MS);
  const pid = await unit.mainPid();
  const awayFromNs = Number(process.hrtime.bigint());
  await leave(pid);
  const awayToNs = await unit.ready(pid);
  await allWatched(SETTLE_MS);
  driving = false;
  await driven;
  for (const offset of ROOMS.keys()) {
    const { beforeNs, room } = relays.drive(offset, true);
    const sold = () => (ledger.roomsAfter(position)[room]?.at(-1)?.monotonicNs ?? 0) >= beforeNs;
    await until(`the last sale of room ${room} is in the ledger`, sold, SETTLE_MS);
    relays.drive(offset, false);
  }
  const ended = () => ledger.rowsAfter(position).every((row) => row.endedMs !== null);
  await until("all sales have ended", ended, SETTLE_MS);
  return {
    drives,
    awayFromNs,
    awayToNs,
    // The last sale of each room is the one that said that all was settled.
    rows: ROOMS.flatMap((room) => (ledger.roomsAfter(position)[room] ?? []).slice(0, -1)),
    gaps: ledger.gaps().slice(gaps),
    outages: ledger.outages().slice(outages),
    journal: await unit.journal(awayFromNs),
  };
}
