import { resolve } from "node:path";
import type { Command } from "commander";
import { commandActor } from "../domain/audit.ts";
import { backupTargets } from "../service/backup-target.ts";
import { systemClock } from "../service/clock.ts";
import { type MissingEntries, type Restored, restoreLedger } from "../store/backup/restore.ts";
import { becomeOwner, prepareDataDirectory } from "../store/data-directory.ts";
import { DataLock } from "../store/ledger/lock.ts";
import { type CliContext, configOf } from "./context.ts";

/** `flanco restore`: puts a backup in the ledger's place and keeps what it replaces. */
export function addRestoreCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("restore")
    .description(
      "check a backup in full and put it in the ledger's place; the replaced ledger is kept (stop the service first)",
    )
    .argument("<file>", "the backup")
    .option("--replace-ledger", "also where the backup is of another ledger than the one here", false)
    .option("--json", "as JSON", false)
    .addHelpText(
      "after",
      "\nExample:\n  flanco restore /var/lib/flanco/backups/5f1c…/flanco-20261121T120000Z.db",
    )
    .action((file: string, options: { json: boolean; replaceLedger: boolean }, command: Command) => {
      const config = configOf(context, command);
      const dataDirectory = becomeOwner(config.data_dir);
      const by = commandActor(context.user);
      prepareDataDirectory(dataDirectory);
      const lock = new DataLock(dataDirectory.lock);
      lock.acquire();
      try {
        const restored = restoreLedger({
          ...{ backup: resolve(file), ledger: dataDirectory.ledger, nowMs: systemClock.nowMs(), by },
          directories: backupTargets(config).map(({ directory }) => directory),
          replaceLedger: options.replaceLedger,
          onProgress: (done, total) => terminal.progress("Checking the records", done, total),
        });
        if (options.json) terminal.json(restored);
        else terminal.out(describe(dataDirectory.ledger, restored).join("\n"));
      } finally {
        lock.release();
      }
    });
}

function describe(ledger: string, restored: Restored): string[] {
  const { records, newestMs, keptAs, missing } = restored;
  const newest = newestMs === null ? "" : `, the newest of ${at(newestMs)}`;
  return [
    `Restored: ${ledger} holds ${records} records${newest}. All users must sign in again.`,
    ...(keptAs === null ? [] : [`The replaced ledger is kept as ${keptAs}.`, describeMissing(missing)]),
  ];
}

function describeMissing(missing: MissingEntries | null): string {
  if (missing === null) return "Which of its records are missing in the restored one cannot be told.";
  if (missing.records === 0) return "None of its records is missing.";
  const { records, fromMs, toMs } = missing;
  return `${records} of its records are missing, from ${at(fromMs)} to ${at(toMs)}.`;
}

function at(timeMs: number | null): string {
  return timeMs === null ? "?" : new Date(timeMs).toISOString();
}
