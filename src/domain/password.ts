import { FlancoError } from "./error.ts";
import { PASSWORD_MAX_BYTES, PASSWORD_MIN_CHARACTERS } from "./user.ts";

/** Hashes and compares passwords away from the main thread. Rejects `overloaded` when too many wait. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** False for a wrong password; `hash` null compares with nobody's, at the same cost, and is false. */
  matches(password: string, hash: string | null): Promise<boolean>;
}

/** Length in bytes of UTF-8, which is what bcrypt reads. */
export function passwordBytes(password: string): number {
  return new TextEncoder().encode(password).length;
}

/** Throws `invalid`, naming the field `password`, unless this may become somebody's password. */
export function requirePassword(password: string): void {
  const wrong = passwordMistake(password);
  if (wrong !== undefined) {
    throw new FlancoError("invalid", `password: ${wrong}`, {
      fields: { password: { kind: "length", message: wrong } },
    });
  }
}

function passwordMistake(password: string): string | undefined {
  if ([...password].length < PASSWORD_MIN_CHARACTERS) {
    return `must have at least ${PASSWORD_MIN_CHARACTERS} characters`;
  }
  const bytes = passwordBytes(password);
  if (bytes > PASSWORD_MAX_BYTES) {
    return `must have at most ${PASSWORD_MAX_BYTES} bytes of UTF-8; this one has ${bytes}`;
  }
  return undefined;
}
