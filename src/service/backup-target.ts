import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../config/schema.ts";
import { dataDirectoryOf } from "../store/data-directory.ts";

/** A directory that backups go to. */
export interface BackupTarget {
  readonly directory: string;
  /** Why it takes none at the moment; null when it does. */
  readonly skipped: string | null;
}

/** The directory of backups on the gateway itself. */
export function backupDirectory(config: Pick<Config, "data_dir" | "backup_dir">): string {
  return config.backup_dir === "" ? dataDirectoryOf(config.data_dir).backups : config.backup_dir;
}

/** The configured directories, the gateway's own first. A removable disk that is not there is skipped. */
export function backupTargets(
  config: Pick<Config, "data_dir" | "backup_dir" | "backup_disk_dir">,
): readonly BackupTarget[] {
  const own = { directory: backupDirectory(config), skipped: null };
  const disk = config.backup_disk_dir;
  if (disk === "") return [own];
  const skipped = isMounted(disk)
    ? null
    : `No disk is mounted at ${disk}: there is no backup there. Put the disk in, then run flanco backup.`;
  return [own, { directory: disk, skipped }];
}

/** Where the tail of the ledger is kept: on the removable disk while it is there. */
export function tailDirectory(config: Parameters<typeof backupTargets>[0]): string {
  return (
    backupTargets(config).findLast(({ skipped }) => skipped === null)?.directory ?? backupDirectory(config)
  );
}

/** A removable disk is another device than the root file system. Its directory may be yet to be made. */
function isMounted(directory: string): boolean {
  let there = directory;
  while (!existsSync(there) && there !== dirname(there)) there = dirname(there);
  return statSync(there).dev !== statSync("/").dev;
}
