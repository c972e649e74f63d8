import { hash, randomBytes } from "node:crypto";
import {
  changeMember,
  changePassword,
  changeSelf,
  endMemberSessions,
  getSelf,
  inviteMember,
  linkMember,
  listMembers,
  removeMember,
  type Site,
  useLink,
} from "../contract/member.ts";
import { type PasswordHasher, requirePassword, type StandingSession } from "../domain/account.ts";
import type { Actor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerReader, LedgerWriter, SyncOrAsync } from "../domain/ledger.ts";
import type { Member, Reach } from "../domain/member.ts";
import { requireSession, type SessionKeeper } from "./auth/session.ts";
import type { SignInGate } from "./auth/sign-in-gate.ts";
import { type Endpoint, serve } from "./router.ts";
import { attemptSignIn, signIn, toUserData } from "./session.ts";

/** 128 bits, too many to guess, of a link's token and of a program's key. */
const TOKEN_BYTES = 16;
/** The account on which wrong guesses of links count. No e-mail has a space. */
const LINKS = "a link";

function newSecret(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** Makes a member's link: a one-time token of 128 bits, of which the ledger stores the hash. */
export async function makeLink(
  writer: Pick<LedgerWriter, "addLink">,
  { userId, id }: Pick<Member, "userId" | "id">,
  by: Actor,
): Promise<string> {
  const token = newSecret();
  await writer.addLink(userId, id, hash("sha256", token), by);
  return token;
}

/**
 * Makes what lets a member in: a link, or a program's key, of which the ledger stores the hash: bcrypt, as of a
 * password, so that a program signs in by the contract's login, in the same time as everybody.
 */
export async function makeWayIn(
  writer: Pick<LedgerWriter, "addLink" | "setKey">,
  passwords: Pick<PasswordHasher, "hash">,
  member: Pick<Member, "userId" | "id" | "role">,
  by: Actor,
) {
  if (member.role !== "program") return { token: await makeLink(writer, member, by), key: null };
  const key = newSecret();
  await writer.setKey(member.userId, member.id, await passwords.hash(key), by);
  return { token: null, key };
}

export type MemberWriter = Pick<
  LedgerWriter,
  | ("addMember" | "changeMember" | "removeMember" | "endSessionsOf")
  | ("addLink" | "useLink" | "setPassword" | "setKey")
>;
export type MemberReader = SyncOrAsync<
  Pick<LedgerReader, "member" | "credentials" | "accountCredentials" | "hasLink" | "limits"> & {
    sessions(): readonly Pick<StandingSession, "memberId">[];
  }
>;

/** The account's members. */
export function memberEndpoints(
  reader: Pick<MemberReader, "accountCredentials" | "member" | "sessions" | "limits">,
  writer: MemberWriter,
  passwords: Pick<PasswordHasher, "hash">,
  reach: () => Reach,
): readonly Endpoint[] {
  const letIn = async (member: Pick<Member, "userId" | "id" | "role">, by: Actor) => ({
    data: { ...(await makeWayIn(writer, passwords, member, by)), reach: reach() },
  });
  return [
    serve(listMembers, async ({ userId }) => {
      const limits = await reader.limits();
      const counts = Map.groupBy(await reader.sessions(), ({ memberId }) => memberId);
      return {
        data: (await reader.accountCredentials(userId)).map(({ member, passwordHash, usedMs }) => ({
          ...toUserData(member),
          role: member.role,
          locationIds: limits.get(member.id)?.locationIds ?? null,
          hasPassword: passwordHash !== null,
          sessions: counts.get(member.id)?.length ?? 0,
          usedTime: usedMs ?? null,
        })),
      };
    }),
    serve(inviteMember, async ({ userId, body, by }) => {
      return letIn(await writer.addMember(userId, { ...body.member, passwordHash: null }, by), by);
    }),
    serve(changeMember, ({ userId, query, body, by }) =>
      writer.changeMember(userId, query.memberId, body.member, by),
    ),
    serve(removeMember, ({ userId, query, by }) => writer.removeMember(userId, query.memberId, by)),
    serve(linkMember, async ({ userId, body, by }) => {
      const id = body.memberId;
      // One of another account, or none, is refused by the ledger.
      const role = (await reader.member(id))?.role ?? "staff";
      return letIn({ userId, id, role }, by);
    }),
    serve(endMemberSessions, async ({ userId, body, by }) => ({
      data: { ended: await writer.endSessionsOf(userId, body.memberId, by) },
    })),
  ];
}

/** What a member does to itself. */
export function selfEndpoints(
  serves: Site,
  reader: MemberReader,
  writer: MemberWriter,
  sessions: SessionKeeper,
  passwords: PasswordHasher,
  gate: SignInGate,
): readonly Endpoint[] {
  const own = async (memberId: string): Promise<Member> => {
    const member = await reader.member(memberId);
    if (member === undefined) throw new FlancoError("unauthorized", "Unauthorized");
    return member;
  };
  return [
    serve(getSelf, async ({ signedIn }) => {
      const member = await own(signedIn.memberId);
      const locationIds = signedIn.limit?.locationIds ?? null;
      return { data: { ...toUserData(member), role: member.role, locationIds, serves } };
    }),
    serve(changeSelf, async ({ userId, signedIn, body, by }) => {
      const { id, name } = await own(signedIn.memberId);
      if (name !== body.me.name) await writer.changeMember(userId, id, body.me, by);
    }),
    serve(changePassword, async ({ userId, signedIn, body, context, by }) => {
      const member = await own(signedIn.memberId);
      const { email, id } = member;
      requirePassword(body.password);
      const isRight = await attemptSignIn(gate, context, {
        account: id,
        userId,
        prove: async () =>
          passwords.matches(body.current, (await reader.credentials(email))?.passwordHash ?? null),
      });
      if (!isRight) {
        const message = "is not the password of this member";
        const fields = { current: { kind: "type", message } } as const;
        throw new FlancoError("invalid", `current: ${message}.`, { fields });
      }
      const passwordHash = await passwords.hash(body.password);
      // This session may have ended during the comparison, which takes a while.
      await requireSession(sessions, context);
      await writer.setPassword(id, passwordHash, by);
      await signIn(sessions, context, { member, passwordHash });
    }),
    serve(useLink, async ({ body, context, by }) => {
      const tokenHash = hash("sha256", body.token);
      const prove = async () => reader.hasLink(tokenHash);
      if (!(await attemptSignIn(gate, context, { account: LINKS, userId: null, prove }))) {
        throw new FlancoError("unauthorized", "This link has been used or has expired.", {
          hint: "Ask an owner of the account for a new one.",
        });
      }
      // Checked after the link, so that the page learns of
      // an expired link before a person chooses a password.
      requirePassword(body.password);
      const passwordHash = await passwords.hash(body.password);
      const member = await writer.useLink(tokenHash, passwordHash, by);
      await signIn(sessions, context, { member, passwordHash });
      return { userData: toUserData(member) };
    }),
  ];
}

/** Throws `conflict` where several accounts share the gateway: one owner may not decide for all of them. */
export function requireSoleAccount(reader: Pick<LedgerReader, "members">, why: string, hint: string): void {
  if (new Set(reader.members().map(({ userId }) => userId)).size <= 1) return;
  throw new FlancoError("conflict", `Several accounts share this gateway, and ${why}.`, { hint });
}
