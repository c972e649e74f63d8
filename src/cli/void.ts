import { Argument, type Command } from "commander";
import { voidRecord } from "../contract/record.ts";
import { ACCOUNT, type CliContext, toCount } from "./context.ts";
import { ask } from "./door.ts";

/** `flanco void`: voids a record. */
export function declare(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("void")
    .description("take a record back: it stays to be seen, with the reason, and counts in no sum any more")
    .addArgument(new Argument("<record>", "number of the record").argParser(toCount))
    .requiredOption("--reason <text>", "why, for later readers of the ledger")
    .option(...ACCOUNT)
    .addHelpText("after", "\nExample:\n  flanco void 734027465182 --reason 'relay tested'")
    .action(async (recordId: number, options: { reason: string; account?: string }, command: Command) => {
      const { reason, account } = options;
      await ask(context, command, voidRecord, { body: { void: { recordId, reason } } }, account);
      terminal.out(`The record ${recordId} is void and counts no more.`);
    });
}
