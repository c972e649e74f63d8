import { getStatus } from "../contract/status.ts";
import { valorFromMicros } from "../domain/amount.ts";
import { MINUTE_MS } from "../domain/clock.ts";
import {
  type Fault,
  type Level,
  levelsOf,
  toldFault,
  withoutEntries,
  withoutSales,
} from "../domain/fault.ts";
import type { Queue } from "../domain/line.ts";
import { seesMoney, seesSinks } from "../domain/member.ts";
import type {
  ApplianceFacts,
  BackupStatus,
  Disk,
  LedgerStatus,
  SinkStatus,
  Status,
  StatusReader,
} from "../domain/status.ts";
import { type Endpoint, serve } from "./router.ts";

/** The step to which bytes are rounded: some 4,000 records. */
const DISK_STEP_BYTES = 1_000_000;
const QUEUE_STEP = 100;
const MEMORY_STEP_BYTES = 10_000_000;

export function statusEndpoints(appliance: StatusReader): readonly Endpoint[] {
  return [
    serve(getStatus, async ({ userId, signedIn }) => {
      const status = await appliance.status(userId);
      const sees = seesMoney(signedIn.role);
      const faults = sees ? status.faults : status.faults.map(withoutSales);
      const { disk, queues, machine, ...answer } = toStatusAnswer({ ...status, faults });
      const shared = {
        disk: disk && inSteps(disk, ["freeBytes", "ledgerBytes", "logBytes"], DISK_STEP_BYTES, Math.ceil),
        machine: {
          ...machine,
          memory:
            machine.memory && inSteps(machine.memory, ["availableBytes"], MEMORY_STEP_BYTES, Math.floor),
        },
        queues: {
          writes: inSteps(queues.writes, ["waiting"], QUEUE_STEP, Math.floor),
          edges: inSteps(queues.edges, ["waiting"], QUEUE_STEP, Math.floor),
        },
      };
      const data = {
        ...answer,
        ...shared,
        sinks: (seesSinks(signedIn.role) ? answer.sinks : []).map((sink) =>
          inSteps(sink, ["waiting", "delivered"], QUEUE_STEP, Math.ceil),
        ),
        lastBackup: toUsersBackupAnswer(status.lastBackup),
      };
      return { data: sees ? data : uncounted(data) };
    }),
  ];
}

/** The status for a role that sees no money: without each figure that grows with the sales, and so counts them. */
function uncounted<S extends Pick<ReturnType<typeof toStatusAnswer>, "disk" | "sinks" | "queues">>(
  status: S,
) {
  const { disk, sinks, queues } = status;
  return {
    ...status,
    recordsToday: null,
    provisional: null,
    disk: disk && { ...disk, ledgerBytes: null, logBytes: null },
    queues: {
      writes: { ...queues.writes, waiting: null },
      edges: { ...queues.edges, waiting: null },
    },
    // What a sink that works is sent comes with each sale, within a minute.
    sinks: sinks.map((sink) => ({
      ...sink,
      waiting: null,
      delivered: null,
      deliveredTime: null,
      behindMs: Math.floor(sink.behindMs / MINUTE_MS) * MINUTE_MS,
      failure: sink.failure && { ...sink.failure, message: withoutEntries(sink.failure.message) },
    })),
  };
}

/** Rounds figures of all accounts together, so that no user can count the records of others. */
function inSteps<T extends { readonly [K in N]: number }, N extends string>(
  figures: T,
  names: readonly N[],
  step: number,
  round: (value: number) => number,
): T {
  const rounded = names.map((name) => [name, round(figures[name] / step) * step]);
  return { ...figures, ...Object.fromEntries(rounded) };
}

/** The whole status with the API's names, for commands, whose user owns the machine. */
export function toStatusAnswer(status: Status) {
  const { driver, simulated, startedMs, uptimeMs, linesWired, linesWatched, lineFailures } = status;
  const { clock, queues, faults, tests, machine, sinks, newerPackage, gateway, otherGateways } = status;
  const levels = levelsOf(faults);
  return {
    ...toFactsAnswer(status),
    machine,
    newerPackage,
    gateway,
    otherGateways,
    driver,
    simulated,
    uptimeMs,
    linesWired,
    linesWatched,
    lineFailures,
    startedTime: startedMs,
    tests: tests.map(({ userId: _user, remainingMs, ...test }) => ({
      ...test,
      untilTime: Math.round(clock.nowMs + remainingMs),
    })),
    clock: {
      time: clock.nowMs,
      trusted: clock.trusted,
      trustedSince: clock.trustedSinceMs,
      bootId: clock.bootId,
    },
    queues: {
      writes: toQueueAnswer(queues.writes, levels.writes),
      edges: toQueueAnswer(queues.edges, levels.edges),
    },
    sinks: sinks.map(toSinkAnswer),
    faults: faults.map((fault) => toFaultAnswer(fault, status.timeZone)),
  };
}

/** What a sink counts otherwise is told as a fault. */
function toSinkAnswer({ deliveredMs, failure, differences: _differences, ...sink }: SinkStatus) {
  if (failure === null) return { ...sink, deliveredTime: deliveredMs, failure };
  const { sinceMs, ...failed } = failure;
  return { ...sink, deliveredTime: deliveredMs, failure: { ...failed, sinceTime: sinceMs } };
}

/** The part of the status that is known whether the service runs or not. */
export function toFactsAnswer(facts: ApplianceFacts & LedgerStatus & Pick<Status, "faults">) {
  const { version, timeZone, currency, today, lastEdges, gaps, provisional, lastBackup, disk, faults } =
    facts;
  return {
    version,
    timeZone,
    currency,
    provisional,
    disk: toDiskAnswer(disk, faults),
    recordsToday: today && {
      day: today.day,
      sales: today.sales,
      revenue: valorFromMicros(BigInt(today.revenueMicros)),
    },
    lastEdges: lastEdges.map(({ active, timeMs, ...edge }) => ({ ...edge, level: active, time: timeMs })),
    gaps: gaps.all,
    gapsLast30Days: gaps.last30Days,
    swallowedLastDay: gaps.swallowedToday?.gaps ?? 0,
    lastBackup: toBackupAnswer(lastBackup),
  };
}

export function toBackupAnswer(backup: BackupStatus | null) {
  if (backup === null) return null;
  // A BackupStatus has the fields of a whole ProvenBackup; the answer has these alone.
  const { madeMs, provedMs, records, position, head, clockTrusted, ageMs } = backup;
  return { madeTime: madeMs, provedTime: provedMs, records, position, head, clockTrusted, ageMs };
}

function toQueueAnswer({ waiting, limit }: Queue, level: Level) {
  return { waiting, limit, level };
}

export function toDiskAnswer(disk: Disk | null, faults: readonly Fault[]) {
  if (disk === null) return null;
  const levels = levelsOf(faults);
  return { ...disk, level: levels.disk, card: disk.card && { ...disk.card, level: levels.card } };
}

/** A backup as a user sees it: without its number of records, which are those of all accounts. */
function toUsersBackupAnswer(backup: BackupStatus | null) {
  if (backup === null) return null;
  const { madeMs, provedMs, clockTrusted, ageMs } = backup;
  return { madeTime: madeMs, provedTime: provedMs, clockTrusted, ageMs };
}

export function toFaultAnswer(fault: Fault, timeZone: string) {
  const { sinceMs, ...told } = toldFault(fault, timeZone);
  return { ...told, sinceTime: sinceMs };
}
