import { type Dirent, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ProvenBackup } from "../../domain/backup.ts";
import { FlancoError } from "../../domain/error.ts";
import { LEDGER_ID } from "../ledger/identity.ts";
import { deviceOf, listBackups } from "./backup-directory.ts";

/** Folders that lie so deep below a disk's top are looked into: a stick has its backups in a folder, or in one of that. */
const DEPTH = 2;
/** Folders of one disk that are looked into. */
const MAX_FOLDERS = 1_000;

/** A proven backup, and where it lies. */
export interface FoundBackup extends ProvenBackup {
  readonly path: string;
}

/** Where block devices are mounted, those of the root file system and of `directory` left out. Linux alone. */
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

/** The newest proven backup of each ledger in these directories and the folders below them. */
export function findBackups(directories: readonly string[]): readonly FoundBackup[] {
  const folders = new Set(directories.flatMap((directory) => ledgerFolders(directory)));
  const found = [...folders].flatMap((folder) => {
    const [newest] = listBackups(folder);
    return newest === undefined ? [] : [{ ...newest, path: join(folder, newest.file) }];
  });
  const byLedger = Map.groupBy(found, ({ ledger }) => ledger);
  // Commits only grow, whatever the clock said.
  return [...byLedger.values()].flatMap((all) => all.toSorted((a, b) => b.commits - a.commits).slice(0, 1));
}

function ledgerFolders(top: string): readonly string[] {
  const found: string[] = [];
  let looked = 0;
  for (let folders = [resolve(top)], depth = 0; depth <= DEPTH; depth += 1) {
    const below: string[] = [];
    for (const folder of folders) {
      if (looked >= MAX_FOLDERS) return found;
      looked += 1;
      for (const entry of foldersIn(folder)) {
        if (LEDGER_ID.test(entry.name)) found.push(join(folder, entry.name));
        else below.push(join(folder, entry.name));
      }
    }
    folders = below;
  }
  return found;
}

/** None where this user may not look. */
function foldersIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  } catch {
    return [];
  }
}

/**
 * The backup to restore: the newest of the ledger here (its identities, the latest first), or where the ledger here is unused
 * the only one that there is. Throws `not_found`, and `conflict` where there are several.
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
