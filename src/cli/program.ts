import { Command, Option } from "commander";
import { CONFIG_KEYS, configSchema } from "../config/schema.ts";
import { addAuditCommand } from "./audit.ts";
import { addBackupCommand } from "./backup.ts";
import { addCentralCommands } from "./central.ts";
import { addClockCommands } from "./clock.ts";
import { addCommissionCommands } from "./commission.ts";
import { addConfigCommands } from "./config.ts";
import { type CliContext, configOf } from "./context.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addExportCommand } from "./export.ts";
import { addForwardCommands } from "./forward.ts";
import { addGpioCommands } from "./gpio.ts";
import { addHealthCommand } from "./health.ts";
import { addImportCommands } from "./import.ts";
import { addLogsCommand } from "./logs.ts";
import { addMoveCommand } from "./move.ts";
import { addRestoreCommand } from "./restore.ts";
import { addSecretCommands } from "./secret.ts";
import { addSimulateCommand } from "./simulate.ts";
import { addStatusCommand } from "./status.ts";
import { addTlsCommands } from "./tls.ts";
import { addUserCommands } from "./user.ts";
import { addVerifyCommand } from "./verify.ts";
import { addVoidCommand } from "./void.ts";
import { addWiringCommands } from "./wiring.ts";

/** What a command's exit code means. 78 is EX_CONFIG of sysexits.h. */
export const EXIT_CODES = {
  0: "done",
  1: "failed",
  2: "wrong usage",
  3: "something needs attention",
  78: "the configuration has mistakes or the data directory is open to others",
} as const;

const HELP = `
Every setting is also an environment variable (FLANCO_HTTPS_PORT) and a key of the
configuration file (https_port). Flags win over the environment, which wins over the file.

Exit codes: ${Object.entries(EXIT_CODES)
  .map(([code, meaning]) => `${code} ${meaning}`)
  .join(", ")}.

Example:
  flanco serve --config /etc/flanco/flanco.toml`;

/** `flanco serve`: the service itself, until a signal ends it. */
function addServeCommand(program: Command, context: CliContext): void {
  program
    .command("serve", { isDefault: true })
    .description("run the service: watch the wired lines, serve the API and the page")
    .addHelpText("after", "\nExample:\n  flanco serve --config /etc/flanco/flanco.toml")
    .action(async (_options: object, command: Command) => {
      // The service is most of the program: no other command waits until it is loaded.
      const { serve } = await import("../service/serving.ts");
      await serve(context.terminal, context.installation, () => configOf(context, command));
    });
}

/** The whole command line. Settings are global options: every command needs to know where the data is. */
export function createProgram(context: CliContext): Command {
  const program = new Command("flanco")
    .description("Records each switching-on of a relay as a sale, and serves the ledger.")
    .version(context.installation.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.out(text.trimEnd()),
      writeErr: (text) => context.terminal.err(text.trimEnd()),
    })
    .showHelpAfterError("(flanco --help shows what there is)")
    .addHelpText("after", HELP)
    .addOption(new Option("--config <file>", "configuration file (FLANCO_CONFIG)"));
  for (const key of CONFIG_KEYS) {
    const flag = `--${key.replaceAll("_", "-")} <value>`;
    program.addOption(new Option(flag, configSchema.shape[key].description ?? ""));
  }
  addServeCommand(program, context);
  addStatusCommand(program, context);
  addDoctorCommand(program, context);
  addLogsCommand(program, context);
  addHealthCommand(program, context);
  addUserCommands(program, context);
  addSecretCommands(program, context);
  addWiringCommands(program, context);
  addGpioCommands(program, context);
  addCommissionCommands(program, context);
  addSimulateCommand(program, context);
  addConfigCommands(program, context);
  addTlsCommands(program, context);
  addVerifyCommand(program, context);
  addBackupCommand(program, context);
  addRestoreCommand(program, context);
  addMoveCommand(program, context);
  addVoidCommand(program, context);
  addExportCommand(program, context);
  addImportCommands(program, context);
  addClockCommands(program, context);
  addAuditCommand(program, context);
  addForwardCommands(program, context);
  addCentralCommands(program, context);
  return program;
}
