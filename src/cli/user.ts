import { type Command, Option } from "commander";
import {
  addUser,
  changeMember,
  endMemberSessions,
  linkMember,
  listUsers,
  removeAccount,
  removeMember,
  setPassword,
  type User,
} from "../contract/member.ts";
import { LINK_PATH, ROLES, type Role } from "../domain/member.ts";
import { pageAddresses } from "../net/host-names.ts";
import { memberOf, membersOf } from "./account.ts";
import { type CliContext, configOf } from "./context.ts";
import type { ControlClient } from "./control-client.ts";
import { ask, withDoor } from "./door.ts";

const EXAMPLE = "\nExample:\n  flanco user add --email ana@example.org --name 'Ana López'";
const STDIN = "read the password from standard input, one line";
const ADD_HELP = `
Without --account and --role the user owns a new, empty account. With --role alone the only
account is meant. Roles: owner does everything; staff sees rooms, records and the report;
technician sets up places and lines, without money; display shows rooms on a screen for a year.

Examples:
  flanco user add --email ana@example.org --name 'Ana López'
  flanco user add --email eva@example.org --name 'Eva Ruiz' --role technician --link
  flanco user add --email tv@example.org --name Enfermería --account ana@example.org --role display`;

interface Adding {
  readonly email: string;
  readonly name: string;
  readonly account?: string;
  readonly role?: Role;
  readonly link: boolean;
  readonly passwordStdin: boolean;
}

/** `flanco user`: the members of accounts. */
export function declare(program: Command, context: CliContext): void {
  const { terminal } = context;
  const user = program.command("user").description("users who may sign in").addHelpText("after", EXAMPLE);
  const role = () => new Option("--role <role>", "what the user may do").choices(ROLES);

  /** Shows the link on the terminal alone, because it lets its holder in. */
  function showLink(command: Command, email: string, token: string): void {
    terminal.out(`${email} chooses a password with this link, valid once and for a day:`);
    const path = `${LINK_PATH}#${token}/${email}`;
    for (const address of pageAddresses(configOf(context, command), path)) terminal.out(`  ${address}`);
  }

  user
    .command("add")
    .description("make a user; asks for the password")
    .requiredOption("--email <email>", "the user's e-mail, used to sign in")
    .requiredOption("--name <name>", "the user's name")
    .option(
      "--account <email>",
      "e-mail of a user whose account it joins, as staff unless --role says otherwise",
    )
    .addOption(role())
    .addOption(
      new Option("--link", "print a one-time link by which the user chooses the password")
        .default(false)
        .conflicts("passwordStdin"),
    )
    .option("--password-stdin", STDIN, false)
    .addHelpText("after", ADD_HELP)
    .action(async ({ link, passwordStdin, ...who }: Adding, command: Command) => {
      const password = link ? undefined : await terminal.newPassword(passwordStdin);
      const { data } = await withDoor(
        context,
        command,
        (door) => door.ask(addUser, { body: { user: { ...who, password } } }),
        { makesLedger: true },
      );
      const { email, token } = data;
      if (token === null) terminal.out(`${email} can sign in.`);
      else showLink(command, email, token);
    });

  user
    .command("list")
    .description("show the users")
    .option("--json", "as JSON", false)
    .addHelpText("after", "\nExample:\n  flanco user list")
    .action(async (options: { json: boolean }, command: Command) => {
      const { data: users } = await ask(context, command, listUsers, {});
      const lines = users.map(({ email, name, role }) => `${email}\t${name}\t${role}`);
      terminal.show(options.json, users, lines.length === 0 ? ["There are no users."] : lines);
    });

  user
    .command("change")
    .description("change a user's name or role; another role ends the user's sessions")
    .requiredOption("--email <email>", "the user's e-mail")
    .option("--name <name>", "the user's name")
    .addOption(role())
    .addHelpText("after", "\nExample:\n  flanco user change --email eva@example.org --role staff")
    .action(async ({ email, ...member }: { email: string; name?: string; role?: Role }, command: Command) => {
      if (member.name === undefined && member.role === undefined) {
        command.error("error: nothing to change: give --name, --role or both");
      }
      await withMember(context, command, email, (door, { id }) =>
        door.ask(changeMember, { query: { memberId: id }, body: { member } }, email),
      );
      terminal.out(`${email} was changed.`);
    });

  user
    .command("passwd")
    .description("give a user another password; all of the user's sessions end")
    .requiredOption("--email <email>", "the user's e-mail")
    .option("--password-stdin", STDIN, false)
    .addHelpText("after", "\nExample:\n  flanco user passwd --email ana@example.org")
    .action(async ({ email, passwordStdin }: { email: string; passwordStdin: boolean }, command: Command) => {
      const password = await terminal.newPassword(passwordStdin);
      await withMember(context, command, email, (door, { id }) =>
        door.ask(setPassword, { body: { memberId: id, password } }),
      );
      terminal.out(`${email} has another password and is signed out everywhere.`);
    });

  user
    .command("reset")
    .description("print a one-time link by which a user chooses another password")
    .requiredOption("--email <email>", "the user's e-mail")
    .addHelpText("after", "\nExample:\n  flanco user reset --email ana@example.org")
    .action(async ({ email }: { email: string }, command: Command) => {
      const { data } = await withMember(context, command, email, (door, { id }) =>
        door.ask(linkMember, { body: { memberId: id } }, email),
      );
      showLink(command, email, data.token);
    });

  user
    .command("sign-out")
    .description("end all sessions of a user")
    .requiredOption("--email <email>", "the user's e-mail")
    .addHelpText("after", "\nExample:\n  flanco user sign-out --email tv@example.org")
    .action(async ({ email }: { email: string }, command: Command) => {
      const { data } = await withMember(context, command, email, (door, { id }) =>
        door.ask(endMemberSessions, { body: { memberId: id } }, email),
      );
      const { ended } = data;
      terminal.out(`${ended === 1 ? "1 session" : `${ended} sessions`} of ${email} ended.`);
    });

  user
    .command("remove")
    .description("remove a user; records are kept. The last user of an account goes with the account")
    .requiredOption("--email <email>", "the user's e-mail")
    .option("--with-devices", "also remove the account's devices, locations and wiring", false)
    .addHelpText("after", "\nExample:\n  flanco user remove --email ana@example.org")
    .action(async ({ email, withDevices }: { email: string; withDevices: boolean }, command: Command) => {
      await withMember(context, command, email, (door, { id, userId }, members) =>
        members.filter((member) => member.userId === userId).length > 1
          ? door.ask(removeMember, { query: { memberId: id } }, email)
          : door.ask(removeAccount, { query: { withDevices: String(withDevices) } }, email),
      );
      terminal.out(`${email} can no longer sign in.`);
    });
}

/** Does something about the member with an e-mail. Rejects with `not_found`. */
function withMember<T>(
  context: CliContext,
  command: Command,
  email: string,
  run: (door: ControlClient, member: User, members: readonly User[]) => Promise<T>,
): Promise<T> {
  return withDoor(context, command, async (door) => {
    const members = await membersOf(door);
    return run(door, memberOf(members, email), members);
  });
}
