import type { Command } from "commander";
import { type ArchivedMonth, formatMonth, type RetentionPlan } from "../domain/archive.ts";
import { type CliContext, configOf } from "./context.ts";
import { withOperations } from "./operations.ts";
import { archiveDirectory } from "./retention.ts";

const HELP = `
The service does this by itself once a day. Nothing is archived without keep_months, while the clock is not
trusted and confirmed, or before a proven backup holds the month.

Examples:
  flanco archive --dry-run
  flanco archive`;

/** `flanco archive`: moves months that are older than keep_months to checked files. */
export function addArchiveCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("archive")
    .description(
      "move the records of months older than keep_months to checked files (needs a running service)",
    )
    .option("--dry-run", "only tell what would be archived", false)
    .option("--json", "as JSON", false)
    .addHelpText("after", HELP)
    .action(async (options: { dryRun: boolean; json: boolean }, command: Command) => {
      const config = configOf(context, command);
      await withOperations(config, terminal, async (operations) => {
        if (!options.dryRun) await operations.call("finishArchive", {});
        const plan = await operations.call("planArchive", {});
        const archived: ArchivedMonth[] = [];
        const ready = options.dryRun ? [] : plan.months.filter(({ waits }) => waits === null);
        for (const { month } of ready) {
          terminal.progress("Archiving", archived.length, ready.length);
          archived.push(await operations.call("archiveMonth", { month }));
        }
        if (ready.length > 0) terminal.progress("Archiving", archived.length, ready.length);
        if (options.json) terminal.json({ ...plan, archived });
        else for (const line of describe(plan, archived, archiveDirectory(config))) terminal.out(line);
      });
    });
}

function describe(plan: RetentionPlan, archived: readonly ArchivedMonth[], directory: string): string[] {
  if (plan.waits !== null) return [plan.waits];
  const done = new Map(archived.map((one) => [one.month, one]));
  const lines = plan.months.map(({ month, records, staying, waits }) => {
    const name = formatMonth(month);
    const file = done.get(month)?.file;
    if (file !== undefined) return `${name}: ${records} records are in ${directory}/${file}.`;
    if (waits !== null) return `${name}: ${records} records wait: ${waits}.`;
    const stay = staying === 0 ? "" : `, ${staying} stay in the ledger`;
    return `${name}: ${records} records would be archived${stay}.`;
  });
  if (lines.length > 0) return lines;
  return [`Nothing to archive: all records are of ${formatMonth(plan.keptFrom ?? 0)} or later, or stay.`];
}
