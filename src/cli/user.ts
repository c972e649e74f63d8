import type { AnswerOf } from "../contract/declaration.ts";
import { listLocations } from "../contract/location.ts";
import {
  changeMember,
  endMemberSessions,
  type ListedMember,
  linkMember,
  listAllMembers,
  makeAccount,
  removeAccount,
  removeMember,
  setPassword,
} from "../contract/member.ts";
import { rotateSecret } from "../contract/operator.ts";
import { FlancoError } from "../domain/error.ts";
import { emailKey, LINK_PATH, ROLES } from "../domain/member.ts";
import { pageAddresses } from "../net/host-names.ts";
import type { ControlClient } from "./api-access.ts";
import { AS_JSON, type Call, type CommandTable, command, flag, needed, optional } from "./command.ts";

const STDIN = "read the password from standard input, one line";
const ADD_HELP = `
Without --account and --role the user owns a new, empty account. With --role alone the only
account is meant. Roles: owner does everything; staff sees rooms, records and the report;
accountant reads records, report and settlements; technician sets up places and lines, without money;
display shows rooms on a screen for a year; program posts records, with a key that is printed once.

Examples:
  flanco user add --email ana@example.org --name 'Ana López'
  flanco user add --email eva@example.org --name 'Eva Ruiz' --role technician --link
  flanco user add --email tv@example.org --name Enfermería --account ana@example.org --role display
  flanco user add --email rele-1@programa.invalid --name 'Relé 1' --role program`;

const EMAIL = needed("--email <email>", "the user's e-mail");
const ROLE = optional("--role <role>", "what the user may do", ROLES);
const LOCATION = optional("--location <name>", "limit the user to this location; may be repeated", asNames);
const PASSWORD_STDIN = flag("--password-stdin", STDIN);

const ROTATE = "flanco secret rotate";

/** `flanco user`: the members of accounts; `flanco secret`: what signs their sessions. */
export const commands: CommandTable = [
  {
    name: "user",
    about: "users who may sign in",
    help: "flanco user add --email ana@example.org --name 'Ana López'",
    rows: [
      command(
        "add",
        "make a user; asks for the password",
        {
          email: needed("--email <email>", "the user's e-mail, used to sign in"),
          name: needed("--name <name>", "the user's name"),
          account: optional(
            "--account <email>",
            "e-mail of a user whose account it joins, as staff unless --role says otherwise",
          ),
          role: ROLE,
          location: LOCATION,
          link: flag("--link", "print a one-time link by which the user chooses the password", [
            "passwordStdin",
          ]),
          passwordStdin: PASSWORD_STDIN,
        },
        ADD_HELP,
        async ({ link, passwordStdin, location, ...who }, call) => {
          if (location !== undefined && who.account === undefined && who.role === undefined) {
            call.refuse("the owner of a new account has all of it: give --account or --role with --location");
          }
          const isProgram = who.role === "program";
          if (isProgram && (link || passwordStdin)) call.refuse("a program gets a key: leave the option out");
          const password = link || isProgram ? undefined : await call.terminal.newPassword(passwordStdin);
          const { data } = await call.withApi(
            async (api) => {
              const locationIds = location && (await locationIdsOf(api, location, who.account));
              return api.ask(makeAccount, { body: { user: { ...who, password, locationIds } } });
            },
            { makesLedger: true },
          );
          showWayIn(call, data.email, data);
        },
      ),
      command("list", "show the users", { json: AS_JSON }, "flanco user list", async ({ json }, call) => {
        const { data: users } = await call.ask(listAllMembers, {});
        const lines = users.map(({ email, name, role }) => `${email}\t${name}\t${role}`);
        call.terminal.show(json, users, lines.length === 0 ? ["There are no users."] : lines);
      }),
      command(
        "change",
        "change a user's name, role or locations; another role ends the user's sessions",
        {
          email: EMAIL,
          name: optional("--name <name>", "the user's name"),
          role: ROLE,
          location: LOCATION,
          allLocations: flag("--all-locations", "limit the user no more", ["location"]),
        },
        "flanco user change --email eva@example.org --role staff --location 'Clínica Norte'",
        async ({ email, location, allLocations, ...named }, call) => {
          const isEmpty = Object.values({ ...named, location }).every((value) => value === undefined);
          if (isEmpty && !allLocations) {
            call.refuse("nothing to change: give --name, --role, --location or --all-locations");
          }
          await withMember(call, email, async (api, { id }) => {
            const locationIds = allLocations ? null : location && (await locationIdsOf(api, location, email));
            const body = { member: { ...named, locationIds } };
            return api.ask(changeMember, { query: { memberId: id }, body }, email);
          });
          call.terminal.out(`${email} was changed.`);
        },
      ),
      command(
        "passwd",
        "give a user another password; all of the user's sessions end",
        { email: EMAIL, passwordStdin: PASSWORD_STDIN },
        "flanco user passwd --email ana@example.org",
        async ({ email, passwordStdin }, call) => {
          const password = await call.terminal.newPassword(passwordStdin);
          await withMember(call, email, (api, { id }) =>
            api.ask(setPassword, { body: { memberId: id, password } }),
          );
          call.terminal.out(`${email} has another password and is signed out everywhere.`);
        },
      ),
      command(
        "reset",
        "print a one-time link by which a user chooses another password; of a program, another key",
        { email: EMAIL },
        "flanco user reset --email ana@example.org",
        async ({ email }, call) => {
          const { data } = await withMember(call, email, (api, { id }) =>
            api.ask(linkMember, { body: { memberId: id } }, email),
          );
          showWayIn(call, email, data);
        },
      ),
      command(
        "sign-out",
        "end all sessions of a user, and the key of a program",
        { email: EMAIL },
        "flanco user sign-out --email tv@example.org",
        async ({ email }, call) => {
          const told = await withMember(call, email, async (api, { id, role }) => {
            const { ended } = (await api.ask(endMemberSessions, { body: { memberId: id } }, email)).data;
            if (role === "program") return `${email} has no key, and is signed out everywhere.`;
            return `${ended === 1 ? "1 session" : `${ended} sessions`} of ${email} ended.`;
          });
          call.terminal.out(told);
        },
      ),
      command(
        "remove",
        "remove a user; records are kept. The last user of an account goes with the account",
        {
          email: EMAIL,
          withDevices: flag("--with-devices", "also remove the account's devices, locations and wiring"),
        },
        "flanco user remove --email ana@example.org",
        async ({ email, withDevices }, call) => {
          await withMember(call, email, (api, { id, userId }, members) =>
            members.filter((member) => member.userId === userId).length > 1
              ? api.ask(removeMember, { query: { memberId: id } }, email)
              : api.ask(removeAccount, { query: { withDevices: String(withDevices) } }, email),
          );
          call.terminal.out(`${email} can no longer sign in.`);
        },
      ),
    ],
  },
  {
    name: "secret",
    about: "the secret that signs sessions",
    help: ROTATE,
    rows: [
      command(
        "rotate",
        "make another secret; every session ends, and all users must sign in again",
        { json: AS_JSON },
        ROTATE,
        async ({ json }, call) => {
          const { data } = await call.ask(rotateSecret, {});
          const told = `Sessions are signed with another secret. ${ending(data.ended)}`;
          call.terminal.show(json, data, [told]);
        },
      ),
    ],
  },
];

/** Shows a link or a key on the terminal alone, because it lets its holder in. */
function showWayIn(
  call: Call,
  email: string,
  { token, key }: Pick<AnswerOf<typeof linkMember>["data"], "token" | "key">,
): void {
  const out = (line: string) => call.terminal.out(line);
  if (key !== null) {
    out(`${email} signs in with this key as its password, which is not shown again:`);
    out(`  ${key}`);
  } else if (token !== null) {
    out(`${email} chooses a password with this link, valid once and for a day:`);
    const path = `${LINK_PATH}#${token}/${email}`;
    for (const address of pageAddresses(call.config(), path)) out(`  ${address}`);
  } else out(`${email} can sign in.`);
}

/** Each use of a repeated option adds to those before. */
function asNames(name: string, before: readonly string[] = []): readonly string[] {
  return [...before, name];
}

/** The locations of these names, of the account with this member. Rejects with `not_found`. */
async function locationIdsOf(
  api: ControlClient,
  names: readonly string[],
  account: string | undefined,
): Promise<string[]> {
  const { data } = await api.ask(listLocations, {}, account);
  return names.map((wanted) => {
    const found = data.find(({ name }) => name === wanted);
    if (found !== undefined) return found._id;
    throw new FlancoError("not_found", `There is no location "${wanted}".`, {
      hint: `There are: ${data.map(({ name }) => name).join(", ") || "none"}.`,
    });
  });
}

/** Does something about the member with an e-mail. Rejects with `not_found`. */
function withMember<T>(
  call: Call,
  email: string,
  run: (api: ControlClient, member: ListedMember, members: readonly ListedMember[]) => Promise<T>,
): Promise<T> {
  return call.withApi(async (api) => {
    const members = await membersOf(api);
    return run(api, memberOf(members, email), members);
  });
}

/** All accounts, each by its first member. */
export async function accountsOf(api: ControlClient): Promise<readonly ListedMember[]> {
  const accounts = Map.groupBy(await membersOf(api), ({ userId }) => userId);
  return [...accounts.values()].flatMap(([first]) => first ?? []);
}

/** The members of all accounts. */
export async function membersOf(api: ControlClient): Promise<readonly ListedMember[]> {
  return (await api.ask(listAllMembers, {})).data;
}

/** The member with an e-mail. Throws `not_found`. */
export function memberOf(members: readonly ListedMember[], email: string): ListedMember {
  const found = members.find((member) => emailKey(member.email) === emailKey(email));
  if (found !== undefined) return found;
  throw new FlancoError("not_found", `There is no user with the e-mail ${email}.`, {
    hint: "flanco user list shows who there is.",
  });
}

function ending(sessions: number): string {
  if (sessions === 0) return "No user was signed in.";
  const all = sessions === 1 ? "The one session has" : `All ${sessions} sessions have`;
  return `${all} ended: all users must sign in again.`;
}
