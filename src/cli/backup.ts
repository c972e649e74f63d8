import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { FlancoError } from "../domain/error.ts";
import { becomeOwner } from "../ledger/engine/data-directory.ts";
import { folderOf } from "../ledger/engine/identity.ts";
import { type BackupRequest, makeBackup } from "../ledger/safety/backup.ts";
import { systemClock } from "../platform/machine.ts";
import { aboutMissingKeys, backupTargets } from "../service/backup-target.ts";
import { readGateway } from "../service/gateway.ts";
import { AS_JSON, type CommandTable, command, optional } from "./command.ts";
import type { Terminal } from "./terminal.ts";

const HELP = `
Beside the backup lie the gateway's keys (its authority and certificates), so that a new gateway is
trusted as this one is. Their file is for its owner alone. FAT and exFAT know no owners: there the
keys are left out. Give the disk ext4.

Exit codes: 0 every directory has its backup, 1 one could not be made, 3 no disk is mounted for the second.

Example:
  flanco backup --to /media/usb/flanco`;

/** `flanco backup`: a proven copy of the ledger, made beside a running service. */
export const commands: CommandTable = [
  command(
    "backup",
    "back the ledger up, also while the service writes, and check the backup in full",
    {
      to: optional("--to <directory>", "where to, instead of the configured directories", toDirectory),
      json: AS_JSON,
    },
    HELP,
    async ({ to, json }, call) => {
      const { terminal } = call;
      const config = call.config();
      const { ledger } = becomeOwner(config.data_dir);
      const gateway = readGateway(config);
      const targets = to === undefined ? backupTargets(config) : [{ directory: to, skipped: null }];
      const made = [];
      for (const { directory, skipped } of targets) {
        if (skipped !== null) continue;
        const backup = await backUp({ ledger, directory, gateway }, terminal);
        made.push(backup);
        if (json) continue;
        terminal.out(
          `${resolve(backup.directory, backup.file)}: ${backup.records} records, checked in full.`,
        );
      }
      if (json) terminal.json(made);
      const lacking = targets.flatMap(({ skipped }) => skipped ?? []);
      if (lacking.length > 0) throw new FlancoError("attention", lacking.join("\n"));
    },
  ),
];

/** Makes one backup, and says what of it needs attention. */
async function backUp(what: Pick<BackupRequest, "ledger" | "directory" | "gateway">, terminal: Terminal) {
  // Removing old backups is left to the service, which knows whether the clock is trusted.
  const { findings, ...backup } = await makeBackup({
    ...what,
    nowMs: systemClock.nowMs(),
    clockTrusted: false,
    rotate: false,
  });
  const directory = folderOf(what.directory, backup.ledger);
  if (findings.length > 0) terminal.err("The ledger needs attention: run flanco verify.");
  if (backup.keysLeftOut) terminal.err(aboutMissingKeys(directory));
  return { directory, ...backup };
}

/** Refuses an empty name: a script's variable was not set, and the backup would lie wherever the script ran. */
function toDirectory(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must name a directory.");
  return resolve(text);
}
