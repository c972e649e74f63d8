import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { FlancoError } from "../domain/error.ts";
import { isReplacing } from "../store/replace.ts";

const OWNER_ONLY = 0o700;
const OWNER_ONLY_FILE = 0o600;
/** Every right of everybody but the owner. */
const OTHERS_MASK = 0o077;

/** Where everything of one appliance lies, under its data directory. */
export interface Place {
  readonly directory: string;
  readonly ledger: string;
  /** Room on the disk for the time when it is full. */
  readonly reserve: string;
  readonly lock: string;
  readonly secret: string;
  readonly tls: string;
  readonly control: string;
  /** When the ledger was last checked in full. */
  readonly checked: string;
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
    control: join(dataDir, "control.sock"),
    checked: join(dataDir, "checked.json"),
    demonstrated: join(dataDir, "demo.done"),
  };
}

/**
 * Makes the data directory, or checks that it can be written. What this process writes from here on is for
 * its owner alone, and so is what lies there already, whoever may enter the directory. Throws `unavailable`
 * with what to do.
 */
export function prepareDirectory(place: Place): void {
  process.umask(OTHERS_MASK);
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
  closeToOthers(place);
}

function readOnly({ directory }: Place, cause: unknown): FlancoError {
  return new FlancoError("unavailable", `The file system of the data directory ${directory} is read-only.`, {
    hint: "The kernel makes it so after errors of the disk or card: look at dmesg, replace it where it fails, then mount it for writing again.",
    cause,
  });
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

/** Takes from other users of the machine what an earlier process, or a copy, left open to them. */
function closeToOthers(place: Place): void {
  const own = [place.ledger, place.lock, place.secret].map((file) => basename(file));
  for (const name of readdirSync(place.directory)) {
    // The ledger's log and index are named after it.
    if (!own.some((one) => name.startsWith(one))) continue;
    const file = join(place.directory, name);
    try {
      const { mode } = statSync(file);
      if ((mode & OTHERS_MASK) !== 0) chmodSync(file, OWNER_ONLY_FILE);
    } catch (error) {
      // A log goes when the process before closes its ledger.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
      throw new FlancoError("unavailable", `The file ${file} is not this user's.`, {
        hint: "Give the data directory and all in it to the user that runs flanco.",
        cause: error,
      });
    }
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
