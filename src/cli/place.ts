import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { FlancoError } from "../domain/error.ts";

const OWNER_ONLY = 0o700;

/** Where everything of one appliance lies, under its data directory. */
export interface Place {
  readonly directory: string;
  readonly ledger: string;
  readonly lock: string;
  readonly secret: string;
  readonly tls: string;
  readonly control: string;
}

export function placeOf(dataDir: string): Place {
  return {
    directory: dataDir,
    ledger: join(dataDir, "flanco.db"),
    lock: join(dataDir, "flanco.lock"),
    secret: join(dataDir, "session.key"),
    tls: join(dataDir, "tls"),
    control: join(dataDir, "control.sock"),
  };
}

/** Makes the data directory, or checks that it can be written. Throws `unavailable` with what to do. */
export function preparePlace(place: Place): void {
  try {
    mkdirSync(place.directory, { recursive: true, mode: OWNER_ONLY });
    accessSync(place.directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new FlancoError("unavailable", `The data directory ${place.directory} cannot be written.`, {
      hint: "Give it to the user that runs flanco, or choose another one with FLANCO_DATA_DIR.",
      cause: error,
    });
  }
  if (existsSync(place.secret) && !existsSync(place.ledger)) {
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
