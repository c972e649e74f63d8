import { readFileSync } from "node:fs";
import type { Config } from "../config/schema.ts";
import type { Clock } from "../domain/clock.ts";
import type { Disk } from "../domain/disk.ts";
import { FlancoError } from "../domain/error.ts";
import type { Fault } from "../domain/fault.ts";
import type { ApplianceFacts, BackupStatus, LedgerStatus } from "../domain/status.ts";
import { backupFaults, diskFaults } from "../domain/status-fault.ts";
import { listBackups } from "../store/backup-directory.ts";
import { readDisk } from "../store/disk-usage.ts";
import { openReader } from "../store/reader.ts";
import { backupDirectory } from "./backup-target.ts";
import type { Place } from "./place.ts";

const BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id";

/** What the files tell of an appliance whose service does not run. */
export interface StoppedStatus extends ApplianceFacts {
  /** Null where the file cannot be read. */
  readonly ledger: LedgerStatus | null;
  /** Why it cannot; null where it can. */
  readonly problem: FlancoError | null;
  readonly faults: readonly Fault[];
}

/** Reads the data directory beside nobody; changes nothing of what is recorded. */
export async function readStopped(
  config: Config,
  place: Place,
  version: string,
  clock: Clock,
): Promise<StoppedStatus> {
  const nowMs = clock.nowMs();
  const disk = await diskOf(place);
  const lastBackup = backupOf(config, nowMs);
  return {
    ...{ version, timeZone: config.time_zone, disk, lastBackup },
    currency: { code: config.currency, decimals: config.currency_decimals },
    ...ledgerOf(config, place, nowMs),
    faults: [
      ...diskFaults(disk, [], () => nowMs),
      ...backupFaults(lastBackup, { uptimeMs: 0, startedMs: nowMs }),
    ],
  };
}

function ledgerOf(config: Config, place: Place, nowMs: number): Pick<StoppedStatus, "ledger" | "problem"> {
  try {
    const reader = openReader(place.ledger, config.time_zone);
    try {
      const bootId = readFileSync(BOOT_ID_FILE, "utf8").trim();
      return { ledger: reader.ledgerStatus(bootId, nowMs), problem: null };
    } finally {
      reader.close();
    }
  } catch (error) {
    if (error instanceof FlancoError) return { ledger: null, problem: error };
    throw error;
  }
}

function backupOf(config: Config, nowMs: number): BackupStatus | null {
  const [newest] = listBackups(backupDirectory(config));
  if (newest === undefined) return null;
  const { madeMs, provedMs, records, position, head, clockTrusted } = newest;
  const ageMs = clockTrusted ? Math.abs(nowMs - madeMs) : null;
  return { madeMs, provedMs, records, position, head, clockTrusted, ageMs };
}

async function diskOf(place: Place): Promise<Disk | null> {
  try {
    return await readDisk(place.ledger);
  } catch {
    // No directory yet, or one that this user may not enter: the ledger's own error says so.
    return null;
  }
}
