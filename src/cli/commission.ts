import type { Command } from "commander";
import type { OperationData } from "../contract/operator.ts";
import { describeReport, describeRoom, requireGood } from "./commission-text.ts";
import { CommissionWalk } from "./commission-walk.ts";
import { type CliContext, configOf, toCount } from "./context.ts";
import type { Door } from "./control-client.ts";
import { withDoor, withRunning } from "./door.ts";
import { iso } from "./terminal.ts";

const HELP = `
Walks through the rooms of the running service: it names a room, you switch its relay on, wait a second, and switch it
off. It shows which line moved, what was measured without debounce, and what to change. While it lasts the lines are
under test: nothing is a sale. Rooms without a line are asked for where --free names lines that may be theirs.

At the end it asks for the names of the technician and of the clinic, and the ledger keeps an acceptance report; print
it from the page to sign it. What was ticked off stays until then, also over a restart.

Exit codes: 0 every room is good, 1 failed, 3 a room needs attention or was not switched.

Examples:
  flanco commission
  flanco commission --lines GPIO17 GPIO27
  flanco commission --free GPIO22 GPIO23
  flanco commission show --json
  flanco commission report`;

type ReportHead = OperationData<"listCommissionReports">[number];

interface AccountOption {
  readonly account?: string;
}

interface WalkOptions {
  readonly lines?: string[];
  readonly free: string[];
  readonly minutes?: number;
}

/** `flanco commission`: switch each room's relay, and know that each line is right. */
export function declare(program: Command, context: CliContext): void {
  const { terminal } = context;
  const commission = program
    .command("commission")
    .description("switch each room's relay and see that its line is right; ends with an acceptance report")
    .option("--account <email>", "one of the account's members; needed where there are several accounts")
    .addHelpText("after", HELP)
    // Otherwise a misspelled command would be an argument of the walk.
    .hook("preSubcommand", (group, called) => {
      const [word = "-"] = group.args;
      if (!word.startsWith("-") && word !== called.name()) group.error(`error: unknown command '${word}'`);
    });

  commission
    .command("walk", { isDefault: true })
    .description("walk through the rooms that are not ticked off; what flanco commission does by itself")
    .option("--lines <lines...>", "only these wired lines: the others sell meanwhile")
    .option("--free <lines...>", "lines without a room that are looked at too", [])
    .option("--minutes <minutes>", "how long the lines are under test at most (default 120)", toCount)
    .addHelpText(
      "after",
      "\nExit codes and more examples: flanco commission --help.\n\nExample:\n  flanco commission walk --lines GPIO17",
    )
    .action(async ({ lines, free, minutes }: WalkOptions, command: Command) => {
      const user = accountIn(command);
      const config = configOf(context, command);
      const begin = async (door: Door) => {
        // It listens for Ctrl-C before the lines are under test.
        const walk = new CommissionWalk(door, terminal, config.time_zone, user);
        await door.call("beginCommission", { user, lines, freeLines: free, minutes });
        await walk.run();
      };
      await withRunning(config, begin, { by: context.user });
    });

  commission
    .command("show")
    .description("show what is known of each room")
    .option("--json", "as JSON", false)
    .addHelpText(
      "after",
      "\nExit codes: 0 every room is good, 3 one is not.\n\nExample:\n  flanco commission show --json",
    )
    .action(async ({ json }: { json: boolean }, command: Command) => {
      const state = await withDoor(context, command, (door) =>
        door.call("showCommission", { user: accountIn(command) }),
      );
      terminal.show(json, state, state.rooms.map(describeRoom));
      requireGood(state.rooms);
    });

  commission
    .command("end")
    .description(
      "end the commissioning without a report: sales count again, and what was ticked off is forgotten",
    )
    .addHelpText("after", "\nExample:\n  flanco commission end")
    .action(async (_options: object, command: Command) => {
      await withDoor(context, command, (door) => door.call("endCommission", { user: accountIn(command) }));
      terminal.out("The commissioning is ended, and sales count again. What was ticked off is forgotten.");
    });

  commission
    .command("report")
    .description("show an acceptance report: the newest, or the one of this number")
    .argument("[number]", "as --list shows it", toCount)
    .option("--list", "the reports that there are", false)
    .option("--json", "as JSON", false)
    .addHelpText(
      "after",
      "\nExit codes: 0 every room is good, 3 one is not.\n\nExample:\n  flanco commission report --json",
    )
    .action(
      async (
        number: number | undefined,
        { list, json }: { list: boolean; json: boolean },
        command: Command,
      ) => {
        await withDoor(context, command, async (door) => {
          const user = accountIn(command);
          if (list) {
            const reports = await door.call("listCommissionReports", { user });
            terminal.show(json, reports, reports.map(describeHead));
            return;
          }
          const report = await door.call("showCommissionReport", { user, number });
          terminal.show(json, report, describeReport(report));
          requireGood(report.rooms);
        });
      },
    );
}

function accountIn(command: Command): string | undefined {
  return command.optsWithGlobals<AccountOption>().account;
}

function describeHead({ number, time, technician, clinic, good, rooms }: ReportHead): string {
  return `${number}\t${iso(time)}\t${technician}, ${clinic}\t${good} of ${rooms} rooms good`;
}
