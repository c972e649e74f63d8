import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { FlancoError, orNothing, systemCode } from "../../domain/error.ts";
import { shellWord } from "../../domain/text.ts";
import { makeDirectory } from "../../platform/durable-file.ts";
import { isReplacing } from "../safety/replace.ts";
import { keyOfLedger } from "./identity.ts";

/** The rights of all users but the owner. */
const OTHERS_MASK = 0o077;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const MODE_MASK = 0o7777;
/** How the names of flanco's files begin, and the folder that a new file system has by itself. */
const FLANCO_NAMES = ["flanco.", "session.key", "tls.d", "lost+found"];

/** Paths of everything that one appliance keeps. */
export type DataDirectory = Readonly<ReturnType<typeof dataDirectoryOf>>;

export function dataDirectoryOf(path: string) {
  return {
    path,
    ledger: join(path, "flanco.db"),
    /** A file that reserves room for the time when the disk is full. */
    reserve: join(path, "reserve"),
    /** When a service last ran (`SignOfLife`). */
    alive: join(path, "alive"),
    lock: join(path, "flanco.lock"),
    secret: join(path, "session.key"),
    /** The appliance's own authority and certificate. */
    tls: join(path, "tls"),
    /** Certificates of an administrator. They may have another owner, and are checked where they are read. */
    certificates: join(path, "tls.d"),
    /** Backups, where the configuration names no other directory. */
    backups: join(path, "backups"),
    control: join(path, "control.sock"),
    /** When the ledger was last checked in full. */
    checked: join(path, "checked.json"),
    /** A file that exists once the demonstration was begun. */
    demonstrated: join(path, "demo.done"),
    /** The cursor of each sink, and the notices that are still to be sent. */
    forward: join(path, "forward"),
    /** The sinks that were set up on the page, with their secrets. */
    sinks: join(path, "sinks"),
  };
}

/**
 * Creates the data directory, or checks that it is writable and closed to other users. The program's files
 * are readable for their owner alone (`src/main.ts`). Throws `unavailable` or `config`, with a hint.
 */
export function prepareDataDirectory(dataDirectory: DataDirectory): void {
  try {
    makeDirectory(dataDirectory.path);
    accessSync(dataDirectory.path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (systemCode(error) === "EROFS") throw readOnly(dataDirectory, error);
    throw new FlancoError("unavailable", `The data directory ${dataDirectory.path} cannot be written.`, {
      hint: "Give it to the user that runs flanco, or choose another one with FLANCO_DATA_DIR.",
      cause: error,
    });
  }
  requirePrivate(dataDirectory);
}

function readOnly({ path }: DataDirectory, cause: unknown): FlancoError {
  return new FlancoError("unavailable", `The file system of the data directory ${path} is read-only.`, {
    hint: "The kernel makes it so after errors of the disk or card: look at dmesg, replace it where it fails, then mount it for writing again.",
    cause,
  });
}

/**
 * Prepares the directory for a ledger that is opened. Throws `damaged` when an appliance's
 * ledger is missing, and nothing says which it was: otherwise opening it says that it is damaged.
 */
export function prepareForLedger(dataDirectory: DataDirectory): void {
  prepareDataDirectory(dataDirectory);
  const { path, ledger, secret } = dataDirectory;
  if (!existsSync(secret) || existsSync(ledger) || isReplacing(ledger)) return;
  if (keyOfLedger(ledger) !== undefined) return;
  throw new FlancoError("damaged", `The ledger ${ledger} is missing, though this appliance had one.`, {
    hint: `Put it back. If it is gone, flanco restore brings its newest backup, with what the tail has of the time after it. To start anew on purpose, move the whole directory ${path} away.`,
  });
}

/** Whether no ledger was ever made here. */
export function isUnusedDirectory({ path, ledger, secret }: DataDirectory): boolean {
  return !existsSync(path) || !(existsSync(secret) || existsSync(ledger) || isReplacing(ledger));
}

/**
 * When started as root, continues as the owner of the data directory: a file of
 * root's would keep the service out later. Throws `forbidden` as `requireEntry` does.
 */
export function becomeOwner(dataDir: string): DataDirectory {
  if (process.getuid?.() === 0 && existsSync(dataDir)) {
    const { uid, gid } = statSync(dataDir);
    if (uid !== 0) {
      process.setgroups?.([gid]);
      process.setgid?.(gid);
      process.setuid?.(uid);
    }
  }
  requireEntry(dataDir);
  return dataDirectoryOf(dataDir);
}

/** Throws `forbidden` where this user may not read the directory: its files would seem to be missing. */
export function requireEntry(dataDir: string): void {
  try {
    accessSync(dataDir, constants.R_OK | constants.X_OK);
  } catch (error) {
    if (systemCode(error) !== "EACCES") return;
    throw new FlancoError("forbidden", `The data directory ${dataDir} is closed to this user.`, {
      hint: "Run the command as root (sudo flanco …), or as the service's user.",
      cause: error,
    });
  }
}

/**
 * Says what other users may do in a directory outside the data directory, with the
 * command that takes these rights away; null where they may do nothing, or there is no
 * directory. It throws nothing: on a disk without owners the service must work too.
 */
export function openToOthers(directory: string): string | null {
  const mode = lstatSync(directory, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS_MASK) === 0) return null;
  return `${directory} is open to other users of this machine: chmod 700 ${shellWord(directory)}`;
}

/**
 * Throws `config`, in one line with the command that mends it, where another user of the
 * machine could read or change what is flanco's: rights of others, another owner, a symbolic
 * link in the place of a file. Nothing is mended without being asked: the rights may have
 * been opened on purpose, and the reader of the line must know that secrets may have been
 * read. Other files may lie in the directory: other users cannot reach anything in it.
 */
function requirePrivate(dataDirectory: DataDirectory): void {
  const { path, certificates, tls, backups, forward, sinks, ...files } = dataDirectory;
  const top = lstatSync(path);
  if (top.isSymbolicLink()) {
    throw refused(
      `The data directory ${path} is a symbolic link.`,
      `Name the directory itself: FLANCO_DATA_DIR=${shellWord(realpathSync(path))}`,
    );
  }
  if (!isPrivate(top) && isOthers(path)) {
    throw refused(
      `${path} is no data directory: it holds other files, and is not closed to other users.`,
      "Name a directory for flanco alone, by data_dir or FLANCO_DATA_DIR.",
    );
  }
  requireOwn(path, path, top);
  requireSteadyParent(path);
  for (const directory of [tls, backups, forward, sinks]) requirePrivateTree(path, directory);
  // Files whose names begin with one of these (a log, a copy that is kept) belong to it.
  const names = Object.values(files).map((file) => basename(file));
  for (const found of readdirSync(path)) {
    if (names.some((name) => found.startsWith(name))) requirePrivateTree(path, join(path, found));
  }
}

/** A directory that was named by a slip (/etc) must be neither closed to others nor given to another owner. */
function isOthers(path: string): boolean {
  const found = readdirSync(path);
  const isFlancos = (name: string) => FLANCO_NAMES.some((begin) => name.startsWith(begin));
  return found.length > 0 && !found.some(isFlancos);
}

function isPrivate({ uid, mode }: Stats): boolean {
  return uid === (process.getuid?.() ?? uid) && (mode & OTHERS_MASK) === 0;
}

function requirePrivateTree(top: string, path: string): void {
  // A log goes when the process before closes its ledger. What a failing disk does not
  // show is closed to others with the folder that it is in, and keeps no service from its start.
  const stats = orNothing(() => lstatSync(path));
  if (stats === undefined) return;
  if (stats.isSymbolicLink()) {
    throw refused(
      `${path} is a symbolic link.`,
      `Remove it, and put what it leads to in its place if that is still needed: rm ${shellWord(path)}`,
    );
  }
  requireOwn(top, path, stats);
  if (!stats.isDirectory()) return;
  for (const name of orNothing(() => readdirSync(path)) ?? []) requirePrivateTree(top, join(path, name));
}

/** The command in the error changes all of `top`. */
function requireOwn(top: string, path: string, { uid, mode }: Stats): void {
  const own = process.getuid?.() ?? uid;
  if (uid !== own) {
    throw refused(
      `${path} belongs to the user ${uid}, not to ${ownName(own)}, who runs flanco.`,
      `Run as root: chown -R ${ownName(own)}: ${shellWord(top)}`,
    );
  }
  if ((mode & OTHERS_MASK) !== 0) {
    throw refused(
      `${path} is open to other users of this machine (mode ${(mode & MODE_MASK).toString(8).padStart(4, "0")}).`,
      `Close it: chmod -R go= ${shellWord(top)}`,
    );
  }
}

/** A user who may write to the directory above could replace the data directory. */
function requireSteadyParent(directory: string): void {
  const parent = dirname(realpathSync(directory));
  const { mode } = statSync(parent);
  if ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0) return;
  throw refused(
    `Any user of this machine may put another directory in the place of ${directory}.`,
    `Close the one above it: chmod o-w ${shellWord(parent)}`,
  );
}

/** A user without a name has its number, which chown takes too. */
function ownName(uid: number): string {
  return orNothing(() => userInfo().username) ?? String(uid);
}

function refused(message: string, hint: string): FlancoError {
  return new FlancoError("config", message, { hint });
}
