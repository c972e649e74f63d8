import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { FlancoError } from "../domain/error.ts";

const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;

/**
 * Reads the 256-bit secret that signs sessions, or makes it at first start: complete and on disk
 * before it is used, readable by its owner alone. Throws `damaged` when the file is not a secret.
 */
export function loadSecret(file: string): KeyObject {
  if (!existsSync(file)) writeSecret(file, randomBytes(SECRET_BYTES));
  const secret = readFileSync(file);
  if (secret.length !== SECRET_BYTES) {
    throw new FlancoError("damaged", `The session secret ${file} is damaged.`, {
      hint: "`flanco secret rotate` makes another: everybody signs in anew, nothing else is lost.",
    });
  }
  return createSecretKey(secret);
}

/**
 * Puts another secret in the place of the one that is there, in one step: after a crash at any moment the file is
 * the one or the other, and what this gives is on the disk. Throws what the disk says; then nothing has changed.
 */
export function replaceSecret(file: string): KeyObject {
  const secret = randomBytes(SECRET_BYTES);
  writeSecret(file, secret);
  return createSecretKey(secret);
}

function writeSecret(file: string, secret: Buffer): void {
  const draft = `${file}.new`;
  // What an interrupted start left behind keeps its own mode if it is written over.
  rmSync(draft, { force: true });
  const descriptor = openSync(draft, "wx", OWNER_ONLY);
  try {
    writeSync(descriptor, secret);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
  const directory = openSync(dirname(file), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
