import type { BootMoment } from "./boot.ts";
import { FlancoError } from "./error.ts";
import type { Id } from "./id.ts";
import type { LocationLimit } from "./limit.ts";
import type { Member, NewMember, Role } from "./member.ts";

/** The first member of a new account, its owner. */
export type NewOwner = Omit<NewMember, "role">;

/** A member with what proves its password. */
export interface Credentials {
  readonly member: Member;
  /** bcrypt. Never leaves the process. Null for a member without a password: nothing matches it. */
  readonly passwordHash: string | null;
  /** When a program was last active, in Unix milliseconds, at most a day too early. Absent for others. */
  readonly usedMs?: number;
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
  readonly userId: Id;
  readonly role: Role;
  /** Null for a member who sees the whole account. */
  readonly limit: LocationLimit | null;
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
  const bytes = passwordBytes(password);
  let message: string | undefined;
  if ([...password].length < PASSWORD_MIN_CHARACTERS) {
    message = `must have at least ${PASSWORD_MIN_CHARACTERS} characters`;
  } else if (bytes > PASSWORD_MAX_BYTES) {
    message = `must have at most ${PASSWORD_MAX_BYTES} bytes of UTF-8; this one has ${bytes}`;
  }
  if (message === undefined) return;
  throw new FlancoError("invalid", `password: ${message}`, {
    fields: { password: { kind: "length", message } },
  });
}

/** What stands at the head of an account's reports. Empty texts where nothing is set. */
export interface Letterhead {
  readonly company: string;
  readonly taxNumber: string;
  readonly address: string;
  /** A PNG or JPEG image of at most 40 KiB as a `data:` URL. */
  readonly logo: string;
}

/** In Base64 it fits into a request of usual size. */
export const MAX_LOGO_BYTES = 40 * 1024;

const DATA_URL =
  /^data:image\/(png|jpeg);base64,((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
/** What the files begin with. */
const BEGINNINGS: Readonly<Record<string, string>> = { png: "\x89PNG\r\n\x1a\n", jpeg: "\xff\xd8\xff" };

/** Whether a logo is of the type that it says, and small enough: browsers show it. */
export function isLogo(logo: string): boolean {
  if (logo === "") return true;
  const [, type = "", base64 = ""] = DATA_URL.exec(logo) ?? [];
  const beginning = BEGINNINGS[type];
  if (beginning === undefined) return false;
  const bytes = atob(base64);
  return bytes.length <= MAX_LOGO_BYTES && bytes.startsWith(beginning);
}
