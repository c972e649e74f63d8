import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { FlancoError } from "../domain/error.ts";
import { isReplacing } from "../store/replace.ts";
import { requirePrivate } from "./place-check.ts";

const OWNER_ONLY = 0o700;

/** Where everything of one appliance lies, under its data directory. */
export interface Place {
  readonly directory: string;
  readonly ledger: string;
  /** Room on the disk for the time when it is full. */
  readonly reserve: string;
  readonly lock: string;
  readonly secret: string;
  /** The appliance's own authority and certificate. */
  readonly tls: string;
  /** Certificates that an administrator puts there. */
  readonly certificates: string;
  /** Backups, and months that were archived, where the configuration names no other directories. */
  readonly backups: string;
  readonly archives: string;
  readonly control: string;
  /** When the ledger was last checked in full. */
  readonly checked: string;
  /** Since when wired lines are not watched. */
  readonly unwatched: string;
  /** A file that is there once the demonstration has been wired. */
  readonly demonstrated: string;
}

export function placeOf(dataDir: string): Place {
  return {
    directory: dataDir,
    ledger: join(dataDir, "flanco.db"),
    reserve: join(dataDir, "reserve"),
    lock: join(dataDir, "flanco.lock"),
    secret: join(dataDir, "session.key"),
    tls: join(dataDir, "tls"),
    certificates: join(dataDir, "tls.d"),
    backups: join(dataDir, "backups"),
    archives: join(dataDir, "archive"),
    control: join(dataDir, "control.sock"),
    checked: join(dataDir, "checked.json"),
    unwatched: join(dataDir, "unwatched.json"),
    demonstrated: join(dataDir, "demo.done"),
  };
}

/**
 * Makes the data directory, or checks that it can be written and that nobody else can reach what lies in it. What this
 * program writes is for its owner alone (`src/main.ts`). Throws `unavailable` or `config`, with what to do.
 */
export function prepareDirectory(place: Place): void {
  try {
    mkdirSync(place.directory, { recursive: true, mode: OWNER_ONLY });
    accessSync(place.directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EROFS") throw readOnly(place, error);
    throw new FlancoError("unavailable", `The data directory ${place.directory} cannot be written.`, {
      hint: "Give it to the user that runs flanco, or choose another one with FLANCO_DATA_DIR.",
      cause: error,
    });
  }
  requirePrivate(place.directory, ownNames(place));
}

function readOnly({ directory }: Place, cause: unknown): FlancoError {
  return new FlancoError("unavailable", `The file system of the data directory ${directory} is read-only.`, {
    hint: "The kernel makes it so after errors of the disk or card: look at dmesg, replace it where it fails, then mount it for writing again.",
    cause,
  });
}

/** Certificates of one's own (`tls.d`) are looked at where they are read: whoever issues them may own them. */
function ownNames(place: Place) {
  const files = [place.ledger, place.reserve, place.lock, place.secret, place.control, place.checked];
  return {
    files: [...files, place.unwatched, place.demonstrated].map((file) => basename(file)),
    directories: new Map([
      [basename(place.tls), null],
      [basename(place.backups), "backup_dir"],
      [basename(place.archives), "archive_dir"],
    ]),
  };
}

/** Prepares the directory for a ledger that is opened. Throws `damaged` when an appliance's ledger is missing. */
export function preparePlace(place: Place): void {
  prepareDirectory(place);
  if (existsSync(place.secret) && !existsSync(place.ledger) && !isReplacing(place.ledger)) {
    throw new FlancoError(
      "damaged",
      `The ledger ${place.ledger} is missing, though this appliance had one.`,
      {
        hint: `Restore it from a backup. To start anew on purpose, move the whole directory ${place.directory} away.`,
      },
    );
  }
}

/**
 * Goes on as the owner of the data directory when started as root, so that no file of root's keeps the
 * service out later.
 */
export function becomeOwner(place: Place): void {
  if (process.getuid?.() !== 0 || !existsSync(place.directory)) return;
  const { uid, gid } = statSync(place.directory);
  if (uid === 0) return;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
