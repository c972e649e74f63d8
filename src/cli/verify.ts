import type { Command } from "commander";
import { FlancoError } from "../domain/error.ts";
import { alteredArchives, checkAll } from "../store/full-check.ts";
import { faultsOf } from "../store/verify.ts";
import { type CliContext, configOf } from "./context.ts";
import { becomeOwner, placeOf } from "./place.ts";
import { archiveDirectory } from "./retention.ts";

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
      const place = placeOf(config.data_dir);
      becomeOwner(place);
      const directory = archiveDirectory(config);
      const { verification: result, archives } = checkAll(place.ledger, directory, (done, total) =>
        terminal.progress("Checking the records", done, total),
      );
      const wrong = faultsOf(result);
      if (options.json) terminal.json(archives.length === 0 ? result : { ...result, archives });
      if (wrong.length > 0) {
        throw new FlancoError("damaged", `The ledger does not agree with itself:\n${wrong.join("\n")}`, {
          hint: "Keep a copy of the data directory and ask for help: the records themselves may be right.",
        });
      }
      if (!options.json) terminal.out(`${result.records} records: file, chain and rollups are right.`);
      for (const { file, records } of archives.filter(({ state }) => state === "missing")) {
        terminal.err(`The archive ${file} (${records} records) is not in ${directory}: it was not checked.`);
      }
      const altered = alteredArchives(archives);
      if (altered.length > 0) {
        throw new FlancoError("damaged", `Archives in ${directory} were altered: ${altered.join(", ")}.`, {
          hint: "The ledger itself is right. Put copies there that are right.",
        });
      }
    });
}
