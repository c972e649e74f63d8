import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { SERVICE_ACTOR } from "../../src/domain/audit.ts";
import type { KeptHead, ProvenBackup } from "../../src/domain/backup.ts";
import type { Change } from "../../src/domain/change.ts";
import type { NewDevice } from "../../src/domain/device.ts";
import { FlancoError } from "../../src/domain/error.ts";
import type { Member } from "../../src/domain/member.ts";
import type { NewRecord } from "../../src/domain/record.ts";
import type { NewWiring } from "../../src/domain/wiring.ts";
import { folderOf, identityOf } from "../../src/ledger/engine/identity.ts";
import { openReader, type StoreReader } from "../../src/ledger/engine/reader.ts";
import { openUpToDate } from "../../src/ledger/engine/up-to-date.ts";
import type { StoreWriter, storeWriter } from "../../src/ledger/engine/writer.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { type BackupRequest, makeBackup } from "../../src/ledger/safety/backup.ts";
import { freeBytesOf } from "../../src/ledger/safety/file-copy.ts";
import { type Recovery, recoverLedger } from "../../src/ledger/safety/recover.ts";
import {
  openBackup,
  type RestoredLedger,
  type RestoreRequest,
  restoreLedger,
} from "../../src/ledger/safety/restore.ts";
import { type Verification, verifyLedger } from "../../src/ledger/safety/verify.ts";
import type { Progress } from "../../src/platform/work.ts";
import { writerHere } from "../rig/writer.ts";

/** A real ledger in a temporary directory, with its writer and a reader. */
export class TestLedger {
  readonly directory = mkdtempSync(join(tmpdir(), "flanco-ledger-"));
  readonly file = join(this.directory, "flanco.db");
  readonly changes: Change[] = [];
  readonly progress: [number, number][] = [];
  nowMs = Date.UTC(2026, 10, 21, 12);
  monotonicMs = 0;
  /** Where the tail must reach back to since the newest backup. */
  tailFrom = 0;
  /** Whether it keeps a tail, in its directory of backups. */
  tail = false;
  #writer: StoreWriter | undefined;
  #reader: StoreReader | undefined;
  readonly #makeWriter: typeof storeWriter;

  /** `storeWriter` gives the writer a thread of its own. */
  constructor(makeWriter: typeof storeWriter = writerHere) {
    this.#makeWriter = makeWriter;
  }

  async open(timeZone = "UTC"): Promise<this> {
    const clock = { nowMs: () => this.nowMs, monotonicNs: () => BigInt(this.monotonicMs * 1_000_000) };
    const tail = this.tail ? { tailDirectory: this.backups } : {};
    const settings = { file: this.file, ...tail };
    const begin = async () => {
      const writer = this.#makeWriter({ ...settings, timeZone }, clock, {
        onChanges: (changes) => void this.changes.push(...changes),
        onDeath: () => {},
      });
      await writer.open();
      return writer;
    };
    const writer = await begin().catch((error: unknown) => {
      if (!(error instanceof FlancoError && error.code === "outdated")) throw error;
      const note = ({ done, total }: Progress) => void this.progress.push([done, total]);
      openUpToDate({ ...settings, startMs: this.nowMs }, new LocalCalendar(timeZone), note).close();
      return begin();
    });
    this.#writer = writer;
    this.#reader = openReader(this.file, timeZone);
    return this;
  }

  get writer(): StoreWriter {
    if (this.#writer === undefined) throw new Error("the ledger is not open");
    return this.#writer;
  }

  get reader(): StoreReader {
    if (this.#reader === undefined) throw new Error("the ledger is not open");
    return this.#reader;
  }

  /** Where backups go, and the folder of this ledger's own. */
  get backups(): string {
    return join(this.directory, "backups");
  }

  get folder(): string {
    return folderOf(this.backups, identityOf(this.file) ?? "");
  }

  async close(): Promise<void> {
    this.#reader?.close();
    await this.#writer?.close();
    this.#reader = undefined;
    this.#writer = undefined;
  }

  /** A change by a person with access to the file, while the service is stopped. */
  async tamper(change: (db: Database) => void): Promise<void> {
    await this.close();
    const db = new DatabaseConstructor(this.file);
    db.pragma("foreign_keys = OFF");
    change(db);
    db.close();
    await this.open();
  }

  /** What the full check finds, beside the heads of proved backups. */
  verify(heads: readonly KeptHead[] = []): Verification {
    return verifyLedger(this.file, () => {}, heads);
  }

  /** A backup of this moment. */
  backupRequest(overrides: Partial<BackupRequest> = {}): BackupRequest {
    const { file: ledger, backups: directory, nowMs } = this;
    return { ledger, directory, nowMs, clockTrusted: true, rotate: true, ...overrides };
  }

  /** Makes it, and gives its proof. */
  async backUp(overrides: Partial<BackupRequest> = {}, freeBytes = freeBytesOf): Promise<ProvenBackup> {
    const made = await makeBackup(this.backupRequest(overrides), freeBytes);
    const { findings: _findings, keysLeftOut: _left, tailFrom, ...backup } = made;
    this.tailFrom = tailFrom;
    return backup;
  }

  /** Puts a backup in the place of the ledger, which is closed. */
  restore({ ledger, file }: ProvenBackup, overrides: Partial<RestoreRequest> = {}): RestoredLedger {
    return this.restoreFrom(join(folderOf(this.backups, ledger), file), overrides);
  }

  /** The same of any file that holds a ledger. */
  restoreFrom(file: string, overrides: Partial<RestoreRequest> = {}): RestoredLedger {
    using backup = openBackup(file);
    return restoreLedger({
      backup,
      ledger: this.file,
      nowMs: this.nowMs,
      by: SERVICE_ACTOR,
      tail: [],
      directories: [],
      mayBeOther: false,
      onProgress: () => {},
      onProved: () => {},
      ...overrides,
    });
  }

  /** Takes the ledger, which is closed, for damaged. */
  recover(): Recovery {
    const damage = new FlancoError("damaged", "The ledger is damaged.");
    return recoverLedger(this.file, damage, [this.backups], this.nowMs, () => {});
  }

  async remove(): Promise<void> {
    await this.close();
    rmSync(this.directory, { recursive: true });
  }

  addUser(name = "ana"): Promise<Member> {
    return this.writer.addUser({ name, email: `${name}@example.org`, passwordHash: "hash" });
  }

  /** A user with one device of two rooms, the first of them wired. */
  async wire(line = "GPIO17", settings: Partial<NewWiring> = {}) {
    const user = await this.addUser();
    const deviceId = await this.writer.addDevice(user.id, newDevice({}, ["101", "102"]));
    await this.writer.setWiring([{ userId: user.id, wiring: newWiring({ line, ...settings }) }]);
    return { user, deviceId };
  }
}

/** Of room 101 of the device that `TestLedger.wire` makes. */
export function newWiring(overrides: Partial<NewWiring> = {}): NewWiring {
  return {
    line: "GPIO17",
    dId: "7234",
    actuatorId: "101",
    valorMicros: 4_500_000,
    activeLow: false,
    bias: "as-is",
    debounceMs: 50,
    rearmMs: 0,
    paidMinutes: 0,
    ...overrides,
  };
}

/** A device of these rooms, all low. */
export function newDevice(overrides: Partial<NewDevice> = {}, rooms: readonly string[] = ["101"]): NewDevice {
  return {
    dId: "7234",
    name: "Pasillo A",
    locationId: "l",
    locationName: "Clínica",
    actuators: rooms.map((id) => ({ id, value: false })),
    ...overrides,
  };
}

export function newRecord(overrides: Partial<NewRecord> = {}): NewRecord {
  return {
    locationName: "Clínica",
    deviceName: "Pasillo A",
    deviceId: "d",
    room: "101",
    valorMicros: 1_000_000,
    createdTimeMs: Date.UTC(2026, 10, 21, 11),
    ...overrides,
  };
}
