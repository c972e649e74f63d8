import type { SeededRandom } from "./random.ts";
import { type LogEntry, SECTOR_BYTES, type WriteLog } from "./write-log.ts";

/** What a disk's cache had put on the medium, of the writes since the last flush, when the power went. */
export const STATE_KINDS = ["none", "subset", "torn", "all"] as const;
export type StateKind = (typeof STATE_KINDS)[number];

/** One disk as a power cut could leave it. */
export interface CrashState {
  /** How many entries of the log there were when the power went. */
  readonly cut: number;
  readonly kind: StateKind;
  /** Entries up to this one are on the medium whole. */
  readonly durable: number;
  /** What else is on it, in the order of the log. */
  readonly fragments: readonly Fragment[];
}

/** Some sectors of one write. */
export interface Fragment {
  readonly entry: number;
  /** Byte ranges within the write: from, up to. */
  readonly ranges: readonly (readonly [number, number])[];
}

export interface CutRange {
  /** Least and greatest number of entries there may be. */
  readonly from: number;
  readonly to: number;
  /** Cuts of special interest, such as just after an acknowledgement: half of the states are made at these. */
  readonly favoured: readonly number[];
}

/** How often another cut is tried for one that leaves something in the disk's cache. */
const MAX_TRIES = 20;

/** Chooses `count` states, the four kinds in turn, in the order of the log. */
export function chooseStates(
  log: WriteLog,
  range: CutRange,
  count: number,
  random: SeededRandom,
): readonly CrashState[] {
  const favoured = range.favoured.filter((cut) => cut >= range.from && cut <= range.to);
  const states: CrashState[] = [];
  for (let index = 0; index < count; index += 1) {
    const kind = STATE_KINDS[index % STATE_KINDS.length] ?? "none";
    let cut = range.from;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const atFavoured = favoured.length > 0 && random.chance(0.5);
      cut = atFavoured ? random.pick(favoured) : random.between(range.from, range.to + 1);
      // Right after a flush all kinds are one and the same state.
      if (durableEntries(log, cut) < cut) break;
    }
    states.push(makeState(log, cut, kind, random));
  }
  return states.sort((one, other) => one.cut - other.cut);
}

/** The one state after everything that was written. */
export function finalState(log: WriteLog): CrashState {
  return { cut: log.entries.length, kind: "all", durable: log.entries.length, fragments: [] };
}

function makeState(log: WriteLog, cut: number, kind: StateKind, random: SeededRandom): CrashState {
  const durable = durableEntries(log, cut);
  const fragments: Fragment[] = [];
  for (let entry = durable; entry < cut; entry += 1) {
    const write = log.entries[entry];
    if (write === undefined || write.length === 0) continue;
    const ranges = write.fua ? whole(write) : keptOf(write, kind, random);
    if (ranges.length > 0) fragments.push({ entry, ranges });
  }
  return { cut, kind, durable, fragments };
}

/** Everything before the last flush; what a flush itself writes comes after it. */
function durableEntries(log: WriteLog, cut: number): number {
  for (let entry = cut - 1; entry >= 0; entry -= 1) {
    const candidate = log.entries[entry];
    if (candidate?.flush === true) return candidate.length === 0 ? entry + 1 : entry;
  }
  return 0;
}

function keptOf(
  write: LogEntry,
  kind: StateKind,
  random: SeededRandom,
): readonly (readonly [number, number])[] {
  switch (kind) {
    case "none":
      return [];
    case "all":
      return whole(write);
    case "subset":
      return random.chance(0.5) ? whole(write) : [];
    case "torn":
      return tornOf(write, random);
  }
}

/** A third of the writes whole, a third up to some sector, a third in sectors here and there. */
function tornOf(write: LogEntry, random: SeededRandom): readonly (readonly [number, number])[] {
  const sectors = write.length / SECTOR_BYTES;
  const way = random.between(0, 3);
  if (way === 0) return whole(write);
  if (way === 1) return [[0, random.between(0, sectors + 1) * SECTOR_BYTES]];
  const ranges: (readonly [number, number])[] = [];
  for (let sector = 0; sector < sectors; sector += 1) {
    if (random.chance(0.5)) ranges.push([sector * SECTOR_BYTES, (sector + 1) * SECTOR_BYTES]);
  }
  return ranges;
}

function whole(write: LogEntry): readonly (readonly [number, number])[] {
  return [[0, write.length]];
}
