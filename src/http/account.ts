import {
  importAccount,
  listAllMembers,
  makeAccount,
  removeAccount,
  setPassword,
} from "../contract/member.ts";
import { type NewOwner, type PasswordHasher, requirePassword } from "../domain/account.ts";
import type { Actor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import { type Member, programHasKey } from "../domain/member.ts";
import type { SinkName } from "../domain/sink.ts";
import { makeWayIn } from "./member.ts";
import { type Endpoint, serve } from "./router.ts";

export interface AccountDependencies {
  readonly reader: Accounts & Pick<LedgerReader, "member">;
  readonly writer: Pick<
    LedgerWriter,
    "addUser" | "addMember" | "addLink" | "setKey" | "setPassword" | "removeUser"
  >;
  readonly passwords: PasswordHasher;
  /** The sinks that an owner has set up, for the account that there was. */
  readonly ownersSinks: () => readonly SinkName[];
}

/** The accounts with their members, for operators alone. */
export function accountEndpoints({
  reader,
  writer,
  passwords,
  ownersSinks,
}: AccountDependencies): readonly Endpoint[] {
  const addAccount = (user: NewOwner, by: Actor) => {
    const sinks = ownersSinks();
    // They would send what is the new account's too, to where the other one's owner wants it.
    if (sinks.length > 0 && reader.members().length > 0) {
      const message = `What this gateway sends (${sinks.join(", ")}) was set up by an owner, for one account.`;
      throw new FlancoError("conflict", message, {
        hint: "Set it up for all accounts, by flanco forward import, or turn it off, by flanco forward off; then add the account.",
      });
    }
    return writer.addUser(user, by);
  };
  return [
    serve(listAllMembers, () => ({ data: reader.members() })),
    serve(makeAccount, async ({ body: { user }, by }) => {
      const { name, email, password, account, role, locationIds } = user;
      if (password !== undefined) requirePassword(password);
      if (role === "program" && password !== undefined) throw programHasKey();
      const passwordHash = password === undefined ? null : await passwords.hash(password);
      const isNew = account === undefined && role === undefined;
      const member = isNew
        ? await addAccount({ name, email, passwordHash }, by)
        : await writer.addMember(
            accountOf(reader, account),
            { name, email, passwordHash, role: role ?? "staff", locationIds },
            by,
          );
      const wayIn =
        passwordHash === null ? await makeWayIn(writer, passwords, member, by) : { token: null, key: null };
      return { data: { email: member.email, ...wayIn } };
    }),
    serve(setPassword, async ({ body: { memberId, password }, by }) => {
      requirePassword(password);
      await writer.setPassword(memberId, await passwords.hash(password), by);
    }),
    serve(removeAccount, ({ userId, query, by }) => writer.removeUser(userId, query.withDevices, by)),
    serve(importAccount, async ({ body: { user }, by }) => {
      if (reader.credentials(user.email) === undefined) await addAccount(user, by);
    }),
  ];
}

/** What says who the members of the accounts are. */
export type Accounts = Pick<LedgerReader, "credentials" | "members">;

/** The account of a member; without an e-mail the only account. */
export function accountOf(reader: Accounts, email: string | undefined): Id {
  if (email !== undefined) return memberByEmail(reader, email).userId;
  const [only, ...others] = firstMembers(reader);
  if (only !== undefined && others.length === 0) return only.userId;
  throw new FlancoError("invalid", "It is not clear which account is meant.", {
    hint: "Name it with --account and the e-mail of one of its members.",
  });
}

/** The first member of each account. Commands name an account by that member's e-mail. */
export function firstMembers(reader: Pick<LedgerReader, "members">): readonly Member[] {
  const seen = new Set<Id>();
  return reader.members().filter(({ userId }) => !seen.has(userId) && seen.add(userId));
}

function memberByEmail(reader: Pick<LedgerReader, "credentials">, email: string): Member {
  const found = reader.credentials(email);
  if (found === undefined) {
    throw new FlancoError("not_found", `There is no user with the e-mail ${email}.`, {
      hint: "flanco user list shows who there is.",
    });
  }
  return found.member;
}
