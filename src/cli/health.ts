import { get } from "node:http";
import type { Command } from "commander";
import { SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { type CliContext, configOf } from "./context.ts";

const PATH = "/healthz";
const HEALTHY = 200;
/** A service that works answers in milliseconds. */
const ANSWER_MS = 5_000;
const PAUSE_MS = 250;
const MAX_WAIT_SECONDS = 3_600;

const HELP = `
Exit codes: 0 the service answers, the ledger is open and every wired line is watched; 1 not so.

Example:
  flanco health
  flanco health --wait 60`;

/** `flanco health`: whether the service works, for scripts; `flanco status` says more. */
export function addHealthCommand(program: Command, context: CliContext): void {
  program
    .command("health")
    .description("say whether the service works, as GET /healthz does")
    .option("--wait <seconds>", "wait so long for it", "0")
    .addHelpText("after", HELP)
    .action(async ({ wait }: { wait: string }, command: Command) => {
      const port = configOf(context, command).http_port;
      const end = performance.now() + secondsOf(wait) * SECOND_MS;
      let status = await ask(port);
      while (status !== HEALTHY && performance.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        status = await ask(port);
      }
      if (status === HEALTHY) context.terminal.out("The service works.");
      else throw unhealthy(status);
    });
}

function secondsOf(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= MAX_WAIT_SECONDS) return seconds;
  throw new FlancoError("invalid", `--wait takes 0 to ${MAX_WAIT_SECONDS} seconds, not ${text}.`, {
    hint: "flanco health --wait 60 waits a minute.",
  });
}

/** The answer's status; undefined when none came. */
function ask(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get({ host: "localhost", port, path: PATH, timeout: ANSWER_MS }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(undefined));
  });
}

function unhealthy(status: number | undefined): FlancoError {
  return status === undefined
    ? new FlancoError("unavailable", "No service answers.", {
        hint: "Start it with systemctl start flanco; journalctl -u flanco says why it does not run.",
      })
    : new FlancoError("unavailable", "The service runs, and does not work whole.", {
        hint: "flanco status says what needs attention.",
      });
}
