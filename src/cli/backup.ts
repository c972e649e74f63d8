import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { FlancoError } from "../domain/error.ts";
import { aboutKeys, backupTargets } from "../service/backup-target.ts";
import { readGateway } from "../service/gateway.ts";
import { systemClock } from "../service/machine.ts";
import { type BackupRequest, makeBackup } from "../store/backup/backup.ts";
import { becomeOwner } from "../store/data-directory.ts";
import { folderOf } from "../store/ledger/identity.ts";
import { type CliContext, configOf } from "./context.ts";
import type { Terminal } from "./terminal.ts";

const HELP = `
Beside the backup lie the gateway's keys (its authority and certificates), so that a new gateway is
trusted as this one is. Their file is for its owner alone. FAT and exFAT know no owners: there the
keys are left out, unless --seal-keys has sealed them once.

Examples:
  flanco backup --to /media/usb/flanco
  flanco backup --to /media/usb/flanco --seal-keys`;

/** For an attacker with the disk only the cost of each guess limits the guesses. */
const LEAST_PASSPHRASE = 10;

interface Options {
  readonly to?: string;
  readonly sealKeys: boolean;
  readonly passphraseStdin: boolean;
  readonly json: boolean;
}

/** `flanco backup`: a proven copy of the ledger, made beside a running service. */
export function declare(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("backup")
    .description("back the ledger up, also while the service writes, and check the backup in full")
    .option("--to <directory>", "where to, instead of the configured directories", toDirectory)
    .option(
      "--seal-keys",
      "seal the gateway's keys beside it with a passphrase: needed on FAT and exFAT",
      false,
    )
    .addOption(
      new Option("--passphrase-stdin", "read the passphrase from standard input, one line")
        .default(false)
        .implies({ sealKeys: true }),
    )
    .option("--json", "as JSON", false)
    .addHelpText("after", HELP)
    .action(async (options: Options, command: Command) => {
      const config = configOf(context, command);
      const passphrase = await passphraseOf(terminal, options);
      const { ledger } = becomeOwner(config.data_dir);
      const gateway = readGateway(config);
      const targets =
        options.to === undefined ? backupTargets(config) : [{ directory: options.to, skipped: null }];
      const made = [];
      for (const { directory, skipped } of targets) {
        if (skipped !== null) {
          terminal.err(skipped);
          continue;
        }
        const backup = await backUp({ ledger, directory, gateway, passphrase }, terminal);
        made.push(backup);
        if (options.json) continue;
        terminal.out(
          `${resolve(backup.directory, backup.file)}: ${backup.records} records, checked in full.`,
        );
      }
      if (options.json) terminal.json(made);
    });
}

/** Makes one backup, and says what of it needs attention. */
async function backUp(
  what: Pick<BackupRequest, "ledger" | "directory" | "gateway" | "passphrase">,
  terminal: Terminal,
) {
  // Removing old backups is left to the service, which knows whether the clock is trusted.
  const { findings, ...backup } = await makeBackup({
    ...what,
    nowMs: systemClock.nowMs(),
    clockTrusted: false,
    rotate: false,
  });
  const directory = folderOf(what.directory, backup.ledger);
  if (findings.length > 0) terminal.err("The ledger needs attention: run flanco verify.");
  const lacking = aboutKeys(backup.keys, directory);
  if (lacking !== null) terminal.err(lacking);
  return { directory, ...backup };
}

/** Refuses an empty name: a script's variable was not set, and the backup would lie wherever the script ran. */
function toDirectory(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must name a directory.");
  return resolve(text);
}

async function passphraseOf(
  terminal: Terminal,
  { sealKeys, passphraseStdin }: Options,
): Promise<string | undefined> {
  if (!sealKeys) return undefined;
  const passphrase = await terminal.newPassword(passphraseStdin, "passphrase", "--passphrase-stdin");
  if (passphrase.length >= LEAST_PASSPHRASE) return passphrase;
  throw new FlancoError("invalid", `A passphrase has at least ${LEAST_PASSPHRASE} characters.`, {
    hint: "Nothing was changed.",
  });
}
