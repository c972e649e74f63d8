import { join } from "node:path";
import type { Month } from "../../src/domain/day.ts";
import type { Id } from "../../src/domain/id.ts";
import { type PreparedArchive, prepareArchive } from "../../src/store/archive-make.ts";
import type { RetentionRequest } from "../../src/store/archive-plan.ts";
import { makeBackup } from "../../src/store/backup.ts";
import { listBackups } from "../../src/store/backup-directory.ts";
import { newRecord, TestLedger } from "./ledger.ts";

const DAY_MS = 24 * 3_600_000;
export const KEEP_MONTHS = 13;
/** Two years, a sale every second day in each of three rooms, and three days of November 2026. */
const FIRST_MS = Date.UTC(2024, 11, 1, 12);
const STEP_MS = 2 * DAY_MS;

/** A ledger with sales since December 2024, at 2026-11-21, and what archiving it takes. */
export class OldLedger {
  readonly ledger = new TestLedger();
  readonly backups = join(this.ledger.directory, "backups");
  readonly archives = join(this.ledger.directory, "archive");
  userId: Id = "";

  async open(timeZone = "UTC"): Promise<this> {
    await this.ledger.open(timeZone);
    this.userId = (await this.ledger.addUser()).id;
    const writes: Promise<unknown>[] = [];
    for (let timeMs = FIRST_MS; timeMs < this.ledger.nowMs - 3 * DAY_MS; timeMs += STEP_MS) {
      for (const room of ["101", "102", "103"]) writes.push(this.sell(timeMs, room));
    }
    for (const day of [2, 1, 0]) writes.push(this.sell(this.ledger.nowMs - day * DAY_MS, "101"));
    await Promise.all(writes);
    return this;
  }

  async sell(createdTimeMs: number, room: string): Promise<number> {
    const valorMicros = 1_500_000 + Number(room);
    const record = newRecord({ createdTimeMs, room, valorMicros, deviceId: room === "103" ? "e" : "d" });
    return (await this.ledger.writer.addRecord(this.userId, record, null)).recordId;
  }

  /** As many daily backups as it takes to believe a clock. */
  async backUp(): Promise<void> {
    for (const day of [2, 1, 0]) await this.backUpAt(this.ledger.nowMs - day * DAY_MS);
  }

  async backUpAt(nowMs: number): Promise<void> {
    await makeBackup({
      ...{ ledger: this.ledger.file, directory: this.backups, nowMs },
      ...{ clockTrusted: true, rotate: false },
    });
  }

  request(overrides: Partial<RetentionRequest> = {}): RetentionRequest {
    return {
      ...{ ledger: this.ledger.file, keepMonths: KEEP_MONTHS, nowMs: this.ledger.nowMs, clockTrusted: true },
      backups: listBackups(this.backups),
      ...overrides,
    };
  }

  prepare(month: Month, overrides: Partial<RetentionRequest> = {}): PreparedArchive {
    return prepareArchive({ ...this.request(overrides), month, directory: this.archives });
  }

  async archive(month: Month): Promise<PreparedArchive> {
    const prepared = this.prepare(month);
    await this.ledger.writer.archive(prepared);
    return prepared;
  }
}
