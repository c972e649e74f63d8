import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { ProvenBackup } from "../../domain/backup.ts";
import { FlancoError, orNothing } from "../../domain/error.ts";
import { LEDGER_ID } from "../engine/identity.ts";
import { deviceOf, listBackups } from "./backup-directory.ts";

/** How many levels of folders are searched: a stick has its backups in a folder, or in a folder of that. */
const DEPTH = 2;
/** The most folders of one disk that are searched. */
const MAX_FOLDERS = 1_000;

/** A proven backup, and where it lies. */
export interface FoundBackup extends ProvenBackup {
  readonly path: string;
  /** All folders of its ledger: the tail may lie in another one than the backup. */
  readonly folders: readonly string[];
}

/** Where block devices are mounted, without those of the root file system and of `directory`. On Linux alone. */
export function mountedDisks(directory: string, mounts = "/proc/self/mounts"): readonly string[] {
  if (!existsSync(mounts)) return [];
  const own = ["/", resolve(directory)].map(deviceOf);
  return readFileSync(mounts, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("/dev/"))
    .map((line) => unescaped(line.split(" ")[1] ?? ""))
    .filter((top) => {
      const stats = statSync(top, { throwIfNoEntry: false });
      return stats?.isDirectory() === true && !own.includes(stats.dev);
    });
}

/** The kernel writes a space in a name as `\040` (proc_pid_mounts(5)). */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/**
 * The newest proven backup of each ledger in these directories,
 * each a ledger's folder or one with folders below it.
 */
export function findBackups(directories: readonly string[]): readonly FoundBackup[] {
  const all = [...new Set(directories.flatMap((directory) => ledgerFolders(directory)))];
  const found = all.flatMap((folder) => {
    const [newest] = listBackups(folder);
    const folders = all.filter((other) => basename(other) === basename(folder));
    return newest === undefined ? [] : [{ ...newest, path: join(folder, newest.file), folders }];
  });
  const byLedger = Map.groupBy(found, ({ ledger }) => ledger);
  // By commits, which only grow: the clock may have been wrong.
  return [...byLedger.values()].flatMap((backups) =>
    backups.toSorted((a, b) => b.commits - a.commits).slice(0, 1),
  );
}

/** The folders of ledgers in a directory and the levels below it, the nearer ones first. */
function ledgerFolders(top: string): readonly string[] {
  if (LEDGER_ID.test(basename(top))) return [top];
  const found: string[] = [];
  const searched = [{ path: resolve(top), depth: 0 }];
  // The list grows while it is walked.
  for (const { path, depth } of searched) {
    for (const { name } of foldersIn(path)) {
      const below = join(path, name);
      if (LEDGER_ID.test(name)) found.push(below);
      else if (depth < DEPTH && searched.length < MAX_FOLDERS)
        searched.push({ path: below, depth: depth + 1 });
    }
  }
  return found;
}

/** No folders where this user may not read. */
function foldersIn(folder: string): readonly Dirent[] {
  const found = orNothing(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return found.filter((entry) => entry.isDirectory());
}

/**
 * The backup to restore: the one of the ledger with these identities, the latest
 * identity first; where there is none, the only backup that was found. Throws
 * `not_found`, and `conflict` where backups of several ledgers were found.
 */
export function chooseBackup(found: readonly FoundBackup[], ids: readonly string[]): FoundBackup {
  const own = ids.flatMap((id) => found.filter(({ ledger }) => ledger === id))[0];
  if (own !== undefined) return own;
  const [only, ...others] = found;
  if (only === undefined) {
    throw new FlancoError("not_found", "No mounted disk holds a proven backup.", {
      hint: "Mount the disk (mount /dev/sda1 /mnt), then restore again, or name the backup's file.",
    });
  }
  if (others.length === 0) return only;
  throw new FlancoError(
    "conflict",
    `There are backups of several ledgers: ${found.map(described).join("; ")}.`,
    { hint: "Name the file of the one that is meant." },
  );
}

function described({ path, locations, records, madeMs }: FoundBackup): string {
  const places = locations.join(", ") || "no location";
  return `${path} (${places}, ${records} records, ${new Date(madeMs).toISOString().slice(0, 10)})`;
}
