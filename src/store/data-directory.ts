import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { FlancoError, systemCode } from "../domain/error.ts";
import { isReplacing } from "./backup/replace.ts";
import { requirePrivate } from "./data-directory-check.ts";

const OWNER_ONLY = 0o700;

/** Paths of everything that one appliance keeps. */
export interface DataDirectory {
  readonly path: string;
  readonly ledger: string;
  /** Room on the disk for the time when it is full. */
  readonly reserve: string;
  readonly lock: string;
  readonly secret: string;
  /** The appliance's own authority and certificate. */
  readonly tls: string;
  /** Certificates that an administrator puts there. */
  readonly certificates: string;
  /** Backups, where the configuration names no other directory. */
  readonly backups: string;
  /** The backup for a gateway that takes the clinic over, for that time. */
  readonly move: string;
  readonly control: string;
  /** When the ledger was last checked in full. */
  readonly checked: string;
  /** A file that is there once the demonstration has been wired. */
  readonly demonstrated: string;
  /** How far each sink has the chain, and messages that are still to be sent. */
  readonly forward: string;
  /** The sinks that were set up on the page, with their secrets. */
  readonly sinks: string;
}

export function dataDirectoryOf(dataDir: string): DataDirectory {
  return {
    path: dataDir,
    ledger: join(dataDir, "flanco.db"),
    reserve: join(dataDir, "reserve"),
    lock: join(dataDir, "flanco.lock"),
    secret: join(dataDir, "session.key"),
    tls: join(dataDir, "tls"),
    certificates: join(dataDir, "tls.d"),
    backups: join(dataDir, "backups"),
    move: join(dataDir, "move"),
    control: join(dataDir, "control.sock"),
    checked: join(dataDir, "checked.json"),
    demonstrated: join(dataDir, "demo.done"),
    forward: join(dataDir, "forward"),
    sinks: join(dataDir, "sinks"),
  };
}

/**
 * Creates the data directory, or checks that it is writable and closed to other users. The program's files are readable
 * for their owner alone (`src/main.ts`). Throws `unavailable` or `config`, with a hint.
 */
export function prepareDataDirectory(dataDirectory: DataDirectory): void {
  try {
    mkdirSync(dataDirectory.path, { recursive: true, mode: OWNER_ONLY });
    accessSync(dataDirectory.path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (systemCode(error) === "EROFS") throw readOnly(dataDirectory, error);
    throw new FlancoError("unavailable", `The data directory ${dataDirectory.path} cannot be written.`, {
      hint: "Give it to the user that runs flanco, or choose another one with FLANCO_DATA_DIR.",
      cause: error,
    });
  }
  requirePrivate(dataDirectory.path, ownNames(dataDirectory));
}

function readOnly({ path }: DataDirectory, cause: unknown): FlancoError {
  return new FlancoError("unavailable", `The file system of the data directory ${path} is read-only.`, {
    hint: "The kernel makes it so after errors of the disk or card: look at dmesg, replace it where it fails, then mount it for writing again.",
    cause,
  });
}

/** The administrator's certificates (`tls.d`) may have another owner; they are checked where they are read. */
function ownNames(dataDirectory: DataDirectory) {
  const files = [
    dataDirectory.ledger,
    dataDirectory.reserve,
    dataDirectory.lock,
    dataDirectory.secret,
    dataDirectory.control,
    dataDirectory.checked,
    dataDirectory.demonstrated,
  ];
  return {
    files: files.map((file) => basename(file)),
    directories: new Map([
      [basename(dataDirectory.tls), null],
      [basename(dataDirectory.move), null],
      [basename(dataDirectory.backups), "backup_dir"],
      [basename(dataDirectory.forward), null],
      [basename(dataDirectory.sinks), null],
    ]),
  };
}

/** Prepares the directory for a ledger that is opened. Throws `damaged` when an appliance's ledger is missing. */
export function prepareForLedger(dataDirectory: DataDirectory): void {
  prepareDataDirectory(dataDirectory);
  if (
    existsSync(dataDirectory.secret) &&
    !existsSync(dataDirectory.ledger) &&
    !isReplacing(dataDirectory.ledger)
  ) {
    throw new FlancoError(
      "damaged",
      `The ledger ${dataDirectory.ledger} is missing, though this appliance had one.`,
      {
        hint: `Restore it from a backup. To start anew on purpose, move the whole directory ${dataDirectory.path} away.`,
      },
    );
  }
}

/** Goes on as the owner of the data directory when started as root, so that no file of root's keeps the service out later. */
export function becomeOwner(dataDir: string): DataDirectory {
  if (process.getuid?.() === 0 && existsSync(dataDir)) {
    const { uid, gid } = statSync(dataDir);
    if (uid !== 0) {
      process.setgroups?.([gid]);
      process.setgid?.(gid);
      process.setuid?.(uid);
    }
  }
  return dataDirectoryOf(dataDir);
}
