import type { BootMoment } from "./boot.ts";
import { FlancoError } from "./error.ts";
import type { Id } from "./id.ts";
import type { Member, NewMember, Role } from "./member.ts";

/** The first member of a new account, its owner. */
export type NewUser = Omit<NewMember, "role">;

/** A member with what proves its password. */
export interface Credentials {
  readonly member: Member;
  /** bcrypt. Never leaves the process. Null for a member without a password: nothing matches it. */
  readonly passwordHash: string | null;
}

export const PASSWORD_MIN_CHARACTERS = 10;
/** bcrypt reads 72 bytes and ignores the rest, so a longer password would be weaker than it looks. */
export const PASSWORD_MAX_BYTES = 72;

/** One signed-in browser or program. The row is what makes its token valid. */
export interface Session {
  readonly sid: Id;
  readonly memberId: Id;
  /** By the wall clock of that moment, which may have been set since. */
  readonly createdTimeMs: number;
  readonly expiresTimeMs: number;
  /** The same moment in monotonic time; null where the boot is not known. */
  readonly begun: BootMoment | null;
}

/** A session with what its member may do at the moment of the reading. */
export interface StandingSession extends Session {
  /** The member's account. */
  readonly userId: Id;
  readonly role: Role;
}

/** Bounded because many programs sign in each time they run and never sign out. */
export const MAX_SESSIONS_PER_MEMBER = 100;

export interface NewSession extends Omit<Session, "sid" | "begun"> {
  /** The member's session that this one replaces because the bound is reached; null where it is not. */
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
