import { LocalCalendar } from "./calendar.ts";
import { guarded, openForReading } from "./open.ts";
import { compareRollups, type RollupDifference } from "./rollup.ts";

export interface Verification {
  readonly records: number;
  readonly differences: readonly RollupDifference[];
  /** What SQLite's own check of the whole file found wrong; empty when it is sound. */
  readonly damage: readonly string[];
}

/** Differences told one by one; further ones would say the same. */
const MAX_DIFFERENCES = 100;

/**
 * Checks the file's structure in full and every rollup against the records, as of one moment, beside a
 * running service. Throws as `openForReading` does, and `damaged` where the file cannot even be read.
 */
export function verifyLedger(
  file: string,
  timeZone: string,
  onProgress: (done: number, total: number) => void,
): Verification {
  const db = openForReading(file);
  try {
    const verification = db.transaction(() => {
      const check = db.pragma("integrity_check") as { integrity_check: string }[];
      const damage = check.map((row) => row.integrity_check).filter((text) => text !== "ok");
      return { damage, ...compareRollups(db, new LocalCalendar(timeZone), MAX_DIFFERENCES, onProgress) };
    });
    return guarded(file, () => verification());
  } finally {
    db.close();
  }
}
