import type { Config } from "../config/schema.ts";
import { FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import { type Recovered, recoverLedger } from "../store/recover.ts";
import { finishReplacing } from "../store/replace.ts";
import { clearSuspect, isSuspect } from "../store/suspect.ts";
import { verifyLedger } from "../store/verify.ts";
import { backupTargets } from "./backup-target.ts";
import type { Place } from "./place.ts";

export interface RecoveryOptions {
  readonly config: Pick<Config, "data_dir" | "backup_dir" | "backup_disk_dir">;
  readonly place: Place;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Opens the ledger; where it is damaged, sets it aside, builds it anew from the newest proven backup and all that
 * can be read of it, and opens that. Call with the data directory locked. `open` leaves nothing open when it throws.
 */
export async function openRecovering<T>(options: RecoveryOptions, open: () => Promise<T>): Promise<T> {
  const { place, onProgress } = options;
  finishReplacing(place.ledger);
  try {
    if (isSuspect(place.ledger)) requireSound(place.ledger, onProgress);
    const opened = await open();
    clearSuspect(place.ledger);
    return opened;
  } catch (error) {
    if (!(error instanceof FlancoError) || error.code !== "damaged") throw error;
    recover(options, error);
    clearSuspect(place.ledger);
    return open();
  }
}

function requireSound(ledger: string, onProgress: RecoveryOptions["onProgress"]): void {
  const { damage } = verifyLedger(ledger, onProgress);
  if (damage.length === 0) return;
  throw new FlancoError("damaged", `The ledger ${ledger} is damaged: ${damage[0]}.`, {
    hint: "Restore a backup with flanco restore.",
  });
}

function recover({ config, place, log, nowMs, onProgress }: RecoveryOptions, damage: FlancoError): void {
  const directories = backupTargets(config)
    .filter(({ skipped }) => skipped === null)
    .map(({ directory }) => directory);
  const recovered = recoverLedger(place.ledger, damage, directories, nowMs(), onProgress);
  log.error({ err: damage }, "the ledger was damaged: it is set aside");
  tell(log, recovered);
}

function tell(log: Log, { keptAs, backup, entries, holes, placesSaved }: Recovered): void {
  log.warn(
    { keptAs, backup: backup.file, entries },
    `the ledger was built anew from the backup ${backup.file} and ${entries} entries of the damaged file`,
  );
  for (const hole of holes) log.error({ ...hole }, "entries of the ledger are lost");
  if (!placesSaved) {
    log.warn({}, "users, devices and wiring are those of the backup: check them; everybody signs in anew");
  }
}
