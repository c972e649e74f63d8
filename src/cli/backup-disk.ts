import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { FlancoError } from "../domain/error.ts";
import { type CommandTable, command, needed } from "./command.ts";

/** The package's script, which does the work (packaging/root). */
const SCRIPT = "/usr/lib/flanco/backup-disk";

const HELP = `
A disk without backups is formatted (ext4, label flanco-backup), which erases it: the command says what
is on it and asks. A disk with backups keeps them, and all else that is on it. The system's own
disk and a mounted one are refused. Then the disk is mounted at /mnt/backup, now and whenever it is
plugged in, backup_disk_dir is set in flanco.toml, the service is started again, and a backup is made.
It is run as root; on a card image it makes the system writable meanwhile.

lsblk -o NAME,SIZE,MODEL,LABEL shows how the disk is called: sda, say. With a new stick the example asks:
  flanco: /dev/sda1, DataTraveler 3.0, 14.4G: vfat "KINGSTON", files on it: 3.
  Everything on it is erased. Type "erase" to go on:
and then says:
  flanco: /dev/sda1 is formatted, with the label flanco-backup.
  flanco: it is mounted at /mnt/backup, and will be whenever it is plugged in.

Example:
  flanco backup-disk /dev/sda`;

/** `flanco backup-disk`: a removable disk that gets each backup too. */
export const commands: CommandTable = [
  command(
    "backup-disk",
    "prepare a disk for backups and take it into use; one that holds backups keeps them",
    { device: needed("<device>", "the disk, or a partition of it, as lsblk names it") },
    HELP,
    ({ device }) => {
      if (!existsSync(SCRIPT)) {
        throw new FlancoError("unavailable", "Only an installed flanco takes disks into use.", {
          hint: "From a checkout: backup_disk_dir, as docs/operating.md says.",
        });
      }
      if (process.getuid?.() !== 0) {
        throw new FlancoError("forbidden", "Only root takes a disk into use.", {
          hint: `sudo flanco backup-disk ${device}`,
        });
      }
      const { status } = spawnSync(SCRIPT, [device], { stdio: "inherit" });
      if (status !== 0) throw new FlancoError("unavailable", "The disk was not taken into use.");
    },
  ),
];
