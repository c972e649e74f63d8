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

const TOKEN_BYTES = 16;
/** The account on which wrong guesses of links count. No e-mail has a space. */
const LINKS = "a link";

/** Makes a member's link: a one-time token of 128 bits, of which the ledger stores the hash. */
export async function makeLink(
  writer: Pick<LedgerWriter, "addLink">,
  { userId, id }: Pick<Member, "userId" | "id">,
  by: Actor,
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  await writer.addLink(userId, id, hash("sha256", token), by);
  return token;
}

export type MemberWriter = Pick<
  LedgerWriter,
  "addMember" | "changeMember" | "removeMember" | "endSessionsOf" | "addLink" | "useLink" | "setPassword"
>;
export type MemberReader = SyncOrAsync<
  Pick<LedgerReader, "member" | "credentials" | "accountCredentials" | "hasLink"> & {
    sessions(): readonly Pick<StandingSession, "memberId">[];
  }
>;

/** The account's members. */
export function memberEndpoints(
  reader: Pick<MemberReader, "accountCredentials" | "sessions">,
  writer: MemberWriter,
  reach: () => Reach,
): readonly Endpoint[] {
  const linkOf = async (member: Pick<Member, "userId" | "id">, by: Actor) => ({
    data: { token: await makeLink(writer, member, by), reach: reach() },
  });
  return [
    serve(listMembers, async ({ userId }) => {
      const counts = Map.groupBy(await reader.sessions(), ({ memberId }) => memberId);
      return {
        data: (await reader.accountCredentials(userId)).map(({ member, passwordHash }) => ({
          ...toUserData(member),
          role: member.role,
          hasPassword: passwordHash !== null,
          sessions: counts.get(member.id)?.length ?? 0,
        })),
      };
    }),
    serve(inviteMember, async ({ userId, body, by }) => {
      const member = await writer.addMember(userId, { ...body.member, passwordHash: null }, by);
      return linkOf(member, by);
    }),
    serve(changeMember, ({ userId, query, body, by }) =>
      writer.changeMember(userId, query.memberId, body.member, by),
    ),
    serve(removeMember, ({ userId, query, by }) => writer.removeMember(userId, query.memberId, by)),
    serve(linkMember, ({ userId, body, by }) => linkOf({ userId, id: body.memberId }, by)),
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
      return { data: { ...toUserData(member), role: member.role, serves } };
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
