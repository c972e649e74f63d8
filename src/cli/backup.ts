import { resolve } from "node:path";
import type { Command } from "commander";
import { backupTargets } from "../service/backup-target.ts";
import { systemClock } from "../service/clock.ts";
import { makeBackup } from "../store/backup/backup.ts";
import { becomeOwner } from "../store/data-directory.ts";
import { folderOf } from "../store/ledger/identity.ts";
import { type CliContext, configOf } from "./context.ts";

/** `flanco backup`: a proven copy of the ledger, made beside a running service. */
export function addBackupCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("backup")
    .description("back the ledger up, also while the service writes, and check the backup in full")
    .option("--to <directory>", "where to, instead of the configured directories")
    .option("--json", "as JSON", false)
    .addHelpText("after", "\nExample:\n  flanco backup --to /media/usb/flanco")
    .action(async (options: { to?: string; json: boolean }, command: Command) => {
      const config = configOf(context, command);
      const dataDirectory = becomeOwner(config.data_dir);
      const targets =
        options.to === undefined
          ? backupTargets(config)
          : [{ directory: resolve(options.to), skipped: null }];
      const made = [];
      for (const { directory, skipped } of targets) {
        if (skipped !== null) {
          terminal.err(skipped);
          continue;
        }
        // Which ones to remove is left to the service, which knows whether the clock is to be trusted.
        const { findings, ...backup } = await makeBackup({
          ...{ ledger: dataDirectory.ledger, directory, nowMs: systemClock.nowMs() },
          ...{ clockTrusted: false, rotate: false },
        });
        const folder = folderOf(directory, backup.ledger);
        made.push({ directory: folder, ...backup });
        if (findings.length > 0) terminal.err("The ledger needs attention: run flanco verify.");
        if (!options.json) {
          terminal.out(`${resolve(folder, backup.file)}: ${backup.records} records, checked in full.`);
        }
      }
      if (options.json) terminal.json(made);
    });
}
