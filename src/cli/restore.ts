import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import type { Config } from "../config/schema.ts";
import { commandActor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import { ownFiles } from "../net/tls/own-certificate.ts";
import { backupDirectory, backupTargets } from "../service/backup-target.ts";
import { systemClock } from "../service/clock.ts";
import { installKeys, otherSettings, requireSameNames } from "../service/gateway.ts";
import { chooseBackup, findBackups, mountedDisks } from "../store/backup/find.ts";
import {
  type Gateway,
  type GatewayKeys,
  isSealed,
  readGatewayFile,
  unseal,
} from "../store/backup/gateway-file.ts";
import {
  closeBackup,
  isUnused,
  type MissingEntries,
  type OpenedBackup,
  openBackup,
  type Restored,
  restoreLedger,
} from "../store/backup/restore.ts";
import {
  becomeOwner,
  type DataDirectory,
  dataDirectoryOf,
  prepareDataDirectory,
} from "../store/data-directory.ts";
import { identitiesOf } from "../store/ledger/identity.ts";
import { DataLock } from "../store/ledger/lock.ts";
import { StoppedUnit } from "../systemd/unit.ts";
import { type CliContext, configOf } from "./context.ts";
import { withService } from "./door.ts";

const HELP = `
Without a file the newest proven backup is taken that a mounted disk, or the gateway itself, has of
the ledger here; on a new gateway the only one that there is. Records, people, wiring and letterhead
are in the backup. The keys of HTTPS lie beside it, so that browsers trust this gateway as they
trusted the one before; it must have that one's host name. Run as root, the command stops the
service and starts it again at the end.

Examples:
  flanco restore
  flanco restore /var/lib/flanco/backups/5f1c…/flanco-20261121T120000Z.db`;

interface Options {
  readonly replaceLedger: boolean;
  readonly withoutCertificates: boolean;
  readonly passphraseStdin: boolean;
  readonly json: boolean;
}

/** What comes back, wherever it is from. */
interface Incoming {
  readonly backup: OpenedBackup;
  readonly gateway: Gateway | undefined;
}

/** What was put in place beside the ledger. */
interface Completed {
  /** Whether HTTPS has the clinic's authority and certificates by this, keeps those that this gateway has of it, or has others. */
  readonly certificates: "restored" | "kept" | "others";
  /** Certificates that their directory did not take. */
  readonly notInstalled: readonly string[];
  /** The clinic's settings that are others here, as lines of the configuration file. */
  readonly otherSettings: readonly string[];
}

/** `flanco restore`: puts a backup in the ledger's place and keeps what it replaces. */
export function addRestoreCommand(program: Command, context: CliContext): void {
  program
    .command("restore")
    .description(
      "check a backup in full and put it in the ledger's place, with the keys of HTTPS; the replaced ledger is kept",
    )
    .argument("[file]", "the backup; without it the newest that a mounted disk has")
    .option("--replace-ledger", "also where the backup is of another ledger than the one here", false)
    .option("--without-certificates", "leave the keys of HTTPS as they are here", false)
    .option("--passphrase-stdin", "read the passphrase of sealed keys from standard input, one line", false)
    .option("--json", "as JSON", false)
    .addHelpText("after", HELP)
    .action(async (file: string | undefined, options: Options, command: Command) => {
      const config = configOf(context, command);
      const unit = (await isServed(config)) ? StoppedUnit.stop() : undefined;
      if (unit !== undefined) context.terminal.err("The service is stopped meanwhile.");
      try {
        await restore(context, config, file, options);
      } finally {
        if (unit !== undefined && !(await unit.start())) {
          context.terminal.err("The service does not start: see systemctl status flanco.");
        }
      }
    });
}

/** False too where this user may not ask: then the lock says so. */
async function isServed(config: Config): Promise<boolean> {
  try {
    return (await withService(config, async () => true)) === true;
  } catch (error) {
    if (error instanceof FlancoError) return false;
    throw error;
  }
}

async function restore(
  context: CliContext,
  config: Config,
  file: string | undefined,
  options: Options,
): Promise<void> {
  const { terminal } = context;
  // As the user that the command was started by: on a disk of another gateway the files may be another user's.
  const { backup, gateway } = openIncoming(config, file);
  try {
    const isSameGateway = hasOwnKeys(config, backup);
    const keys = isSameGateway ? null : await keysOf(context, gateway, options);
    if (keys !== null && gateway !== undefined) await requireSameNames(config, keys, gateway.hostName);
    const dataDirectory = becomeOwner(config.data_dir);
    prepareDataDirectory(dataDirectory);
    const lock = new DataLock(dataDirectory.lock);
    lock.acquire();
    try {
      let notInstalled: readonly string[] = [];
      const nowMs = systemClock.nowMs();
      const restored = restoreLedger({
        ...{ backup, ledger: dataDirectory.ledger, nowMs, by: commandActor(context.user) },
        directories: backupTargets(config).map(({ directory }) => directory),
        replaceLedger: options.replaceLedger,
        onProgress: (done, total) => terminal.progress("Checking the records", done, total),
        onProved: () => {
          if (keys !== null) notInstalled = installKeys(config, dataDirectory, keys, nowMs);
        },
      });
      const completed: Completed = {
        certificates: isSameGateway ? "kept" : keys === null ? "others" : "restored",
        notInstalled,
        otherSettings: gateway === undefined ? [] : otherSettings(config, gateway.settings),
      };
      if (options.json) terminal.json({ backup: backup.file, ...restored, ...completed });
      else terminal.out([...describe(dataDirectory, restored), ...describeRest(completed)].join("\n"));
    } finally {
      lock.release();
    }
  } finally {
    closeBackup(backup);
  }
}

function openIncoming(config: Config, named: string | undefined): Incoming {
  const file = named === undefined ? newestOf(config) : resolve(named);
  return { backup: openBackup(file), gateway: readGatewayFile(dirname(file)) };
}

function newestOf(config: Config): string {
  const { ledger } = dataDirectoryOf(config.data_dir);
  const targets = backupTargets(config).flatMap(({ directory, skipped }) =>
    skipped === null ? [directory] : [],
  );
  const disks = mountedDisks(config.data_dir);
  const found = findBackups([...disks, ...targets]);
  const ids = isUnused(ledger) ? [] : identitiesOf(ledger);
  const own = found.filter(({ path }) => !path.startsWith(join(backupDirectory(config), "")));
  return chooseBackup(ids.length === 0 && own.length > 0 ? own : found, ids).path;
}

/** Whether the backup is of the ledger here, whose gateway has its keys: these may be newer than those beside the backup. */
function hasOwnKeys(config: Config, { proof }: OpenedBackup): boolean {
  const { ledger, tls } = dataDirectoryOf(config.data_dir);
  return (
    proof !== undefined && identitiesOf(ledger).includes(proof.ledger) && existsSync(ownFiles(tls).authority)
  );
}

/** Null where they stay as they are here. */
async function keysOf(
  { terminal }: CliContext,
  gateway: Gateway | undefined,
  { withoutCertificates, passphraseStdin }: Options,
): Promise<GatewayKeys | null> {
  const keys = gateway?.keys ?? null;
  if (withoutCertificates || keys === null) return null;
  if (!isSealed(keys)) return keys;
  return unseal(keys, await terminal.secret("passphrase", passphraseStdin, "--passphrase-stdin"));
}

function describe({ ledger }: DataDirectory, restored: Restored): string[] {
  const { records, newestMs, keptAs, missing } = restored;
  const newest = newestMs === null ? "" : `, the newest of ${at(newestMs)}`;
  return [
    `Restored: ${ledger} holds ${records} records${newest}. All users must sign in again.`,
    ...(keptAs === null ? [] : [`The replaced ledger is kept as ${keptAs}.`, describeMissing(missing)]),
  ];
}

function describeRest({ certificates, notInstalled, otherSettings: settings }: Completed): string[] {
  return [
    ...(certificates === "restored"
      ? [
          "HTTPS goes on with the clinic's authority: browsers trust this gateway as they trusted the one before.",
        ]
      : []),
    ...(certificates === "others"
      ? ["The keys of HTTPS are this gateway's own: each browser must trust it once."]
      : []),
    ...notInstalled.map((file) => `The certificate ${file} could not be written: put it there as root.`),
    ...(settings.length === 0 ? [] : ["These settings of the clinic are others here (flanco.toml):"]),
    ...settings.map((line) => `  ${line}`),
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
