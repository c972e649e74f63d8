import type { Command } from "commander";
import { systemClock } from "../clock.ts";
import { RemoteOperations } from "../control/client.ts";
import { noService } from "../control/operation.ts";
import { FlancoError } from "../domain/error.ts";
import type { Status } from "../domain/status.ts";
import { toBackupAnswer, toFactsAnswer, toFaultAnswer, toStatusAnswer } from "../http/status.ts";
import { type CliContext, configOf } from "./context.ts";
import { becomeOwner, placeOf } from "./place.ts";
import { describeFacts, describeFault, describeLedger, describeStatus } from "./status-text.ts";
import { readStopped, type StoppedStatus } from "./stopped-status.ts";
import type { Terminal } from "./terminal.ts";

/** A service that works answers in milliseconds; one that hangs never does. */
const ANSWER_MS = 5_000;

const HELP = `
What needs attention goes to standard error, a line each with what to do; everything else to
standard output. With --json standard output holds all of it, as GET /api/status has it under
"data", of all users, and "running" beside it. While no service runs it is what the files tell.

Exit codes: 0 the service runs and nothing needs attention, 1 something does, or it does not run.

Example:
  flanco status
  flanco status --json`;

/** `flanco status`: how the whole appliance is. */
export function addStatusCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  program
    .command("status")
    .description(
      "say how the appliance is: today's records, lines, backups, disk, clock, and what needs attention",
    )
    .option("--json", "as JSON", false)
    .addHelpText("after", HELP)
    .action(async ({ json }: { json: boolean }, command: Command) => {
      const config = configOf(context, command);
      const place = placeOf(config.data_dir);
      becomeOwner(place);
      const status = await askService(place.control);
      if (status === undefined) {
        const { version } = context.installation;
        tellStopped(terminal, await readStopped(config, place, version, systemClock), json);
      } else tellRunning(terminal, status, json);
    });
}

/** Undefined when no service runs. Throws `unavailable` when one does not answer. */
async function askService(control: string): Promise<Status | undefined> {
  const remote = await RemoteOperations.connect(control);
  if (remote === undefined) return undefined;
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(() => silence.reject(noAnswer()), ANSWER_MS);
  try {
    return await Promise.race([remote.call("status", {}), silence.promise]);
  } finally {
    clearTimeout(timer);
    remote.close();
  }
}

function tellRunning(terminal: Terminal, status: Status, json: boolean): void {
  if (json) terminal.json({ running: true, ...toStatusAnswer(status) });
  else terminal.out(describeStatus(status).join("\n"));
  if (status.faults.length > 0) throw needsAttention(status.faults.map(describeFault));
  if (!json) terminal.out("Nothing needs attention.");
}

function tellStopped(terminal: Terminal, stopped: StoppedStatus, json: boolean): void {
  const { ledger, problem, faults, lastBackup, disk, version, timeZone, currency } = stopped;
  if (json) {
    terminal.json({
      running: false,
      ...{ version, timeZone, currency, disk, lastBackup: toBackupAnswer(lastBackup) },
      ...(ledger === null ? {} : toFactsAnswer({ ...stopped, ...ledger })),
      faults: faults.map(toFaultAnswer),
    });
  } else {
    const held = ledger === null ? [] : describeLedger(ledger, stopped);
    // Without a data directory there is nothing to tell of.
    if (disk !== null) terminal.out([...held, ...describeFacts(stopped)].join("\n"));
  }
  const stop = noService();
  throw needsAttention([
    sentence(stop),
    ...(problem === null ? [] : [sentence(problem)]),
    ...faults.map(describeFault),
  ]);
}

/** Prints a line each, and ends with the exit code of what failed. */
function needsAttention(lines: readonly string[]): FlancoError {
  return new FlancoError("unavailable", lines.join("\n"));
}

function sentence({ message, hint }: FlancoError): string {
  return hint === undefined ? message : `${message} ${hint}`;
}

function noAnswer(): FlancoError {
  return new FlancoError("unavailable", `The service has not answered for ${ANSWER_MS / 1_000} seconds.`, {
    hint: "It hangs, or the machine is overloaded: look at its log, and start it again with systemctl restart flanco.",
  });
}
