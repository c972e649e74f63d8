import type { Command } from "commander";
import { FlancoError } from "../domain/error.ts";
import { becomeOwner, dataDirectoryOf } from "../store/data-directory.ts";
import { faultsOf, verifyLedger } from "../store/repair/verify.ts";
import { type CliContext, configOf } from "./context.ts";

/** `flanco verify`: is the ledger as it was written, and does it say what its records say? */
export function addVerifyCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("verify")
    .description(
      "check the ledger's file in full, follow its chain and add every rollup up again (exit code 1 when something differs)",
    )
    .option("--json", "as JSON", false)
    .addHelpText("after", "\nExample:\n  flanco verify")
    .action((options: { json: boolean }, command: Command) => {
      const config = configOf(context, command);
      const dataDirectory = dataDirectoryOf(config.data_dir);
      becomeOwner(dataDirectory);
      const result = verifyLedger(dataDirectory.ledger, (done, total) =>
        terminal.progress("Checking the records", done, total),
      );
      const wrong = faultsOf(result);
      if (options.json) terminal.json(result);
      if (wrong.length > 0) {
        throw new FlancoError("damaged", `The ledger does not agree with itself:\n${wrong.join("\n")}`, {
          hint: "Keep a copy of the data directory and ask for help: the records themselves may be right.",
        });
      }
      if (!options.json) terminal.out(`${result.records} records: file, chain and rollups are right.`);
    });
}
