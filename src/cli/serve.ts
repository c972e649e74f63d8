import { stringify } from "smol-toml";
import { CONFIG_KEYS } from "../contract/config/schema.ts";
import { dataDirectoryOf } from "../ledger/engine/data-directory.ts";
import { AS_JSON, type CommandTable, command } from "./command.ts";

const MASK = "********";

/** `flanco serve`, or `flanco` alone: the service itself, until a signal ends it; and `flanco config`, its settings. */
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
  {
    name: "config",
    about: "the configuration",
    help: "flanco config show",
    rows: [
      command(
        "check",
        "read the configuration and say what is wrong with it (exit code 78)",
        {},
        "flanco config check --config /etc/flanco/flanco.toml",
        (_given, call) => {
          call.config();
          call.terminal.out("The configuration is right.");
        },
      ),
      command(
        "show",
        "show every setting in force, as TOML; secrets are masked",
        { json: AS_JSON },
        "flanco config show",
        ({ json }, call) => {
          const settings = call.config();
          const shown = Object.fromEntries(CONFIG_KEYS.map((key) => [key, settings[key]]));
          const secret = dataDirectoryOf(settings.data_dir).secret;
          call.terminal.show(json, { ...shown, session_secret: MASK }, [
            stringify(shown).trimEnd(),
            `# session_secret = "${MASK}" (in ${secret}, never shown)`,
          ]);
        },
      ),
    ],
  },
];
