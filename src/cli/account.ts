import { listUsers, type User } from "../contract/member.ts";
import { FlancoError } from "../domain/error.ts";
import { emailKey } from "../domain/member.ts";
import type { ControlClient } from "./control-client.ts";

/** All accounts, each by its first member. */
export async function accountsOf(door: ControlClient): Promise<readonly User[]> {
  const accounts = Map.groupBy(await membersOf(door), ({ userId }) => userId);
  return [...accounts.values()].flatMap(([first]) => first ?? []);
}

/** The members of all accounts. */
export async function membersOf(door: ControlClient): Promise<readonly User[]> {
  return (await door.ask(listUsers, {})).data;
}

/** The member with an e-mail. Throws `not_found`. */
export function memberOf(members: readonly User[], email: string): User {
  const found = members.find((member) => emailKey(member.email) === emailKey(email));
  if (found !== undefined) return found;
  throw new FlancoError("not_found", `There is no user with the e-mail ${email}.`, {
    hint: "flanco user list shows who there is.",
  });
}
