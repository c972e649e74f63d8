import type { Command } from "commander";
import { type CliContext, configOf } from "./context.ts";
import { withDoor } from "./door.ts";

const STDIN = "read the password from standard input, one line";

/** `flanco user`: who may sign in. */
export function addUserCommands(program: Command, context: CliContext): void {
  const { terminal } = context;
  const user = program
    .command("user")
    .description("users who may sign in")
    .addHelpText("after", "\nExample:\n  flanco user add --email ana@example.org --name 'Ana López'");

  user
    .command("add")
    .description("make a user; asks for the password")
    .requiredOption("--email <email>", "the user's e-mail, used to sign in")
    .requiredOption("--name <name>", "the user's name")
    .option("--password-stdin", STDIN, false)
    .addHelpText("after", "\nExample:\n  flanco user add --email ana@example.org --name 'Ana López'")
    .action(async (options: { email: string; name: string; passwordStdin: boolean }, command: Command) => {
      const config = configOf(context, command);
      const { email, name } = options;
      const password = await terminal.newPassword(options.passwordStdin);
      const made = await withDoor(config, terminal, (door) =>
        door.call("addUser", { email, name, password }),
      );
      terminal.out(`${made.email} can sign in.`);
    });

  user
    .command("list")
    .description("show the users")
    .option("--json", "as JSON", false)
    .addHelpText("after", "\nExample:\n  flanco user list")
    .action(async (options: { json: boolean }, command: Command) => {
      const users = await withDoor(configOf(context, command), terminal, (door) =>
        door.call("listUsers", {}),
      );
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
      const config = configOf(context, command);
      const password = await terminal.newPassword(options.passwordStdin);
      await withDoor(config, terminal, (door) =>
        door.call("setPassword", { email: options.email, password }),
      );
      terminal.out(`${options.email} has another password and is signed out everywhere.`);
    });

  user
    .command("remove")
    .description("remove a user; records are kept")
    .requiredOption("--email <email>", "the user's e-mail")
    .option("--with-devices", "also remove the user's devices, locations and wiring", false)
    .addHelpText("after", "\nExample:\n  flanco user remove --email ana@example.org")
    .action(async (options: { email: string; withDevices: boolean }, command: Command) => {
      await withDoor(configOf(context, command), terminal, (door) =>
        door.call("removeUser", { email: options.email, withDevices: options.withDevices }),
      );
      terminal.out(`${options.email} can no longer sign in.`);
    });
}
