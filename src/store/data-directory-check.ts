import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { FlancoError } from "../domain/error.ts";
import { shellWord } from "../domain/text.ts";

/** Every right of everybody but the owner. */
const OTHERS_MASK = 0o077;
const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const MODE_MASK = 0o7777;

/** The names in the data directory that belong to flanco. Other users cannot reach anything in it. */
export interface OwnNames {
  /** Names of files; what is named after one of them (a log, a copy that is kept) belongs to it. */
  readonly files: readonly string[];
  /** Names of directories, with what to set in order to have one elsewhere; null: it must be here. */
  readonly directories: ReadonlyMap<string, string | null>;
}

/**
 * Throws `config`, in one line with the command that mends it, where another user of the machine could read or
 * change what is flanco's: rights of others, another owner, a symbolic link in the place of a file. Nothing is
 * mended without being asked: the rights may have been opened on purpose, and the reader of the line must know that secrets
 * may have been read.
 */
export function requirePrivate(directory: string, own: OwnNames): void {
  const top = lstatSync(directory);
  if (top.isSymbolicLink()) {
    throw refused(
      `The data directory ${directory} is a symbolic link.`,
      `Name the directory itself: FLANCO_DATA_DIR=${shellWord(realpathSync(directory))}`,
    );
  }
  requireOwn(directory, directory, top);
  requireSteadyParent(directory);
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (own.directories.has(name)) requirePrivateTree(directory, path, own.directories.get(name) ?? null);
    else if (own.files.some((file) => name.startsWith(file))) requirePrivateFile(directory, path);
  }
}

/**
 * What is open to other users of a directory outside the data directory, with the command that closes it; null where
 * nothing is, or nothing is there. Only told: a disk that knows no owners must not keep the service from its work.
 */
export function openToOthers(directory: string): string | null {
  const mode = present(directory)?.mode ?? 0;
  if ((mode & OTHERS_MASK) === 0) return null;
  return `${directory} is open to other users of this machine: chmod 700 ${shellWord(directory)}`;
}

function requirePrivateTree(top: string, directory: string, setting: string | null): void {
  const stats = present(directory);
  if (stats === undefined) return;
  if (stats.isSymbolicLink()) {
    const mend =
      setting === null
        ? `Remove the link, and what it leads to is made anew: rm ${shellWord(directory)}`
        : `Remove the link (rm ${shellWord(directory)}) and name the directory itself: ${setting} = ${JSON.stringify(targetOf(directory))}`;
    throw refused(`${directory} is a symbolic link.`, mend);
  }
  requireOwn(top, directory, stats);
  if (!stats.isDirectory()) return;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (present(path)?.isDirectory() === true) requirePrivateTree(top, path, null);
    else requirePrivateFile(top, path);
  }
}

function requirePrivateFile(top: string, file: string): void {
  const stats = present(file);
  if (stats === undefined) return;
  if (stats.isSymbolicLink()) {
    throw refused(
      `${file} is a symbolic link.`,
      `Put the file itself in its place: cp --remove-destination ${shellWord(targetOf(file))} ${shellWord(file)}`,
    );
  }
  requireOwn(top, file, stats);
}

/** `top` is what the command is about, so that one command mends all of it. */
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

/** Undefined for what went meanwhile: a log goes when the process before closes its ledger. */
function present(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Where a link leads; for one that leads nowhere its own name, which is then as wrong as the link. */
function targetOf(link: string): string {
  try {
    return realpathSync(link);
  } catch {
    return join(dirname(link), basename(link));
  }
}

function ownName(uid: number): string {
  try {
    return userInfo().username;
  } catch {
    // A user without a name: chown takes the number.
    return String(uid);
  }
}

function refused(message: string, hint: string): FlancoError {
  return new FlancoError("config", message, { hint });
}
