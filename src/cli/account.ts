import { listDevices } from "../contract/device.ts";
import { listUsers, type User } from "../contract/member.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import { emailKey } from "../domain/member.ts";
import type { ControlClient } from "./control-client.ts";

/** An account, by the e-mail of one of its members: so commands name it. */
export interface Account {
  readonly userId: Id;
  readonly email: string;
}

/** All accounts, each by its first member. */
export async function accountsOf(door: ControlClient): Promise<readonly Account[]> {
  return firstOf(await membersOf(door));
}

/** The members of all accounts. */
export async function membersOf(door: ControlClient): Promise<readonly User[]> {
  return (await door.ask(listUsers, {})).data;
}

/** The member with an e-mail. Throws `not_found`. */
export function memberOf<M extends Account>(members: readonly M[], email: string): M {
  const found = members.find((member) => emailKey(member.email) === emailKey(email));
  if (found !== undefined) return found;
  throw new FlancoError("not_found", `There is no user with the e-mail ${email}.`, {
    hint: "flanco user list shows who there is.",
  });
}

/** Finds the account that has a device; an e-mail of a member decides where several have one of that dId. */
export type FindOwner = (dId: string, email: string | undefined) => Account;

/** Reads the devices of all accounts once, where there are several. What it gives throws `not_found` and `conflict`. */
export async function ownersOfDevices(door: ControlClient): Promise<FindOwner> {
  const members = await membersOf(door);
  const accounts = firstOf(members);
  const [only, ...more] = accounts;
  if (only !== undefined && more.length === 0) {
    return (_dId, email) => (email === undefined ? only : memberOf(members, email));
  }
  const owned: { readonly dId: string; readonly account: Account }[] = [];
  for (const account of accounts) {
    const { data } = await door.ask(listDevices, {}, account.email);
    owned.push(...data.map(({ dId }) => ({ dId, account })));
  }
  const owners = Map.groupBy(owned, ({ dId }) => dId);
  return (dId, email) => {
    if (email !== undefined) return memberOf(members, email);
    const [owner, ...others] = (owners.get(dId) ?? []).map(({ account }) => account);
    if (owner === undefined) {
      throw new FlancoError("not_found", `There is no device with dId "${dId}".`, {
        hint: "Register it first, on the page or with POST /api/device.",
      });
    }
    if (others.length > 0) {
      const emails = [owner, ...others].map((account) => account.email);
      throw new FlancoError("conflict", `Several users have a device with dId "${dId}".`, {
        hint: `Say whose with --user: ${emails.join(", ")}.`,
      });
    }
    return owner;
  };
}

/** The accounts of these members, each by its first one. */
function firstOf(members: readonly Account[]): readonly Account[] {
  return [...Map.groupBy(members, ({ userId }) => userId).values()].flatMap(([first]) => first ?? []);
}
