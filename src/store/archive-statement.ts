import type { Database } from "better-sqlite3";
// Not all of zod: the threads that load this parse little else.
import * as z from "zod/mini";
import { formatMonth } from "../domain/archive.ts";
import type { Day, Month } from "../domain/day.ts";
import type { ArchivedSum } from "./rollup.ts";

/** `ledger-2024-05.db`; a number follows where a month was archived in several pieces. */
const NAME = /^ledger-\d{4,6}-\d{2}(-\d+)?\.db$/;

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const text = z.string();
const number = z.int();

const statementSchema = z.strictObject({
  month: number,
  /** Zone of the days. */
  timeZone: text,
  file: z.string().check(z.regex(NAME)),
  /** SHA-256 of the file. */
  sha256: hash,
  /** Records, voided ones too. */
  records: z.int().check(z.gte(1)),
  /** Entries that follow one another in the chain: first and last number, records among them, hash of the last. */
  runs: z.array(z.tuple([number, number, number, hash])).check(z.minLength(1)),
  /** What counts, per user, local day, location and device: number of records, whole units, millionths left over. */
  days: z.array(z.tuple([text, number, text, text, number, number, number])),
  /** Likewise per user, location, device and room. */
  rooms: z.array(z.tuple([text, text, text, text, number, number, number])),
});

/** What the ledger keeps of archived entries: enough to follow the chain past them, and all their sums. */
export type ArchiveStatement = z.infer<typeof statementSchema>;

/** The statement as it stands in the chain. */
export function statementText(statement: ArchiveStatement): string {
  return JSON.stringify(statement);
}

/** Undefined for a text that is none of ours. */
export function parseStatement(json: string | null): ArchiveStatement | undefined {
  if (json === null) return undefined;
  try {
    return statementSchema.parse(JSON.parse(json));
  } catch {
    // Altered, or torn by the disk: the chain names it.
    return undefined;
  }
}

/** `ledger-2024-05.db`, or with a number from the second piece on. */
export function archiveName(month: Month, piece: number): string {
  return `ledger-${formatMonth(month)}${piece === 1 ? "" : `-${piece}`}.db`;
}

/** An entry that tells of an archive. */
export interface Archive {
  /** Number of that entry. */
  readonly position: number;
  readonly statement: ArchiveStatement;
}

/** Entries that follow one another and were archived together. */
export interface ArchivedRun {
  readonly first: number;
  readonly last: number;
  readonly records: number;
  /** Of the last one. */
  readonly hash: Buffer;
  readonly archive: Archive;
}

/** All that was archived. */
export class Archives {
  readonly list: readonly Archive[];
  /** Numbers of entries that should tell of an archive and cannot be understood. */
  readonly unread: readonly number[];
  readonly #runs: readonly ArchivedRun[];

  constructor(list: readonly Archive[], unread: readonly number[] = []) {
    this.list = list;
    this.unread = unread;
    this.#runs = list
      .flatMap((archive) => runsOf(archive))
      // What an entry tells of must stand before it.
      .filter(({ last, archive }) => last < archive.position)
      .toSorted((one, other) => one.first - other.first);
  }

  /** In the order of the chain. */
  get runs(): readonly ArchivedRun[] {
    return this.#runs;
  }

  /** The run that an entry belongs to; undefined for an entry that is not archived. */
  runOf(position: number): ArchivedRun | undefined {
    let [low, high] = [0, this.#runs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#runs[middle]?.first ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    const run = this.#runs[low - 1];
    return run !== undefined && position <= run.last ? run : undefined;
  }
}

export function runsOf(archive: Archive): ArchivedRun[] {
  return archive.statement.runs.map(([first, last, records, hex]) => ({
    first,
    last,
    records,
    hash: Buffer.from(hex, "hex"),
    archive,
  }));
}

/** Reads what was archived, in the caller's transaction. */
export function readArchives(db: Database): Archives {
  const rows = db
    .prepare<[], { position: number; json: string | null }>(
      `SELECT correction_id AS position, archive AS json FROM correction WHERE kind = 'archive' ORDER BY correction_id`,
    )
    .all();
  const list: Archive[] = [];
  const unread: number[] = [];
  for (const { position, json } of rows) {
    const statement = parseStatement(json);
    if (statement === undefined) unread.push(position);
    else list.push({ position, statement });
  }
  return new Archives(list, unread);
}

/** What counts, by local day. */
export function daysOf({ days }: ArchiveStatement): { readonly day: Day; readonly sum: ArchivedSum }[] {
  return days.map(([userId, day, locationName, deviceId, count, units, micros]) => ({
    day,
    sum: { userId, locationName, deviceId, count, units, micros },
  }));
}
