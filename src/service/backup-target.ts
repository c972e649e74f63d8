import { dirname } from "node:path";
import type { Config } from "../config/schema.ts";
import { type BackupLook, isMounted } from "../store/backup/backup-directory.ts";
import type { KeptKeys } from "../store/backup/gateway-file.ts";
import { dataDirectoryOf } from "../store/data-directory.ts";

/** A directory that backups go to. */
export interface BackupTarget {
  readonly directory: string;
  /** Why it takes none at the moment; null when it does. */
  readonly skipped: string | null;
}

/** Such a directory, and what lies there. */
export type SeenTarget = BackupTarget & Pick<BackupLook, "newest" | "foreign">;

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
  return [own, { directory: disk, skipped: isMounted(disk) ? null : noDisk(disk) }];
}

/** Why a removable disk that is not there takes no backup. */
export function noDisk(directory: string): string {
  return `No disk is mounted at ${directory}: there is no backup there. Put the disk in, then run flanco backup.`;
}

/** What a person must know of the gateway's keys beside a backup; null where they are there. */
export function aboutKeys(keys: KeptKeys | null, folder: string): string | null {
  const repeat = `run flanco backup --to ${dirname(folder)} --seal-keys`;
  if (keys === "left out") {
    return `The gateway's keys were left out of ${folder}: its file system keeps no file from other users. To seal them with a passphrase, ${repeat}.`;
  }
  if (keys === "outdated") {
    return `The sealed keys in ${folder} are not those of now. To seal these, ${repeat}.`;
  }
  return null;
}

/** Where the tail of the ledger is kept: on the removable disk while it is there. */
export function tailDirectory(config: Parameters<typeof backupTargets>[0]): string {
  return (
    backupTargets(config).findLast(({ skipped }) => skipped === null)?.directory ?? backupDirectory(config)
  );
}
