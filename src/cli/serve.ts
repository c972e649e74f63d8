import type { Command } from "commander";
import { type CliContext, configOf } from "./context.ts";

/** `flanco serve`, or `flanco` alone: the service itself, until a signal ends it. */
export function declare(program: Command, context: CliContext, isAlone: boolean): void {
  program
    // Otherwise a misspelled command would be an argument of this one.
    .command("serve", { isDefault: isAlone })
    .description("run the service: watch the wired lines, serve the API and the page")
    .addHelpText("after", "\nExample:\n  flanco serve --config /etc/flanco/flanco.toml")
    .action(async (_options: object, command: Command) => {
      // Loaded late: the service is most of the program, and help and errors must not wait for it.
      const { serve } = await import("../service/serving.ts");
      await serve(context.terminal, context.installation, () => configOf(context, command));
    });
}
