import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import type { Config } from "../contract/config/schema.ts";
import { commandActor } from "../domain/audit.ts";
import type { ProvenBackup } from "../domain/backup.ts";
import { FlancoError } from "../domain/error.ts";
import {
  becomeOwner,
  type DataDirectory,
  dataDirectoryOf,
  prepareDataDirectory,
  requireEntry,
} from "../ledger/engine/data-directory.ts";
import { folderOf, identitiesOf } from "../ledger/engine/identity.ts";
import { takeLock } from "../ledger/engine/lock.ts";
import { type BackupRequest, makeBackup } from "../ledger/safety/backup.ts";
import {
  chooseBackup,
  type FoundBackup,
  findBackups,
  mountedDisks,
} from "../ledger/safety/backup-directory.ts";
import { type GatewayFile, type GatewayKeys, readGatewayFile } from "../ledger/safety/gateway-file.ts";
import { UNMADE_SALES } from "../ledger/safety/repeat.ts";
import {
  isUnusedLedger,
  type MissingEntries,
  type OpenedBackup,
  openBackup,
  type RestoredLedger,
  restoreLedger,
} from "../ledger/safety/restore.ts";
import { hasTailOfOtherSchema, segmentsIn } from "../ledger/safety/tail.ts";
import { ownFiles } from "../net/tls/own-certificate.ts";
import { systemClock } from "../platform/machine.ts";
import {
  aboutMissingKeys,
  backupDirectory,
  backupTargets,
  presentDirectories,
} from "../service/backup-target.ts";
import { installKeys, otherSettings, readGateway, requireSameNames } from "../service/gateway-content.ts";
import { setSinksAside } from "../service/sink-settings.ts";
import { withService } from "./api-access.ts";
import { AS_JSON, type CliContext, type CommandTable, command, flag, optional } from "./command.ts";
import { type BroughtBackup, bringBackup, keepRemote } from "./remote-restore.ts";
import { iso, type Terminal } from "./terminal.ts";

const HELP = `
Beside the backup lie the gateway's keys (its authority and certificates), so that a new gateway is
trusted as this one is. Their file is for its owner alone. FAT and exFAT know no owners: there the
keys are left out. Give the disk ext4.

Exit codes: 0 every directory has its backup, 1 one could not be made, 3 no disk is mounted for the second.

Example:
  flanco backup --to /media/usb/flanco`;

const RESTORE_HELP = `
Without a file the newest proven backup is taken that a mounted disk, or the gateway itself, has of
the ledger here; on a new gateway the only one that there is. What came after it is taken from the
tail beside it; a file that is named is restored as it is. Records, people, wiring and letterhead
are in the backup. The keys of HTTPS lie beside it, so that browsers trust this gateway as they
trusted the one before; it must have that one's host name. Run as root, the command stops the
service and starts it again at the end.

With --from-remote the newest backup is brought from the remote place outside of the house. Of it are needed
its address, its login with the password, and the passphrase of the printed sheet: they are asked for,
or a file in TOML has them (remote_address, remote_login, remote_password_file,
remote_passphrase_file). Backups go on to that place.

To another gateway: make a last backup to a disk, switch the old one off, and restore from the disk here.

Examples:
  flanco restore
  flanco restore --from-remote
  flanco restore /var/lib/flanco/backups/5f1c…/flanco-20261121T120000Z.db`;

/**
 * `flanco backup`: a proven copy of the ledger, made beside a running service.
 * `flanco restore` puts one in the ledger's place and keeps what it replaces.
 */
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
  command(
    "restore",
    "check a backup in full and put it in the ledger's place, with the keys of HTTPS; the replaced ledger is kept",
    {
      source: optional(
        "[source]",
        "a backup, or a folder of backups; without it the newest that a disk has",
        toSource,
      ),
      fromRemote: flag("--from-remote", "bring it from the remote place outside of the house"),
      settings: optional("--settings <file>", "with --from-remote: a file in TOML that has the place"),
      replaceLedger: flag("--replace-ledger", "also where the backup is of another ledger than the one here"),
      withoutCertificates: flag("--without-certificates", "leave the keys of HTTPS as they are here"),
      json: AS_JSON,
    },
    RESTORE_HELP,
    async ({ source, fromRemote, settings, ...options }, call) => {
      const { context } = call;
      const config = call.config();
      requireEntry(config.data_dir);
      if (settings !== undefined && !fromRemote) call.refuse("--settings is for --from-remote");
      const from = { source, settings };
      using brought = fromRemote ? await bringBackup(call, config, from, idsHere(config)) : undefined;
      // Before the service is stopped: a wrong name must cost no sale.
      using incoming = openIncoming(config, brought?.file ?? (source && resolve(source)));
      // What is open stays readable, and the process continues as a user that may not remove it.
      brought?.[Symbol.dispose]();
      const startUnit = (await isServed(config)) ? stopUnit() : undefined;
      if (startUnit !== undefined) context.terminal.err("The service is stopped meanwhile.");
      try {
        await restore(context, config, incoming, options, brought?.setup);
      } finally {
        if (startUnit !== undefined && !(await startUnit())) {
          context.terminal.err("The service does not start: see systemctl status flanco.");
        }
      }
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

const OTHER_TAIL =
  "What came after the backup is in a tail that another version of flanco wrote: for that, install that version, restore again, and update then.";

interface Options {
  readonly replaceLedger: boolean;
  readonly withoutCertificates: boolean;
  readonly json: boolean;
}

/** The result of a restore beside the ledger. */
interface RestoredGateway {
  /**
   * `restored`: HTTPS now has the clinic's authority and certificates.
   * `kept`: it had them already. `others`: it has other ones.
   */
  readonly certificates: "restored" | "kept" | "others";
  /** Certificates that could not be put into their directory. */
  readonly notInstalled: readonly string[];
  /** Where sinks that were set up here are kept: they are off. Null where there were none, or they go on. */
  readonly sinksKeptAs: string | null;
  /** The settings of the clinic and its sinks that differ here, as lines of the configuration file. */
  readonly otherSettings: readonly string[];
  /** What a person must do now, in lines. */
  readonly toDo: readonly string[];
}

/** An empty one is a script's variable that was not set: it would restore what lies wherever the script ran. */
function toSource(text: string): string {
  if (text === "") throw new InvalidArgumentError("It must name a backup or a folder.");
  return text;
}

/** A clinic that is restored from a disk. */
interface RestoreSource extends Disposable {
  readonly backup: OpenedBackup;
  /** The gateway file; undefined where there is a backup alone. */
  readonly gateway: GatewayFile | undefined;
  /** Where the tail is; none for a backup whose file was named, which is restored as it is. */
  readonly folders: readonly string[];
}

/**
 * Opens a backup's file, the newest backup in a named folder, or the newest that is found. Call it
 * as the user that started the command: the files of another gateway's disk may be another user's.
 */
function openIncoming(config: Config, named: string | undefined): RestoreSource {
  const { path, folders } = named === undefined ? newestOf(config) : namedBackup(config, named);
  const backup = openBackup(path);
  const gateway = readGatewayFile(dirname(path));
  return { backup, gateway, folders, [Symbol.dispose]: () => backup[Symbol.dispose]() };
}

/** The newest backup in the folder that is named, or the file that is, without a tail. */
function namedBackup(config: Config, named: string): Pick<FoundBackup, "path" | "folders"> {
  if (statSync(named, { throwIfNoEntry: false })?.isDirectory() !== true) return { path: named, folders: [] };
  const found = findBackups([named]);
  if (found.length > 0) return chooseBackup(found, idsHere(config));
  throw new FlancoError("not_found", `The folder ${named} holds no proven backup.`, {
    hint: "Name the folder that flanco backup names, or the file of a backup in it.",
  });
}

/** The identities of the ledger here; none where it is unused, so that any ledger of a disk may replace it. */
function idsHere(config: Config): readonly string[] {
  const { ledger } = dataDirectoryOf(config.data_dir);
  return isUnusedLedger(ledger) ? [] : identitiesOf(ledger);
}

/** The newest backup that is found. Where the ledger here is unused, backups on a removable disk come first. */
function newestOf(config: Config): FoundBackup {
  const found = findBackups([...mountedDisks(config.data_dir), ...presentDirectories(config)]);
  const ids = idsHere(config);
  const onDisks = found.filter(({ path }) => !path.startsWith(join(backupDirectory(config), "/")));
  return chooseBackup(ids.length === 0 && onDisks.length > 0 ? onDisks : found, ids);
}

/** Whether a service runs here. False also where this user may not ask: then the lock is refused. */
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
  { backup, gateway, folders }: RestoreSource,
  options: Options,
  remote: BroughtBackup["setup"] | undefined,
): Promise<void> {
  const { terminal } = context;
  const { proof } = backup;
  // As the user that may read the disk, and once the service has written all of it.
  const tail = segmentsIn(...folders);
  const toDo = folders.some(hasTailOfOtherSchema) ? [OTHER_TAIL] : [];
  const dataDirectory = becomeOwner(config.data_dir);
  prepareDataDirectory(dataDirectory);
  using closing = new DisposableStack();
  closing.defer(takeLock(dataDirectory.lock));
  const isSameGateway = hasOwnKeys(dataDirectory, proof);
  const keys = isSameGateway ? null : keysOf(gateway, options);
  if (keys !== null && gateway !== undefined) await requireSameNames(config, keys, gateway.hostName);
  let notInstalled: readonly string[] = [];
  let sinksKeptAs: string | null = null;
  const nowMs = systemClock.nowMs();
  const restored = restoreLedger({
    backup,
    ledger: dataDirectory.ledger,
    nowMs,
    by: commandActor(context.user),
    tail,
    directories: backupTargets(config).map(({ directory }) => directory),
    mayBeOther: options.replaceLedger,
    onProgress: (done, total) => terminal.progress("Checking the records", done, total),
    onProved: (isOther) => {
      if (keys !== null) notInstalled = installKeys(config, dataDirectory, keys, nowMs);
      if (isOther) sinksKeptAs = setSinksAside(dataDirectory, nowMs);
    },
  });
  if (remote !== undefined) keepRemote(dataDirectory, remote);
  const completed: RestoredGateway = {
    certificates: isSameGateway ? "kept" : keys === null ? "others" : "restored",
    notInstalled,
    sinksKeptAs,
    otherSettings: gateway === undefined ? [] : otherSettings(config, gateway.settings),
    toDo: remote === undefined ? toDo : [...toDo, "Backups go on to the remote place."],
  };
  terminal.show(options.json, { backup: backup.file, ...restored, ...completed }, [
    ...describe(dataDirectory, restored),
    ...describeRest(completed),
  ]);
}

/**
 * Whether the backup is of the ledger here and this gateway has
 * keys: its keys may be newer than those beside the backup.
 */
function hasOwnKeys({ ledger, tls }: DataDirectory, proof: ProvenBackup | undefined): boolean {
  return (
    proof !== undefined && identitiesOf(ledger).includes(proof.ledger) && existsSync(ownFiles(tls).authority)
  );
}

/** The keys to restore; null where those of this gateway stay. */
function keysOf(gateway: GatewayFile | undefined, { withoutCertificates }: Options): GatewayKeys | null {
  return withoutCertificates ? null : (gateway?.keys ?? null);
}

function describe({ ledger }: DataDirectory, restored: RestoredLedger): string[] {
  const { records, newestMs, later, keptAs, missing, lost, unmade, tailDamage } = restored;
  const newest = newestMs === null ? "" : `, the newest of ${at(newestMs)}`;
  return [
    `Restored: ${ledger} holds ${records} records${newest}. All users must sign in again.`,
    ...(later === 0 ? [] : [`The tail beside the backup added what came after it (changes: ${later}).`]),
    ...tailDamage,
    ...lost.map(
      ({ from, to }) => `Lost: the entries ${from} to ${to}. An owner acknowledges that with flanco verify.`,
    ),
    ...(unmade.length === 0 ? [] : [`${UNMADE_SALES}:`, ...unmade.map((sale) => `  ${sale}`)]),
    ...(keptAs === null ? [] : [`The replaced ledger is kept as ${keptAs}.`, describeMissing(missing)]),
  ];
}

function describeRest(completed: RestoredGateway): string[] {
  const { certificates, notInstalled, sinksKeptAs, otherSettings: settings, toDo } = completed;
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
    ...(sinksKeptAs === null
      ? []
      : [`The sinks that were set up here were the other ledger's: they are off, kept as ${sinksKeptAs}.`]),
    ...(settings.length === 0
      ? []
      : [
          "These settings of the clinic are others here (flanco.toml; what it sends: flanco forward import):",
        ]),
    ...settings.map((line) => `  ${line}`),
    ...toDo,
  ];
}

function describeMissing(missing: MissingEntries | null): string {
  if (missing === null) return "Which of its records are missing in the restored one cannot be told.";
  const { records, voids, firstMs, lastMs } = missing;
  const sales =
    records === 0
      ? "None of its records is missing."
      : `${records} of its records are missing, from ${at(firstMs)} to ${at(lastMs)}.`;
  return voids === 0
    ? sales
    : `${sales} Voids are missing, whose records count again (flanco audit names them): ${voids}.`;
}

function at(timeMs: number | null): string {
  return timeMs === null ? "?" : iso(timeMs);
}

const UNIT = "flanco.service";

/**
 * Stops systemd's unit for the time of a command, and gives a function that starts it
 * again and resolves with whether it did start. Undefined where this user is not root or
 * the unit does not run. A shell of root starts the unit, also when this process ends
 * without calling the function, because the process itself continues as another user.
 */
function stopUnit(): (() => Promise<boolean>) | undefined {
  if (process.getuid?.() !== 0) return undefined;
  try {
    execFileSync("systemctl", ["is-active", "--quiet", UNIT], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  execFileSync("systemctl", ["stop", UNIT], { stdio: "ignore" });
  // `cat` ends when this process closes the pipe, at its end at the latest; but not by a terminal's Ctrl-C.
  const script = `cat >/dev/null; exec systemctl start ${UNIT}`;
  const starter = spawn("sh", ["-c", script], { stdio: ["pipe", "inherit", "inherit"], detached: true });
  return async () => {
    starter.stdin.end();
    const [exitCode] = await once(starter, "close");
    return exitCode === 0;
  };
}
