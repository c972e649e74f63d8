import type { Command } from "commander";
import { rotateSecret } from "../contract/operator.ts";
import type { CliContext } from "./context.ts";
import { ask } from "./door.ts";

const EXAMPLE = "\nExample:\n  flanco secret rotate";

/** `flanco secret`: the secret that signs all sessions. */
export function declare(program: Command, context: CliContext): void {
  const { terminal } = context;
  const secret = program
    .command("secret")
    .description("the secret that signs sessions")
    .addHelpText("after", EXAMPLE);

  secret
    .command("rotate")
    .description("make another secret; every session ends, and all users must sign in again")
    .option("--json", "as JSON", false)
    .addHelpText("after", EXAMPLE)
    .action(async (options: { json: boolean }, command: Command) => {
      const { data: rotated } = await ask(context, command, rotateSecret, {});
      const told = `Sessions are signed with another secret. ${ending(rotated.ended)}`;
      terminal.show(options.json, rotated, [told]);
    });
}

function ending(sessions: number): string {
  if (sessions === 0) return "No user was signed in.";
  const all = sessions === 1 ? "The one session has" : `All ${sessions} sessions have`;
  return `${all} ended: all users must sign in again.`;
}
