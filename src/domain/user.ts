import type { BootMoment } from "./boot.ts";
import { FlancoError } from "./error.ts";
import type { Id } from "./id.ts";

/** Owns devices, locations, wiring and records. */
export interface User {
  readonly id: Id;
  readonly name: string;
  /** The login identifier: trimmed, and compared without regard to case. */
  readonly email: string;
}

export interface UserCredentials {
  readonly user: User;
  /** bcrypt. Never leaves the process. */
  readonly passwordHash: string;
}

export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string;
}

export const PASSWORD_MIN_CHARACTERS = 10;
/** bcrypt reads 72 bytes and ignores the rest, so a longer password would be weaker than it looks. */
export const PASSWORD_MAX_BYTES = 72;

/** One signed-in browser or program. The row is what makes its token valid. */
export interface Session {
  readonly sid: Id;
  readonly userId: Id;
  /** By the wall clock of that moment, which may have been set since. */
  readonly createdTimeMs: number;
  readonly expiresTimeMs: number;
  /** The same moment in monotonic time; null where the boot is not known. */
  readonly begun: BootMoment | null;
}

/** Bounded because many programs sign in each time they run and never sign out. */
export const MAX_SESSIONS_PER_USER = 100;

export interface NewSession extends Omit<Session, "sid" | "begun"> {
  /** The user's session that this one replaces because the bound is reached; null where it is not. */
  readonly inPlaceOf: Id | null;
}

/** Hashes and compares passwords away from the main thread. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** False for a wrong password. With `hash` null it costs the same time and is false. */
  matches(password: string, hash: string | null): Promise<boolean>;
}

/** Length in bytes of UTF-8, which is what bcrypt reads. */
export function passwordBytes(password: string): number {
  return new TextEncoder().encode(password).length;
}

/** Throws `invalid`, naming the field `password`, for a password that is too short or too long. */
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
