import { type CommandTable, command } from "./command.ts";

/** `flanco serve`, or `flanco` alone: the service itself, until a signal ends it. */
export const commands: CommandTable = [
  {
    ...command(
      "serve",
      "run the service: watch the wired lines, serve the API and the page",
      {},
      "flanco serve --config /etc/flanco/flanco.toml",
      async (_given, call) => {
        // Loaded late: the service is most of the program, and help and errors must not wait for it.
        const { serve } = await import("../service/serving.ts");
        await serve(call.terminal, call.context.installation, () => call.config());
      },
    ),
    isDefault: true,
  },
];
