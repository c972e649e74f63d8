import type { BootMoment } from "./boot.ts";
import type { Id } from "./id.ts";

/** A person who signs in. Owns devices, locations, wiring and records. */
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
  /** The same moment by the kernel's monotonic time; null where nobody said which boot it was. */
  readonly begun: BootMoment | null;
}

/** Sessions that one user may have: programs sign in anew each time they run, and never out. */
export const MAX_SESSIONS_PER_USER = 100;

export interface NewSession extends Omit<Session, "sid" | "begun"> {
  /** The session of that user which ends when this one begins, for there are as many as may be; else null. */
  readonly inPlaceOf: Id | null;
}
