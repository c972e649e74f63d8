import type { Command } from "commander";
import { pageAddresses } from "../net/host-names.ts";
import { type CliContext, configOf } from "./context.ts";
import { operate } from "./door.ts";

const HELP = `
All that this gateway has goes to the other one: records, people, wiring, and the keys of HTTPS. Run
the command that it prints on the new gateway, which must have this one's host name; it asks for the
code, which is valid once and for 15 minutes. This gateway goes on recording until it is switched
off: wire the relays to the new one first.

Example:
  flanco move`;

/** `flanco move`: a code by which another gateway takes the clinic over. */
export function declare(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("move")
    .description("make a one-time code by which a new gateway takes over all that this one has")
    .option("--json", "as JSON", false)
    .addHelpText("after", HELP)
    .action(async (options: { json: boolean }, command: Command) => {
      const made = await operate(context, command, "allowMove", {});
      const addresses = pageAddresses(configOf(context, command), "");
      terminal.show(options.json, made, [
        "On the new gateway, within 15 minutes:",
        ...addresses.filter((one) => one.startsWith("https:")).map((one) => `  flanco restore ${one}`),
        `Code, valid once: ${made.code}`,
      ]);
    });
}
