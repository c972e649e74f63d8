import type { Command } from "commander";
import { stringify } from "smol-toml";
import { CONFIG_KEYS } from "../contract/config/schema.ts";
import { dataDirectoryOf } from "../ledger/engine/data-directory.ts";
import { type CliContext, configOf } from "./context.ts";

/** `flanco config`: shows the configuration in force, and checks it. */
export function declare(program: Command, context: CliContext): void {
  const { terminal } = context;
  const config = program
    .command("config")
    .description("the configuration")
    .addHelpText("after", "\nExample:\n  flanco config show");

  config
    .command("check")
    .description("read the configuration and say what is wrong with it (exit code 78)")
    .addHelpText("after", "\nExample:\n  flanco config check --config /etc/flanco/flanco.toml")
    .action((_options: object, command: Command) => {
      configOf(context, command);
      terminal.out("The configuration is right.");
    });

  config
    .command("show")
    .description("show every setting in force, as TOML; secrets are masked")
    .option("--json", "as JSON", false)
    .addHelpText("after", "\nExample:\n  flanco config show")
    .action((options: { json: boolean }, command: Command) => {
      const settings = configOf(context, command);
      const shown = Object.fromEntries(CONFIG_KEYS.map((key) => [key, settings[key]]));
      if (options.json) {
        terminal.json({ ...shown, session_secret: MASK });
        return;
      }
      terminal.out(stringify(shown).trimEnd());
      terminal.out(
        `# session_secret = "${MASK}" (in ${dataDirectoryOf(settings.data_dir).secret}, never shown)`,
      );
    });
}

const MASK = "********";
