import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { hashSync } from "bcryptjs";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { systemClock } from "../../src/clock.ts";
import { RemoteOperations } from "../../src/control/client.ts";
import type { RetentionPlan } from "../../src/domain/archive.ts";
import { planRetention } from "../../src/store/archive-plan.ts";
import { unfinishedArchives } from "../../src/store/archive-state.ts";
import { readArchives } from "../../src/store/archive-statement.ts";
import { makeBackup } from "../../src/store/backup.ts";
import { listBackups } from "../../src/store/backup-directory.ts";
import { openForReading } from "../../src/store/open.ts";
import { faultsOf, verifyLedger } from "../../src/store/verify.ts";
import { StoreWriter } from "../../src/store/writer.ts";
import { EMAIL } from "../cli/ledger.ts";
import { Appliance, PASSWORD, type RunningService } from "../cli/program.ts";
import { newRecord } from "../store/ledger.ts";

const DAY_MS = 24 * 3_600_000;
const BCRYPT_COST = 4;
const OWNER_ONLY = 0o700;
const KEEP_MONTHS = 13;
/** How many of the months are older than what is kept, whatever day it is. */
export const OLD_MONTHS = 5;
/** Back from now: of as many days the clock is believed as far as the oldest. */
const CONFIRMING_DAYS = [2, 1, 0];
const BELIEVED_DAYS = Math.max(...CONFIRMING_DAYS);
const MONTHS = 18;
const NOON = 12;
const POST_EVERY_MS = 5;

/** A service with years of sales, which archives the old ones and is killed at it. */
export class ArchiveTrial {
  readonly appliance: Appliance;
  /** Rooms of posts that were acknowledged. */
  readonly acknowledged: string[] = [];
  readonly seeded: number;
  /** When it was made, by its own sales and backups. */
  readonly nowMs: number;
  #sent = 0;
  #cookie = "";
  readonly #program: string | undefined;

  private constructor(
    appliance: Appliance,
    seeded: number,
    { nowMs, program }: { readonly nowMs: number; readonly program: string | undefined },
  ) {
    this.appliance = appliance;
    this.seeded = seeded;
    this.nowMs = nowMs;
    this.#program = program;
  }

  /**
   * `perMonth` sales in each of the last 18 months that the clock is believed for, and the backups that it takes to
   * believe it. `nowMs` is the moment that all of it lies before, `program` one that was changed for a test.
   */
  static async make(
    perMonth: number,
    { nowMs = Date.now(), program }: { readonly nowMs?: number; readonly program?: string } = {},
  ): Promise<ArchiveTrial> {
    const appliance = await Appliance.make({
      FLANCO_KEEP_MONTHS: String(KEEP_MONTHS),
      FLANCO_CLOCK_TRUST: "always",
    });
    const times = salesBefore(nowMs, perMonth);
    mkdirSync(appliance.dataDir, { mode: OWNER_ONLY });
    const writer = await openWriter(appliance.ledgerFile);
    const user = await writer.addUser({
      ...{ name: "Ana", email: EMAIL, passwordHash: hashSync(PASSWORD, BCRYPT_COST) },
    });
    const recent = CONFIRMING_DAYS.map((day) => nowMs - day * DAY_MS);
    for (let at = 0; at < times.length; at += 2_000) {
      await Promise.all(
        times.slice(at, at + 2_000).map((createdTimeMs, index) => {
          const record = newRecord({ createdTimeMs, room: `s${at + index}` });
          return writer.addRecord(user.id, record, null);
        }),
      );
    }
    for (const [index, createdTimeMs] of recent.entries()) {
      await writer.addRecord(user.id, newRecord({ createdTimeMs, room: `r${index}` }), null);
    }
    for (let recordId = 7; recordId < times.length; recordId += perMonth) {
      await writer.voidRecord(recordId, "relay tested");
    }
    await writer.close();
    for (const madeMs of recent) {
      await makeBackup({
        ...{ ledger: appliance.ledgerFile, directory: join(appliance.dataDir, "backups"), nowMs: madeMs },
        ...{ clockTrusted: true, rotate: false },
      });
    }
    return new ArchiveTrial(appliance, times.length + recent.length, { nowMs, program });
  }

  get archives(): string {
    return join(this.appliance.dataDir, "archive");
  }

  close(): Promise<void> {
    return this.appliance.close();
  }

  /**
   * Archives month after month, with posts beside it, and kills the service: that long after the first month was told
   * of in the ledger, or after it began. Tells whether it was done before.
   */
  async archiveAndKill(afterMs: number, since: "told" | "begun"): Promise<boolean> {
    const service = await this.#start();
    let [done, ended] = [false, false];
    const posting = this.#post(service, () => ended);
    const before = this.#told();
    const archiving = this.#archiveAll().then(
      () => {
        done = true;
      },
      // The service was killed meanwhile.
      () => {},
    );
    while (since === "told" && !done && this.#told() === before) await setTimeout(1);
    await Promise.race([setTimeout(afterMs), archiving]);
    await service.end("SIGKILL");
    ended = true;
    await Promise.all([posting, archiving]);
    return done;
  }

  async finish(): Promise<void> {
    const service = await this.#start();
    await this.#archiveAll();
    await service.end("SIGTERM");
  }

  /** What retention would do at the moment that the trial was made for. */
  plan(): RetentionPlan {
    return planRetention({
      ...{
        ledger: this.appliance.ledgerFile,
        keepMonths: KEEP_MONTHS,
        nowMs: this.nowMs,
        clockTrusted: true,
      },
      backups: listBackups(join(this.appliance.dataDir, "backups")),
    });
  }

  /** Everything that is wrong with what is on the disk; empty when nothing is. */
  faults(): string[] {
    const { ledgerFile } = this.appliance;
    const verification = verifyLedger(ledgerFile, () => {});
    const found = [...faultsOf(verification)];
    const db = openForReading(ledgerFile);
    try {
      const rooms = this.#rooms(db);
      const once = new Set(rooms);
      if (once.size !== rooms.length) found.push(`${rooms.length - once.size} records are there twice`);
      const missing = this.acknowledged.filter((room) => !once.has(room));
      if (missing.length > 0) found.push(`${missing.length} acknowledged posts are gone`);
      if (rooms.length < this.seeded + this.acknowledged.length || rooms.length > this.seeded + this.#sent) {
        found.push(`${rooms.length} records, of ${this.seeded} and ${this.#sent} posts`);
      }
      if (verification.records !== rooms.length) found.push(`${verification.records} records are counted`);
    } finally {
      db.close();
    }
    return found;
  }

  #told(): number {
    const db = openForReading(this.appliance.ledgerFile);
    const told = db
      .prepare<[], number>("SELECT count(*) FROM correction WHERE kind = 'archive'")
      .pluck()
      .get();
    db.close();
    return told ?? 0;
  }

  /** Months that were archived, those that wait for the removal of their rows, and rows that are left. */
  progress(): { readonly archived: number; readonly unfinished: number; readonly rows: number } {
    const db = openForReading(this.appliance.ledgerFile);
    try {
      return {
        archived: readArchives(db).list.length,
        unfinished: unfinishedArchives(this.appliance.ledgerFile, this.archives).length,
        rows: db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0,
      };
    } finally {
      db.close();
    }
  }

  /** A room is a record here: of the ledger, as far as they count there, and of the archives that it tells of. */
  #rooms(db: Database): string[] {
    const archives = readArchives(db);
    const rows = db
      .prepare<[], { recordId: number; room: string }>("SELECT record_id AS recordId, room FROM record")
      .all();
    const held = rows
      .filter(({ recordId }) => archives.runOf(recordId) === undefined)
      .map(({ room }) => room);
    const archived = archives.list.flatMap(({ statement }) => {
      const file = new DatabaseConstructor(join(this.archives, statement.file), { readonly: true });
      const rooms = file.prepare<[], string>("SELECT room FROM record").pluck().all();
      file.close();
      return rooms;
    });
    return [...held, ...archived];
  }

  async #start(): Promise<RunningService> {
    const options = this.#program === undefined ? {} : { program: this.#program };
    const service = await this.appliance.start({}, options);
    if (this.#cookie === "") this.#cookie = await service.signIn(EMAIL, PASSWORD);
    return service;
  }

  async #archiveAll(): Promise<void> {
    const remote = await RemoteOperations.connect(this.appliance.controlSocket);
    if (remote === undefined) throw new Error("The service has no control socket.");
    try {
      await remote.call("finishArchive", {});
      const { months } = await remote.call("planArchive", {});
      for (const { month } of months) await remote.call("archiveMonth", { month });
    } finally {
      remote.close();
    }
  }

  async #post(service: RunningService, ended: () => boolean): Promise<void> {
    while (!ended()) {
      this.#sent += 1;
      const room = `p${this.#sent}`;
      const post = { locationName: "L", deviceName: "D", deviceId: "1", habitacion: room, valor: 1 };
      try {
        // No later day than the seeded ones: midnight would let the clock be believed for another month.
        const answer = await service.post("/api/data", { ...post, createdTime: this.nowMs }, this.#cookie);
        if (answer.status === 201) this.acknowledged.push(room);
      } catch {
        // Its answer was lost with the process: it may be there, once, or not.
      }
      await setTimeout(POST_EVERY_MS);
    }
  }
}

/** Oldest first, and none of them to come: the first of a month is no later than the day that is believed. */
function salesBefore(nowMs: number, perMonth: number): readonly number[] {
  const believed = new Date(nowMs - BELIEVED_DAYS * DAY_MS);
  return Array.from({ length: MONTHS * perMonth }, (_, index) => {
    const monthsBack = Math.floor(index / perMonth);
    // By the calendar, as retention counts: months are of 28 to 31 days.
    const month = believed.getUTCMonth() - monthsBack;
    return Date.UTC(believed.getUTCFullYear(), month, 1, NOON) - (index % perMonth);
  }).reverse();
}

export async function openWriter(file: string): Promise<StoreWriter> {
  const writer = new StoreWriter({ file, timeZone: "UTC" }, systemClock, {
    onChanges: () => {},
    onProgress: () => {},
    onDeath: () => {},
  });
  await writer.open();
  return writer;
}
