import type { Command } from "commander";
import type { CliContext } from "./context.ts";
import { operate } from "./door.ts";

const EXAMPLE = "\nExample:\n  flanco user add --email ana@example.org --name 'Ana López'";
const STDIN = "read the password from standard input, one line";

/** `flanco user`: who may sign in. */
export function addUserCommands(program: Command, context: CliContext): void {
  const { terminal } = context;
  const user = program.command("user").description("users who may sign in").addHelpText("after", EXAMPLE);

  user
    .command("add")
    .description("make a user; asks for the password")
    .requiredOption("--email <email>", "the user's e-mail, used to sign in")
    .requiredOption("--name <name>", "the user's name")
    .option("--password-stdin", STDIN, false)
    .addHelpText("after", EXAMPLE)
    .action(async (options: { email: string; name: string; passwordStdin: boolean }, command: Command) => {
      const { email, name } = options;
      const password = await terminal.newPassword(options.passwordStdin);
      const made = await operate(context, command, "addUser", { email, name, password });
      terminal.out(`${made.email} can sign in.`);
    });

  user
    .command("list")
    .description("show the users")
    .option("--json", "as JSON", false)
    .addHelpText("after", "\nExample:\n  flanco user list")
    .action(async (options: { json: boolean }, command: Command) => {
      const users = await operate(context, command, "listUsers", {});
      if (options.json) terminal.json(users);
      else for (const { email, name } of users) terminal.out(`${email}\t${name}`);
    });

  user
    .command("passwd")
    .description("give a user another password; all of the user's sessions end")
    .requiredOption("--email <email>", "the user's e-mail")
    .option("--password-stdin", STDIN, false)
    .addHelpText("after", "\nExample:\n  flanco user passwd --email ana@example.org")
    .action(async (options: { email: string; passwordStdin: boolean }, command: Command) => {
      const password = await terminal.newPassword(options.passwordStdin);
      await operate(context, command, "setPassword", { email: options.email, password });
      terminal.out(`${options.email} has another password and is signed out everywhere.`);
    });

  user
    .command("remove")
    .description("remove a user; records are kept")
    .requiredOption("--email <email>", "the user's e-mail")
    .option("--with-devices", "also remove the user's devices, locations and wiring", false)
    .addHelpText("after", "\nExample:\n  flanco user remove --email ana@example.org")
    .action(async (options: { email: string; withDevices: boolean }, command: Command) => {
      await operate(context, command, "removeUser", {
        email: options.email,
        withDevices: options.withDevices,
      });
      terminal.out(`${options.email} can no longer sign in.`);
    });
}
