import type { Command } from "commander";
import { FlancoError } from "../domain/error.ts";
import { verifyLedger } from "../store/verify.ts";
import { type CliContext, configOf } from "./context.ts";
import { becomeOwner, placeOf } from "./place.ts";

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
      const result = verifyLedger(place.ledger, (done, total) =>
        terminal.progress("Checking the records", done, total),
      );
      if (options.json) terminal.json(result);
      const { records, broken, differences, damage } = result;
      if (damage.length === 0 && broken === null && differences.length === 0) {
        if (!options.json) terminal.out(`${records} records: file, chain and rollups are right.`);
        return;
      }
      const wrong = [
        ...damage,
        ...(broken === null ? [] : [`Entry ${broken.position} ${broken.what}.`]),
        ...differences.map(
          ({ table, period, locationName, deviceId, stored, computed }) =>
            `${table} ${period}, ${locationName}, device ${deviceId}: holds ${stored}; the records say ${computed}`,
        ),
      ];
      throw new FlancoError("damaged", `The ledger does not agree with itself:\n${wrong.join("\n")}`, {
        hint: "Keep a copy of the data directory and ask for help: the records themselves may be right.",
      });
    });
}
