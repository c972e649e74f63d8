import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Recording } from "../../../scripts/powercut/recording.ts";
import type { WriteLog } from "../../../scripts/powercut/write-log.ts";
import { openForWriting } from "../../../src/ledger/engine/open.ts";
import { listBackups } from "../../../src/ledger/safety/backup-directory.ts";
import { faultsOf, verifyLedger } from "../../../src/ledger/safety/verify.ts";
import { query } from "../../rig/ledger-file.ts";
import { noteSchema, type PowerCutNote } from "./note.ts";
import { POSTED_ROOM, postMicros, postTimeMs } from "./work.ts";

const LEDGER = "flanco.db";
const BACKUPS = "backups";
/** Losses told one by one; further ones would say the same. */
const SHOWN_LOSSES = 5;

/** A note with its entry in the write log: a power cut at this entry or later comes after the note. */
interface PlacedNote {
  readonly note: PowerCutNote;
  readonly entry: number;
}

interface Row {
  readonly number: number;
  readonly room: string;
  readonly createdMs: number;
  readonly valorMicros: number;
  readonly origin: string;
}

/** What a ledger must hold at each moment of a recording: the acknowledgements, kept outside the guest. */
export class Books {
  readonly notes: readonly PlacedNote[];
  readonly #acknowledgedUserAt: number;
  readonly #readyAt: number;
  /** The ledger after everything: what any moment's ledger is the beginning of. */
  #final: readonly Row[] = [];

  constructor(recording: Recording, log: WriteLog) {
    this.notes = recording.notes.map(({ value, logBytes }) => ({
      note: noteSchema.parse(value),
      entry: log.entriesWithin(logBytes),
    }));
    this.#readyAt = this.entryOf("ready");
    this.#acknowledgedUserAt = this.entryOf("user");
  }

  /** The log's entries when the host had heard this for the first time. Throws when it never did. */
  entryOf(kind: PowerCutNote["kind"]): number {
    const placed = this.notes.find(({ note }) => note.kind === kind);
    if (placed === undefined) throw new Error(`The guest never said "${kind}".`);
    return placed.entry;
  }

  /** The moments just after an acknowledgement, where a commit that is not on the medium shows. */
  get acknowledgements(): readonly number[] {
    return this.notes
      .filter(({ note }) => note.kind === "posted" || note.kind === "sale")
      .map(({ entry }) => entry);
  }

  /**
   * Takes the finished ledger in as the measure of all others, once it is itself what was asked for: every
   * post once, every rise once, with their amounts. Names everything that is not so.
   */
  takeFinal(folder: string): readonly string[] {
    const { rows, wrong } = openLedger(join(folder, LEDGER));
    const done = this.notes.find(({ note }) => note.kind === "done")?.note;
    if (done?.kind !== "done") throw new Error("The guest never came to its end.");
    const posts = rows
      .filter(({ room }) => room === POSTED_ROOM)
      .sort((one, other) => one.createdMs - other.createdMs);
    const expected = Array.from(
      { length: done.posts },
      (_, number) => `${postTimeMs(number)} ${postMicros(number)}`,
    );
    const found = posts.map(({ createdMs, valorMicros }) => `${createdMs} ${valorMicros}`);
    const differs = expected.findIndex((text, number) => text !== found[number]);
    const sales = rows.length - posts.length;
    this.#final = rows;
    return [
      ...wrong,
      ...(differs >= 0 || found.length !== expected.length
        ? [`the finished ledger has ${found.length} of ${expected.length} posts; number ${differs} differs`]
        : []),
      ...(sales === done.rises ? [] : [`the finished ledger has ${sales} sales of ${done.rises} rises`]),
    ];
  }

  /** Compares the ledger of one crash with what was acknowledged before the cut. Names everything that is wrong. */
  compare(folder: string, cut: number): readonly string[] {
    const file = join(folder, LEDGER);
    const known = this.notes.filter(({ entry }) => entry <= cut).map(({ note }) => note);
    if (!existsSync(file)) {
      return this.#readyAt <= cut
        ? [`there is no ledger, though the program was ready (entry ${this.#readyAt})`]
        : [];
    }
    const { rows, users, wrong } = openLedger(file);
    const missing = known.filter((note) => !isKept(note, rows)).map(describe);
    return [
      ...wrong,
      ...(missing.length === 0
        ? []
        : [`${missing.length} acknowledged records are lost: ${missing.slice(0, SHOWN_LOSSES).join("; ")}`]),
      ...(this.#acknowledgedUserAt <= cut && users !== 1 ? [`${users} users, of the one acknowledged`] : []),
      ...this.#strangers(rows),
    ];
  }

  /**
   * Looks at what counts as a backup after one crash: each must be a whole ledger, of what was acknowledged before it was
   * begun, and one that was acknowledged must be there. Names everything that is wrong.
   */
  compareBackups(folder: string, cut: number): readonly string[] {
    const begun = this.entryOf("backing-up");
    const known = this.notes.filter(({ entry }) => entry < begun).map(({ note }) => note);
    const directory = join(folder, BACKUPS);
    const ledgers = existsSync(directory) ? readdirSync(directory) : [];
    const backups = ledgers.flatMap((name) => listBackups(join(directory, name)));
    if (backups.length === 0 && this.entryOf("backed-up") <= cut)
      return ["the acknowledged backup is not there"];
    return backups.flatMap(({ ledger, file, records }) => {
      const { rows, users, wrong } = openLedger(join(directory, ledger, file));
      const missing = known.filter((note) => !isKept(note, rows));
      return [
        ...wrong,
        ...(missing.length === 0 ? [] : [`${missing.length} records from before the backup are not in it`]),
        ...(rows.length === records ? [] : [`the backup has ${rows.length} of ${records} records`]),
        ...(users === 1 ? [] : [`the backup has ${users} users`]),
        ...this.#strangers(rows),
      ];
    });
  }

  /** A record that the finished ledger has not, or has elsewhere, was made up, changed or stored twice. */
  #strangers(rows: readonly Row[]): readonly string[] {
    const index = rows.findIndex((row, place) => !isSame(row, this.#final[place]));
    if (index < 0) return [];
    return [
      `record ${JSON.stringify(rows[index])} is not the one that was written: ${JSON.stringify(this.#final[index])}`,
    ];
  }
}

/** Opens a ledger as the program does at start, checks it as `flanco verify` does, and reads it. */
function openLedger(file: string): { rows: readonly Row[]; users: number; wrong: readonly string[] } {
  openForWriting(file).close();
  const wrong = faultsOf(verifyLedger(file, () => {}));
  const rows = query<Row>(
    file,
    `SELECT number, room, created_ms AS createdMs, valor_micros AS valorMicros, origin
       FROM record ORDER BY record_id`,
  );
  return { rows, users: query(file, "SELECT user_id FROM account").length, wrong };
}

/** Once and no more: the same post or sale in a second record is no better than none. */
function isKept(note: PowerCutNote, rows: readonly Row[]): boolean {
  if (note.kind === "posted") {
    const found = rows.filter((row) => row.room === POSTED_ROOM && row.createdMs === postTimeMs(note.number));
    return found.length === 1 && found[0]?.valorMicros === postMicros(note.number);
  }
  if (note.kind === "sale") {
    const found = rows.filter((row) => row.number === note.number);
    return found.length === 1 && found[0]?.room === note.room && found[0].createdMs === note.createdMs;
  }
  return true;
}

function describe(note: PowerCutNote): string {
  if (note.kind === "posted") return `post ${note.number}`;
  if (note.kind === "sale") return `record ${note.number}, a sale in room ${note.room}`;
  return note.kind;
}

function isSame(row: Row, other: Row | undefined): boolean {
  return JSON.stringify(row) === JSON.stringify(other);
}
