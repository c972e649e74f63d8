import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { FlancoError } from "../domain/error.ts";
import { writeDurably } from "../durable-file.ts";

const SECRET_BYTES = 32;

/**
 * Reads the 256-bit secret that signs sessions, or makes it at the first start, durable before it is used. Throws
 * `damaged` when the file does not hold a secret.
 */
export function loadSecret(file: string): KeyObject {
  if (!existsSync(file)) writeDurably(file, randomBytes(SECRET_BYTES));
  const secret = readFileSync(file);
  if (secret.length !== SECRET_BYTES) {
    throw new FlancoError("damaged", `The session secret ${file} is damaged.`, {
      hint: "`flanco secret rotate` makes another: all users must sign in again, and nothing else is lost.",
    });
  }
  return createSecretKey(secret);
}

/** Replaces the secret in one step; the new one is on the disk. Throws the disk's error, and then the old one stays. */
export function replaceSecret(file: string): KeyObject {
  const secret = randomBytes(SECRET_BYTES);
  writeDurably(file, secret);
  return createSecretKey(secret);
}
