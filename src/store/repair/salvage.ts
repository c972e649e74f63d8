import type { Database } from "better-sqlite3";
import { LocalCalendar } from "../ledger/calendar.ts";
import {
  anchorOf,
  type ChainHead,
  type CorrectionEntry,
  correctionText,
  hashOf,
  NO_HASH,
  RECORD_COLUMNS,
  RECORD_FIELDS,
  type RecordEntry,
  readHead,
  recordText,
} from "../ledger/chain.ts";
import { rebuildRollups } from "../ledger/rollup.ts";
import { rollupZone } from "../ledger/rollup-zone.ts";
import {
  attempt,
  insertRow,
  mendLevels,
  passOver,
  type Row,
  takeAdded,
  takeKeys,
  takePlaces,
} from "./salvage-tables.ts";

/** Numbers without an entry after which the end is taken to be reached, where the head itself cannot be read. */
const END_AFTER = 50_000;
const HASH_BYTES = 32;

/** One entry as it could be read, and the text that its hash is of. */
interface Found {
  readonly table: "record" | "correction";
  readonly row: Row;
  readonly text: string;
  readonly hash: Buffer;
}

/** Entries of a stretch that cannot be had. */
export interface Hole {
  readonly from: number;
  readonly to: number;
  /** Wall times of the entries before and after it, in Unix milliseconds; null where there is none. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

interface OpenHole extends Hole {
  /** What ties the entry after it; null at the end. */
  readonly anchor: Buffer | null;
}

export interface Salvaged {
  /** Entries that were read from the damaged file. */
  readonly entries: number;
  readonly holes: readonly Hole[];
  /** Whether users, devices and wiring are as the damaged file had them; otherwise as the backup had. */
  readonly placesSaved: boolean;
}

export interface SalvageNote {
  readonly nowMs: number;
  /** Name of the damaged file, for who reads the books. */
  readonly keptAs: string;
}

/**
 * Adds to `target`, a restored backup, what `source`, the damaged ledger, has more: every entry after the backup's
 * head that can be read and whose hash follows from the one before it. An entry that follows a hole cannot be
 * proved by what stands before it; it is taken when the entry after it follows from it, or nothing does. Each hole
 * becomes a `lost` correction. One transaction.
 *
 * A correction of a record that could not be had stays: it is an entry of the chain, though what it refers to is gone.
 */
export function salvage(target: Database, source: Database | undefined, note: SalvageNote): Salvaged {
  target.pragma("foreign_keys = OFF");
  const run = target.transaction(() => {
    const placesSaved = source !== undefined && takePlaces(target, source);
    if (!placesSaved) target.exec("DELETE FROM session");
    if (source !== undefined) takeAdded(target, source);
    const entries = new Entries(target, source);
    const salvaged = entries.take(note);
    if (source !== undefined && salvaged.entries > 0) takeKeys(target, source);
    passOver(target, source);
    mendLevels(target);
    rebuildRollups(target, new LocalCalendar(rollupZone(target)), () => {});
    return { ...salvaged, placesSaved };
  });
  return run.immediate();
}

/** The entries of the chain, one after the other. */
class Entries {
  readonly #target: Database;
  readonly #source: Database | undefined;
  readonly #boots: Map<number, string>;
  readonly #holes: OpenHole[] = [];
  /** The newest entry that was taken, or stands in the backup. */
  #head: ChainHead;
  #timeMs: number | null;
  #taken = 0;

  constructor(target: Database, source: Database | undefined) {
    this.#target = target;
    this.#source = source;
    this.#head = readHead(target);
    this.#timeMs = null;
    // After `boot` was taken over, so that those of the damaged file are among them.
    this.#boots = new Map(
      target
        .prepare<[], { boot: number; bootId: string }>("SELECT boot, boot_id AS bootId FROM boot")
        .all()
        .map(({ boot, bootId }) => [boot, bootId]),
    );
  }

  take({ nowMs, keptAs }: SalvageNote): Omit<Salvaged, "placesSaved"> {
    this.#timeMs =
      this.#target
        .prepare<[], number>("SELECT effective_ms FROM record ORDER BY record_id DESC LIMIT 1")
        .pluck()
        .get() ?? null;
    const { last, known } = this.#readAll();
    if (last > this.#head.position) this.#closeEnd(last, known, nowMs, keptAs);
    for (const hole of this.#holes) this.#tell(hole, nowMs, keptAs);
    this.#target
      .prepare<[number, Buffer]>("UPDATE chain_head SET position = ?, hash = ?")
      .run(this.#head.position, this.#head.hash);
    return { entries: this.#taken, holes: this.#holes.map(({ anchor: _anchor, ...hole }) => hole) };
  }

  /**
   * Reads on from the backup's head. Gives the number of the newest entry that there ever was; where that cannot be
   * known, one more than what there is a sign of, so that there is something to tell of.
   */
  #readAll(): { readonly last: number; readonly known: boolean } {
    const source = this.#source;
    if (source === undefined) return { last: this.#head.position + 1, known: false };
    const find = this.#finder(source);
    const told = toldHead(source, find, this.#head.position);
    /** The hash that is stored at the position before, whether or not its entry can be trusted. */
    let before: Buffer | undefined = this.#head.hash;
    let waiting: { readonly position: number; readonly found: Found } | undefined;
    let missed = 0;
    let newest = this.#head.position;
    const end = told?.position ?? Number.POSITIVE_INFINITY;
    for (let position = this.#head.position + 1; position <= end && missed < END_AFTER; position += 1) {
      const found = find(position);
      if (found === undefined) {
        if (waiting !== undefined) this.#add(waiting.position, waiting.found);
        waiting = undefined;
        before = undefined;
        missed += 1;
        continue;
      }
      missed = 0;
      newest = position;
      const follows = before !== undefined && hashOf(before, found.text).equals(found.hash);
      // `waiting` follows a hole. This entry follows from it, or shows that its hash is not part of the chain.
      if (waiting !== undefined && (follows || before === undefined))
        this.#add(waiting.position, waiting.found);
      waiting = undefined;
      if (follows) this.#add(position, found);
      else if (before === undefined) waiting = { position, found };
      before = found.hash;
    }
    if (waiting !== undefined && told?.hash.equals(waiting.found.hash) !== false) {
      this.#add(waiting.position, waiting.found);
    }
    if (told !== undefined) return { last: told.position, known: true };
    const signs = signsOf(source).filter((position) => position <= newest + END_AFTER);
    return { last: Math.max(newest, this.#head.position, ...signs) + 1, known: false };
  }

  #finder(source: Database): (position: number) => Found | undefined {
    const record = source.prepare<[number], Row>("SELECT * FROM record WHERE record_id = ?");
    const correction = source.prepare<[number], Row>("SELECT * FROM correction WHERE correction_id = ?");
    return (position) => {
      const found = attempt(() => record.get(position));
      if (found !== undefined) return this.#asRecord(found);
      const row = attempt(() => correction.get(position));
      return row === undefined ? undefined : asCorrection(row);
    };
  }

  #asRecord(row: Row): Found | undefined {
    const { hash } = row;
    if (!isHash(hash)) return undefined;
    const boot = row["boot"];
    const entry = {
      ...Object.fromEntries(RECORD_FIELDS.map((field) => [field, row[RECORD_COLUMNS[field]]])),
      bootId: typeof boot === "number" ? (this.#boots.get(boot) ?? null) : null,
    } as RecordEntry;
    const { valorMicros, createdTimeMs, room, userId } = entry;
    if (!Number.isSafeInteger(valorMicros) || !Number.isSafeInteger(createdTimeMs)) return undefined;
    if (typeof room !== "string" || typeof userId !== "string") return undefined;
    return { table: "record", row, hash, text: recordText(entry) };
  }

  /** Puts an entry into its place, and what it says into force. */
  #add(position: number, { table, row, text, hash }: Found): void {
    const timeMs = Number(table === "record" ? row["created_ms"] : row["noted_ms"]);
    if (position > this.#head.position + 1) {
      this.#holes.push({
        from: this.#head.position + 1,
        to: position - 1,
        fromMs: this.#timeMs,
        toMs: timeMs,
        anchor: anchorOf(hash, text),
      });
    }
    // What follows from corrections is made anew by them.
    const derived = table === "record" ? { effective_ms: row["created_ms"], voided_by: null } : {};
    insertRow(this.#target, table, { ...row, ...derived });
    if (table === "correction") this.#apply(position, row);
    this.#head = { position, hash };
    this.#timeMs = timeMs;
    this.#taken += 1;
  }

  #apply(position: number, row: Row): void {
    const recordId = Number(row["record_id"]);
    if (row["kind"] === "void") {
      this.#target
        .prepare<[number, number]>(
          "UPDATE record SET voided_by = ? WHERE record_id = ? AND voided_by IS NULL",
        )
        .run(position, recordId);
    }
    if (row["kind"] === "time") {
      this.#target
        .prepare<[number, number]>("UPDATE record SET effective_ms = ? WHERE record_id = ?")
        .run(Number(row["time_ms"]), recordId);
    }
  }

  /** Entries at the end are gone: an entry of its own stands after them, so that no number is given twice. */
  #closeEnd(last: number, known: boolean, nowMs: number, keptAs: string): void {
    const hole = { from: this.#head.position + 1, to: last, fromMs: this.#timeMs, toMs: nowMs };
    const entry = lostEntry({
      position: last + 1,
      reason: known
        ? `the ledger goes on here after the damage to ${keptAs}`
        : `the end of ${keptAs} cannot be read: how many entries it had cannot be told; the ledger goes on here`,
      notedMs: nowMs,
    });
    const text = correctionText(entry);
    const hash = hashOf(this.#head.hash, text);
    insertCorrection(this.#target, entry, hash);
    this.#head = { position: entry.position, hash };
    this.#holes.push({ ...hole, anchor: anchorOf(hash, text) });
  }

  #tell(hole: OpenHole, nowMs: number, keptAs: string): void {
    const entry = lostEntry({
      position: this.#head.position + 1,
      lostFrom: hole.from,
      lostTo: hole.to,
      anchor: hole.anchor,
      reason: `between ${at(hole.fromMs)} and ${at(hole.toMs)}; the damaged file is kept as ${keptAs}`,
      notedMs: nowMs,
    });
    const hash = hashOf(this.#head.hash, correctionText(entry));
    insertCorrection(this.#target, entry, hash);
    this.#head = { position: entry.position, hash };
  }
}

function lostEntry(
  entry: Pick<CorrectionEntry, "position" | "reason" | "notedMs"> & Partial<CorrectionEntry>,
): CorrectionEntry {
  return { kind: "lost", recordId: null, timeMs: null, lostFrom: null, lostTo: null, anchor: null, ...entry };
}

function insertCorrection(db: Database, entry: CorrectionEntry, hash: Buffer): void {
  insertRow(db, "correction", {
    correction_id: entry.position,
    kind: entry.kind,
    lost_from: entry.lostFrom,
    lost_to: entry.lostTo,
    anchor: entry.anchor,
    reason: entry.reason,
    noted_ms: entry.notedMs,
    hash,
  });
}

function asCorrection(row: Row): Found | undefined {
  const { hash } = row;
  if (!isHash(hash)) return undefined;
  const entry = {
    position: row["correction_id"],
    kind: row["kind"],
    recordId: row["record_id"],
    timeMs: row["time_ms"],
    lostFrom: row["lost_from"],
    lostTo: row["lost_to"],
    anchor: row["anchor"],
    reason: row["reason"],
    notedMs: row["noted_ms"],
  } as CorrectionEntry;
  if (entry.anchor !== null && !isHash(entry.anchor)) return undefined;
  return { table: "correction", row, hash, text: correctionText(entry) };
}

/**
 * The newest entry as the damaged file says it; undefined where its head cannot be read, or is not to be believed.
 */
function toldHead(
  source: Database,
  find: (position: number) => Found | undefined,
  known: number,
): ChainHead | undefined {
  const head = attempt(() => readHead(source));
  if (head !== undefined && isHash(head.hash) && Number.isSafeInteger(head.position)) {
    const newest = find(head.position);
    if (newest === undefined ? head.position - known <= END_AFTER : newest.hash.equals(head.hash)) {
      return head.position >= known ? head : { position: known, hash: NO_HASH };
    }
  }
  return undefined;
}

/** Numbers of records that other tables of the damaged file know. */
function signsOf(source: Database): number[] {
  const queries = [
    "SELECT max(record_id) FROM record",
    "SELECT max(record_id) FROM line_state",
    "SELECT max(record_id) FROM idempotency",
  ];
  const found = queries.map((sql) => attempt(() => source.prepare<[], unknown>(sql).pluck().get()));
  return found.filter((value) => typeof value === "number");
}

function isHash(value: unknown): value is Buffer {
  return Buffer.isBuffer(value) && value.length === HASH_BYTES;
}

function at(timeMs: number | null): string {
  if (timeMs === null) return "the beginning";
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? "an unknown time" : date.toISOString();
}
