import { closeSync, cpSync, openSync, readSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import type { SeededRandom } from "../../scripts/powercut/random.ts";
import { MINUTE_MS } from "../../src/domain/clock.ts";
import { type DataDirectory, dataDirectoryOf } from "../../src/ledger/engine/data-directory.ts";
import { openReader } from "../../src/ledger/engine/reader.ts";
import { storeWriter } from "../../src/ledger/engine/writer.ts";
import { type PrepareRequest, prepareLedger } from "../../src/ledger/safety/prepare.ts";
import { segmentsIn } from "../../src/ledger/safety/tail.ts";
import { openRecovering } from "../../src/service/ledger.ts";
import { newRecord, TestLedger } from "../ledger/test-ledger.ts";
import { query } from "../rig/ledger-file.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const CLOCK = { nowMs: () => NOW_MS, monotonicNs: () => 0n };
const PAGE_BYTES = 4_096;
const BITS = 8;
const BYTE_VALUES = 256;
const SMUDGE_BYTES = 200;
const TORN_PAGES = 20;

/** Records before the backup, and in all. */
const BACKED_UP = 1_500;
const SALES = 3_000;
const VOIDED = [10, 2_000, SALES - 1];
/** The same of the ledger with a log. */
const LOG_BACKED_UP = 40;
const LOG_SALES = 120;

export const DAMAGES = ["cut", "bit", "smudge", "pages"] as const;
type Damage = (typeof DAMAGES)[number];

/** What the test knows of the ledger. */
interface Truth {
  /** Millionths by number of the record. */
  readonly micros: ReadonlyMap<number, number>;
  /** The entries that void records, by the record's number. */
  readonly voids: ReadonlyMap<number, number>;
}

/** A data directory with a ledger, that is copied for each trial. */
export class DamageBench {
  readonly #directory = new TemporaryDirectory();
  readonly #original = this.#directory.file("original");
  #truth: Truth = { micros: new Map(), voids: new Map() };

  /** Takes over what `fill` has made of a ledger, as its files lie there then. */
  private async open(fill: (ledger: TestLedger) => Promise<void>, hasTail = true): Promise<this> {
    const ledger = new TestLedger();
    ledger.tail = hasTail;
    await ledger.open();
    await fill(ledger);
    cpSync(ledger.directory, this.#original, { recursive: true });
    this.#truth = readTruth(ledger.file);
    await ledger.remove();
    return this;
  }

  /** A ledger of which half is in a proven backup and all in the tail. Without `backups` it has neither: the control. */
  static halfBackedUp(backups = true): Promise<DamageBench> {
    return new DamageBench().open(async (ledger) => {
      const { id } = await ledger.addUser();
      const sell = (from: number, to: number) =>
        Promise.all(
          Array.from({ length: to - from }, (_, index) =>
            ledger.writer.addRecord(id, sale(from + index + 1), null),
          ),
        );
      await sell(0, BACKED_UP);
      if (backups) await ledger.backUp();
      await sell(BACKED_UP, SALES);
      for (const recordId of VOIDED) await ledger.writer.voidRecord(recordId, "relay tested");
      await ledger.close();
    }, backups);
  }

  /** A ledger whose log has a commit for each of 80 sales after the backup. */
  static withLog(): Promise<DamageBench> {
    return new DamageBench().open(async (ledger) => {
      const { id } = await ledger.addUser();
      const sell = async (from: number, to: number) => {
        for (let number = from; number <= to; number += 1)
          await ledger.writer.addRecord(id, sale(number), null);
      };
      await sell(1, LOG_BACKED_UP);
      await ledger.backUp();
      await sell(LOG_BACKED_UP + 1, LOG_SALES);
      const isWritten = () => segmentsIn(ledger.folder).at(-1)?.end === 1 + LOG_SALES;
      await until("the tail is written", isWritten);
    });
  }

  get truth(): Truth {
    return this.#truth;
  }

  /** A copy for one trial. */
  copy(): DataDirectory {
    const directory = this.#directory.file("trial");
    rmSync(directory, { recursive: true, force: true });
    cpSync(this.#original, directory, { recursive: true });
    return dataDirectoryOf(directory);
  }

  close(): void {
    this.#directory.remove();
  }
}

function sale(recordId: number) {
  return newRecord({
    room: String(recordId % 40),
    valorMicros: 1_000_000 + recordId,
    createdTimeMs: NOW_MS - (SALES - recordId) * MINUTE_MS,
  });
}

/** Damages a file at a random place; says what was done. */
export function damage(file: string, kind: Damage, random: Pick<SeededRandom, "next">): string {
  const { size } = statSync(file);
  const at = Math.floor(random.next() * size);
  if (kind === "cut") {
    truncateSync(file, at);
    return `cut at ${at}`;
  }
  const descriptor = openSync(file, "r+");
  try {
    const longest = { bit: 1, smudge: SMUDGE_BYTES, pages: TORN_PAGES * PAGE_BYTES }[kind];
    const bytes = Buffer.alloc(Math.min(size - at, Math.ceil(random.next() * longest)));
    if (kind === "bit") {
      readSync(descriptor, bytes, 0, 1, at);
      bytes[0] = (bytes[0] ?? 0) ^ (1 << Math.floor(random.next() * BITS));
    } else {
      for (let index = 0; index < bytes.length; index += 1)
        bytes[index] = Math.floor(random.next() * BYTE_VALUES);
    }
    writeSync(descriptor, bytes, 0, bytes.length, at);
    return `${bytes.length} bytes at ${at}`;
  } finally {
    closeSync(descriptor);
  }
}

interface Start {
  readonly users: number;
  /** Whether the ledger was rebuilt. */
  readonly recovered: boolean;
}

/** Starts as the service does, as far as the ledger goes, and stops again. */
export async function start(dataDirectory: DataDirectory): Promise<Start> {
  let recovered = false;
  const noteError = () => {
    recovered = true;
  };
  const log = { debug() {}, info() {}, warn() {}, error: noteError };
  const config = { data_dir: dataDirectory.path, backup_dir: "", backup_disk_dir: "", time_zone: "UTC" };
  const run = async (request: PrepareRequest) => prepareLedger(request, () => {});
  const options = { config, dataDirectory, log, clock: CLOCK, run };
  return openRecovering(options, async () => {
    const settings = { file: dataDirectory.ledger, timeZone: "UTC", tailDirectory: dataDirectory.backups };
    const listener = { onChanges: () => {}, onDeath: () => {} };
    const writer = storeWriter(settings, CLOCK, listener);
    await writer.open();
    try {
      const reader = openReader(dataDirectory.ledger, "UTC");
      const users = reader.accountCount();
      reader.close();
      return { users, recovered };
    } finally {
      await writer.close();
    }
  }).then(({ users }) => ({ users, recovered }));
}

/** How a ledger that verifies differs from the truth; each text is a lie, or a silence. */
export function liesOf(file: string, truth: Truth): string[] {
  const held = readTruth(file);
  const differ = (one: ReadonlyMap<number, number>, other: ReadonlyMap<number, number>) =>
    [...one].filter(([recordId, value]) => other.get(recordId) !== value).map(([recordId]) => recordId);
  return [
    ...differ(held.micros, truth.micros).map((recordId) => `record ${recordId} was never so`),
    ...differ(truth.micros, held.micros).map((recordId) => `record ${recordId} is gone or changed`),
    ...differ(truth.voids, held.voids).map((recordId) => `record ${recordId} counts again`),
    ...differ(held.voids, truth.voids).map((recordId) => `record ${recordId} counts no more`),
  ];
}

/** What the file holds, as SQLite reads it. */
export function readTruth(file: string): Truth {
  const rows = query<{ recordId: number; micros: number; voidedBy: number | null }>(
    file,
    "SELECT record_id AS recordId, valor_micros AS micros, voided_by AS voidedBy FROM record",
  );
  return {
    micros: new Map(rows.map(({ recordId, micros }) => [recordId, micros])),
    voids: new Map(
      rows.flatMap(({ recordId, voidedBy }) => (voidedBy === null ? [] : [[recordId, voidedBy]])),
    ),
  };
}
