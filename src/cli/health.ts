import { InvalidArgumentError } from "commander";
import * as z from "zod";
import { MINUTE_MS, SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { type CommandTable, command, optional } from "./command.ts";

const PATH = "/healthz";
const HEALTHY = 200;
/** A service that works answers in milliseconds. */
const ANSWER_MS = 5_000;
const PAUSE_MS = 250;
/** How long the rest of a start may take after work on the ledger. */
const AFTER_WORK_MS = MINUTE_MS;
const MAX_WAIT_SECONDS = 3_600;

const HELP = `
While the service brings its ledger up to date, --wait waits for the end of that, however long it takes.

Exit codes: 0 the service answers, the ledger is open and every wired line is watched; 1 not so.

Example:
  flanco health
  flanco health --wait 60`;

/** `flanco health`: whether the service works, for scripts; `flanco status` says more. */
export const commands: CommandTable = [
  command(
    "health",
    "say whether the service works, as GET /healthz does",
    { wait: optional("--wait <seconds>", "wait so long for it, up to 3600", toSeconds, 0) },
    HELP,
    async ({ wait }, call) => {
      const health = await waitFor(call.config().http_port, wait * SECOND_MS);
      if (health?.status === HEALTHY) call.terminal.out("The service works.");
      else throw unhealthy(health);
    },
  ),
];

function toSeconds(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= MAX_WAIT_SECONDS) return seconds;
  throw new InvalidArgumentError(`It must be 0 to ${MAX_WAIT_SECONDS}.`);
}

/**
 * Waits for the service. It waits for work on the ledger to its
 * end, but only once: not for work that failed and began again.
 */
async function waitFor(port: number, waitMs: number): Promise<Health | undefined> {
  let end = performance.now() + waitMs;
  let waitedFor: number | undefined;
  for (;;) {
    const health = await askHealth(port);
    waitedFor ??= health?.work?.since;
    const works = health?.work !== undefined && health.work.since === waitedFor;
    if (works && waitMs > 0) end = Math.max(end, performance.now() + AFTER_WORK_MS);
    if (health?.status === HEALTHY || performance.now() >= end) return health;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** The answer of `/healthz` while work on the ledger keeps it from opening (http/waiting.ts). */
const workAnswer = z.object({ work: z.object({ kind: z.string(), percent: z.number(), since: z.number() }) });

export interface Health {
  readonly status: number;
  readonly work: z.infer<typeof workAnswer>["work"] | undefined;
}

/** The service's answer about its health; undefined without an answer. */
export async function askHealth(port: number): Promise<Health | undefined> {
  try {
    // By its address: not every machine knows the name localhost.
    const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, { signal: AbortSignal.timeout(ANSWER_MS) });
    // Another program on this port may answer with anything.
    const body: unknown = await answer.json().catch(() => undefined);
    return { status: answer.status, work: workAnswer.safeParse(body).data?.work };
  } catch {
    return undefined;
  }
}

/** The error while work on the ledger keeps the service from answering. */
export function preparing({ kind, percent }: NonNullable<Health["work"]>): FlancoError {
  return new FlancoError("unavailable", `The service prepares its ledger (${kind}, ${percent} %).`, {
    hint: "Wait for its end: flanco health --wait 60 does so, however long it takes.",
  });
}

function unhealthy(health: Health | undefined): FlancoError {
  if (health?.work !== undefined) return preparing(health.work);
  return health === undefined
    ? new FlancoError("unavailable", "No service answers.", {
        hint: "Start it with systemctl start flanco; journalctl -u flanco says why it does not run.",
      })
    : new FlancoError("unavailable", "The service runs, and does not work whole.", {
        hint: "flanco status says what needs attention.",
      });
}
