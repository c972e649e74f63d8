import { InvalidArgumentError } from "commander";
import * as z from "zod";
import type { Config } from "../contract/config/schema.ts";
import { getWholeStatus } from "../contract/status.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../domain/clock.ts";
import { FlancoError, withHint } from "../domain/error.ts";
import { faultsIn, SOUND, toldFault } from "../domain/fault.ts";
import {
  type ApplianceFacts,
  type BackupStatus,
  backupStatus,
  type CardWear,
  type Disk,
  type LastEdge,
  type LedgerStatus,
  type Status,
} from "../domain/status.ts";
import { inOrder } from "../domain/text.ts";
import { becomeOwner, dataDirectoryOf } from "../ledger/engine/data-directory.ts";
import { folderOf, identityOf } from "../ledger/engine/identity.ts";
import { openReader } from "../ledger/engine/reader.ts";
import { listBackups } from "../ledger/safety/backup-directory.ts";
import { askAnnouncedName } from "../net/announced-name.ts";
import { readBootId, readDisk, readMachine, systemClock } from "../platform/machine.ts";
import { backupDirectory } from "../service/backup-target.ts";
import { noService, withService } from "./api-access.ts";
import { AS_JSON, type CliContext, type CommandTable, command, flag, optional } from "./command.ts";
import { moment } from "./terminal.ts";

/** How long the service may take to answer: one that works takes milliseconds, one that hangs never answers. */
const ANSWER_MS = 5_000;

const PATH = "/healthz";
const HEALTHY = 200;
const PAUSE_MS = 250;
/** How long the rest of a start may take after work on the ledger. */
const AFTER_WORK_MS = MINUTE_MS;
const MAX_WAIT_SECONDS = 3_600;

const SIZES = ["B", "kB", "MB", "GB", "TB"] as const;
const SIZE_STEP = 1_000;

/** The status of the running service, or what the files tell while none runs. */
export interface FoundStatus {
  readonly running: Status | undefined;
  readonly facts: ApplianceFacts;
  /** Null where the ledger cannot be read. */
  readonly ledger: LedgerStatus | null;
  /** Why it cannot be read; null where it can. */
  readonly problem: FlancoError | null;
}

const HELP = `
What needs attention goes to standard error, a line each with what to do; everything else to
standard output. With --json standard output holds all of it, as GET /api/status has it under
"data", of all users, and "running" beside it. While no service runs it is what the files tell.

Exit codes: 0 the service runs and nothing needs attention, 1 it does not run, 3 something needs attention.

Example:
  flanco status
  flanco status --short
  flanco status --json`;

const HEALTH_HELP = `
While the service brings its ledger up to date, --wait waits for the end of that, however long it takes.

Exit codes: 0 the service answers, the ledger is open and every wired line is watched; 1 not so.

Example:
  flanco health
  flanco health --wait 60`;

/** `flanco status`: how the whole appliance is; `flanco health`: whether the service works, for scripts. */
export const commands: CommandTable = [
  command(
    "status",
    "say how the appliance is: today's records, lines, backups, disk, clock, and what needs attention",
    {
      json: AS_JSON,
      short: flag("--short", "without single lines and money: what is shown after a login"),
    },
    HELP,
    async ({ json, short }, call) => {
      const config = call.config();
      becomeOwner(config.data_dir);
      const { running, facts, ledger, problem } = await findStatus(config, call.context);
      if (json) call.terminal.json({ running: running !== undefined, ...facts, ...ledger });
      else if (running !== undefined) {
        call.terminal.out((short ? describeShort(running) : describeRunning(running)).join("\n"));
      } else if (facts.disk !== null) {
        const held = ledger === null || short ? [] : describeLedger(ledger, facts);
        call.terminal.out([...held, ...describeFacts(facts)].join("\n"));
      }
      const why = running === undefined ? [await whyStopped(config)] : [];
      const wrong = [...why, ...(problem === null ? [] : [problem]), ...facts.faults];
      if (wrong.length > 0) {
        const code = running === undefined ? "unavailable" : "attention";
        throw new FlancoError(code, wrong.map(withHint).join("\n"));
      }
      if (!json) call.terminal.out("Nothing needs attention.");
    },
  ),
  command(
    "health",
    "say whether the service works, as GET /healthz does",
    { wait: optional("--wait <seconds>", "wait so long for it, up to 3600", toSeconds, 0) },
    HEALTH_HELP,
    async ({ wait }, call) => {
      const health = await waitFor(call.config().http_port, wait * SECOND_MS);
      if (health?.status === HEALTHY) call.terminal.out("The service works.");
      else throw unhealthy(health);
    },
  ),
];

async function whyStopped(config: Config): Promise<FlancoError> {
  const work = (await askHealth(config.http_port))?.work;
  return work === undefined ? noService() : preparing(work);
}

/** Asks the running service. While none runs it reads the data directory, and changes nothing in the ledger. */
export async function findStatus(config: Config, context: CliContext): Promise<FoundStatus> {
  const { answerMs = ANSWER_MS } = context;
  const answer = await withService(config, (service) => service.ask(getWholeStatus, {}), { answerMs });
  const running = answer?.data;
  if (running !== undefined) return { running, facts: running, ledger: running, problem: null };
  return { running, ...(await readStopped(config, context.installation.version)) };
}

async function readStopped(config: Config, version: string): Promise<Omit<FoundStatus, "running">> {
  const { ledger } = dataDirectoryOf(config.data_dir);
  const nowMs = systemClock.nowMs();
  // No directory yet, or one that this user may not enter: the ledger's own error says so.
  const disk = await readDisk(ledger).catch(() => null);
  const machine = { ...(await readMachine(config.data_dir)), announcedName: await askAnnouncedName() };
  const lastBackup = backupOf(config, nowMs);
  const currency = { code: config.currency, decimals: config.currency_decimals };
  const faults = faultsIn({ ...SOUND, disk, machine, lastBackup }, () => nowMs);
  const facts = {
    version,
    timeZone: config.time_zone,
    currency,
    disk,
    machine,
    lastBackup,
    faults: faults.map((fault) => toldFault(fault, config.time_zone)),
  };
  try {
    using closing = new DisposableStack();
    const reader = openReader(ledger, config.time_zone);
    closing.defer(() => reader.close());
    const { troubles: _, ...held } = reader.ledgerStatus(readBootId(), nowMs);
    return { facts, ledger: held, problem: null };
  } catch (error) {
    if (error instanceof FlancoError) return { facts, ledger: null, problem: error };
    throw error;
  }
}

function backupOf(config: Config, nowMs: number): BackupStatus | null {
  const id = identityOf(dataDirectoryOf(config.data_dir).ledger);
  const newest = id === undefined ? undefined : listBackups(folderOf(backupDirectory(config), id))[0];
  if (newest === undefined) return null;
  return backupStatus(newest, newest.clockTrusted ? Math.abs(nowMs - newest.madeMs) : null);
}

/** How a running appliance is, a line each. */
function describeRunning(status: Status): string[] {
  const { queues } = status;
  return [
    ...describeService(status),
    ...describeLedger(status, status),
    `Waiting for the disk: ${queues.writes.waiting} writes (room for ${queues.writes.limit}), ${queues.edges.waiting} switchings (room for ${queues.edges.limit}).`,
    ...describeFacts(status),
    describeClock(status),
    ...status.sinks.map(describeSink),
    ...status.otherGateways.map(({ name, address }) => `Another gateway here: ${name}, ${address}`),
    ...describeNewer(status),
    ...describeUpdates(status),
  ];
}

function describeShort(status: Status): string[] {
  return [
    ...describeService(status),
    ...describeFacts(status),
    describeClock(status),
    ...describeNewer(status).slice(0, 1),
    "More: flanco status, flanco doctor, flanco logs.",
  ];
}

function describeService({ version, startedMs, uptimeMs, timeZone, ...status }: Status): string[] {
  const { driver, simulated, linesWired, linesWatched, tests } = status;
  const lastMs = Math.max(...tests.map(({ untilMs }) => untilMs));
  const lines =
    linesWired === 0 ? "no line is wired yet, to be watched" : `${linesWatched} of ${linesWired} watched`;
  return [
    `flanco ${version} is running since ${moment(startedMs, timeZone)} (${duration(uptimeMs)}).`,
    `Lines: ${lines} by the driver ${driver}${simulated ? " (SIMULATED)" : ""}.`,
    ...(tests.length === 0
      ? []
      : [
          `Lines under test: ${tests.length}, until ${moment(lastMs, timeZone)}. What they do is no sale: flanco commission end ends it.`,
        ]),
  ];
}

/** A sink, in a sentence. */
export function describeSink(sink: Status["sinks"][number]): string {
  const { name, waiting, behindMs, givenUp, backup, failure } = sink;
  const lag = waiting === 0 ? "nothing waits" : `lacks ${waiting}, behind for ${duration(behindMs)}`;
  const refused = givenUp === 0 ? "" : ` It refused ${givenUp} for good, which it does not have.`;
  const age = typeof backup?.ageMs !== "number" ? "" : ` Its newest backup is ${duration(backup.ageMs)} old.`;
  return `Sink ${name}: ${lag}.${age}${refused}${failure === null ? "" : ` The last try failed: ${failure.message}`}`;
}

/** A newer package, in a sentence, and then its notes; no lines where none is known. */
export function describeNewer({ newerPackage }: Pick<Status, "newerPackage">): string[] {
  if (newerPackage === null) return [];
  const { version, source, file, notes, command } = newerPackage;
  const where = source === "apt" ? "in apt's source" : `on the disk as ${file}`;
  const check =
    source === "apt"
      ? "apt checks its source's signature"
      : "flanco has not checked it: see docs/packaging.md";
  return [
    `A newer version: ${version}, ${where} (${check}). Install it as root: ${command}`,
    ...(notes.en === "" ? [] : notes.en.split("\n").map((line) => `  ${line}`)),
  ];
}

function describeUpdates({ updates, timeZone }: Status): string[] {
  if (updates === null) return [];
  const { hours, ranMs, failure } = updates;
  const last = ranMs === null ? "not looked for yet" : `last ${moment(ranMs, timeZone)}`;
  const fares = failure === null ? "" : `, failed (${failure.reason}) ${failure.message}`.trimEnd();
  return [`Updates by themselves: ${hours || "never"}; ${last}${fares}.`];
}

function describeClock({ clock, timeZone }: Status): string {
  const trust = clock.trusted ? "set, and to be trusted" : "not set from the network yet";
  return `Clock: ${moment(clock.nowMs, timeZone)} (${timeZone}), ${trust}.`;
}

/** What the ledger holds, a line each. */
function describeLedger(
  { today, lastEdges, gaps, provisional }: LedgerStatus,
  { timeZone, currency }: ApplianceFacts,
): string[] {
  if (today === null) return ["Today's records, the lines and the gaps cannot be read."];
  return [
    ...lastEdges
      .toSorted((one, other) => inOrder(one.line, other.line))
      .map((edge) => describeEdge(edge, timeZone)),
    `Today (${today.day}): ${today.sales} records, ${today.revenue.toFixed(currency.decimals)} ${currency.code}.`,
    `Gaps: ${gaps.all} known, ${gaps.last30Days} of them in the last 30 days.`,
    `Edges that the hardware did not report in the last 24 hours: ${gaps.swallowedLastDay}.`,
    `Records without a trusted time: ${provisional.waiting} wait for the clock, ${provisional.unplaced} can never be placed.`,
  ];
}

function describeEdge(edge: LastEdge, timeZone: string): string {
  const { line, room, deviceName, active, timeMs, provisional } = edge;
  const seen =
    active === null || timeMs === null
      ? "not seen yet"
      : `${active ? "on" : "off"} since ${moment(timeMs, timeZone)}${provisional ? " (not trusted)" : ""}`;
  return `  ${line}: room ${room} of ${deviceName}, ${seen}`;
}

function describeFacts({ lastBackup, disk, machine, timeZone }: ApplianceFacts): string[] {
  const { announcedName } = machine;
  return [
    describeBackup(lastBackup, timeZone),
    ...(disk === null ? [] : [describeDisk(disk)]),
    ...(announcedName === null ? [] : [`The network finds it as ${announcedName}.`]),
  ];
}

export function describeBackup(backup: BackupStatus | null, timeZone: string): string {
  if (backup === null) return "Backup: none yet.";
  const age = backup.ageMs === null ? "" : `, ${duration(backup.ageMs)} ago`;
  return `Backup: of ${moment(backup.madeMs, timeZone)}${age}, ${backup.records} records, checked in full.`;
}

export function describeDisk(disk: Disk): string {
  const { freeBytes, totalBytes, ledgerBytes, logBytes, card } = disk;
  const wear = card === null ? "" : ` ${describeCard(card)}`;
  return `Disk: ${size(freeBytes)} of ${size(totalBytes)} free; the ledger takes ${size(ledgerBytes)}, its log ${size(logBytes)}.${wear}`;
}

function describeCard(card: CardWear): string {
  const { device, lifeUsedPercent, spareBlocks } = card;
  const life = lifeUsedPercent === null ? [] : [`at most ${lifeUsedPercent} % of its life used`];
  const spare = spareBlocks === null ? [] : [`spare blocks: ${spareBlocks}`];
  return `Card ${device}: ${[...life, ...spare].join(", ")}.`;
}

function duration(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`;
  return `${Math.floor(ms / DAY_MS)} d ${Math.floor((ms % DAY_MS) / HOUR_MS)} h`;
}

function size(bytes: number): string {
  const digits = Math.floor(Math.log10(Math.max(1, bytes)));
  const step = Math.min(SIZES.length - 1, Math.floor(digits / 3));
  const value = bytes / SIZE_STEP ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${SIZES[step]}`;
}

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
    : new FlancoError("unavailable", "The service runs, but not all of it works.", {
        hint: "flanco status says what needs attention.",
      });
}
