import { DAY_MS, SECOND_MS } from "./clock.ts";
import { duplicateError, FlancoError } from "./error.ts";
import type { Id } from "./id.ts";

/** What a member may do; `src/contract` declares it for each operation. */
export const ROLES = ["owner", "staff", "accountant", "technician", "display", "program"] as const;
export type Role = (typeof ROLES)[number];
/** The roles of a company's members, who only read and manage each other. */
export const COMPANY_ROLES = ["owner", "staff", "accountant"] as const satisfies readonly Role[];

/**
 * A person or a screen that signs in to an account. The account owns locations, devices, wiring
 * and records, and its id is the `userId` of all of these; the first member's id is the account's.
 */
export interface Member {
  readonly id: Id;
  readonly userId: Id;
  readonly role: Role;
  readonly name: string;
  /** The login identifier: trimmed, and compared without regard to case. */
  readonly email: string;
}

export interface NewMember extends Pick<Member, "role" | "name" | "email"> {
  /** bcrypt, of a program's key. Null until the member chooses a password by a link. */
  readonly passwordHash: string | null;
  /** The locations that it is limited to; null or absent: none. */
  readonly locationIds?: readonly string[] | null | undefined;
}

export interface MemberChange {
  readonly role?: Role | undefined;
  readonly name?: string | undefined;
  /** As `NewMember` has it; absent: as before. */
  readonly locationIds?: readonly string[] | null | undefined;
}

/** Members of one account: a person or a screen each. */
export const MAX_MEMBERS = 100;

/** The form in which e-mails are compared: without regard to case. */
export function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

export function emailTaken(email: string): FlancoError {
  return duplicateError("email", `There is already a user with the e-mail ${email}.`);
}

export function accountFull(): FlancoError {
  return new FlancoError("conflict", `The account has ${MAX_MEMBERS} members, the most it may have.`, {
    hint: "Remove one first.",
  });
}

export function lastOwner(): FlancoError {
  return new FlancoError("conflict", "This is the account's last owner.", {
    hint: "Make another member an owner first, who has signed in already.",
  });
}

export function programHasKey(): FlancoError {
  return new FlancoError(
    "conflict",
    "A program signs in with a key: it has no password, and stays a program.",
    {
      hint: "flanco user reset, or the page (People), makes another key. For another role add another member.",
    },
  );
}

export function linkUsed(): FlancoError {
  return new FlancoError("unauthorized", "This link has been used or has expired.");
}

/** Lifetime of a session: the contract's, but a year for a screen or a program, where no person is there to sign in again. */
export function sessionSeconds(role: Role): number {
  return ((role === "display" || role === "program" ? 365 : 1) * DAY_MS) / SECOND_MS;
}

/** How long the right to set a password by a link lasts, by monotonic time. */
export const LINK_MS = DAY_MS;

/** The path of a link's page. The address's fragment holds the token and the e-mail: `#token/email`. */
export const LINK_PATH = "/enlace";
/** The path of the first-run page. The address's fragment holds the token, and a configured e-mail. */
export const FIRST_RUN_PATH = "/primer-uso";
/** Path of the page, by plain HTTP, that explains how to trust the gateway and leads on to HTTPS. */
export const TRUST_PATH = "/confianza";

/** How another device of the network reaches a gateway. Never by loopback. */
export interface Reach {
  /** Origin of the page; null where the gateway listens on loopback alone. */
  readonly page: string | null;
  /** Address of the page that explains how to trust it; null where browsers trust it already, and where it is switched off. */
  readonly trust: string | null;
}

/** Whether a role may read which sinks there are, and how they fare. */
export function seesSinks(role: Role): boolean {
  return role === "owner" || role === "technician";
}

/** Whether a role may read prices, sums and numbers of sales. */
export function seesMoney(role: Role): boolean {
  return role === "owner" || role === "staff" || role === "accountant";
}
