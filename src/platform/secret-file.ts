import { hash, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { FlancoError } from "../domain/error.ts";

/** The rights of all users but the file's owner and its group. */
const OTHERS_MASK = 0o007;

/**
 * Reads the secret in a file that the configuration names.
 * Throws `config`, also where other users can read the file.
 */
export function readSecret(file: string): string {
  const text = readConfigured(file).trim();
  if ((statSync(file).mode & OTHERS_MASK) !== 0) {
    throw new FlancoError("config", `${file} is open to other users of this machine.`, {
      hint: `Close it: chmod o= ${file}`,
    });
  }
  return text;
}

/** Reads a file that the configuration names. Throws `config`. */
export function readConfigured(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new FlancoError("config", `${file} cannot be read.`, {
      hint: "Name a file that the service's user may read.",
      cause,
    });
  }
}

/** Whether a text is this secret. Takes constant time. */
export function isSecret(guess: string, secret: string): boolean {
  return timingSafeEqual(hash("sha256", guess, "buffer"), hash("sha256", secret, "buffer"));
}
