import { valorFromMicros } from "../domain/amount.ts";
import type { Fault } from "../domain/fault.ts";
import type { Queue } from "../domain/queue.ts";
import type {
  ApplianceFacts,
  BackupStatus,
  LastEdge,
  LedgerStatus,
  Status,
  StatusReader,
  Today,
} from "../domain/status.ts";
import { statusAnswer } from "./answer.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { toGapAnswer } from "./record.ts";

export function statusEndpoints(appliance: StatusReader): readonly Endpoint[] {
  return [
    endpoint({
      method: "get",
      path: "/status",
      summary: "How the appliance is: the user's own records and lines, and what all users share.",
      session: true,
      status: 200,
      answer: statusAnswer,
      errors: ["unavailable", "internal"],
      run: ({ userId }) => {
        const status = appliance.status(userId);
        const lastBackup = toUsersBackupAnswer(status.lastBackup);
        return { status: "success", data: { ...toStatusAnswer(status), lastBackup } };
      },
    }),
  ];
}

/** A status with the API's names, as the command line shows it: to whom the whole machine belongs. */
export function toStatusAnswer(status: Status) {
  const { clock } = status;
  return {
    ...toFactsAnswer(status),
    driver: status.driver,
    simulated: status.simulated,
    startedTime: status.startedMs,
    uptimeMs: status.uptimeMs,
    clock: {
      time: clock.nowMs,
      trusted: clock.trusted,
      trustedSince: clock.trustedSinceMs,
      bootId: clock.bootId,
    },
    linesWired: status.linesWired,
    linesWatched: status.linesWatched,
    lineFailures: status.lineFailures,
    queues: { writes: toQueueAnswer(status.queues.writes), edges: toQueueAnswer(status.queues.edges) },
    faults: status.faults.map(toFaultAnswer),
  };
}

/** What is known of an appliance whether it runs or not. */
export function toFactsAnswer(facts: ApplianceFacts & LedgerStatus) {
  const { version, timeZone, currency, today, lastEdges, gaps, provisional, lastBackup, disk } = facts;
  return {
    ...{ version, timeZone, currency, provisional, disk },
    recordsToday: toTodayAnswer(today),
    lastEdges: lastEdges.map(toEdgeAnswer),
    gaps: gaps.all,
    gapsLast30Days: gaps.last30Days,
    newestGaps: gaps.newest.map((gap) => ({ gapId: gap.gapId, ...toGapAnswer(gap) })),
    lastBackup: toBackupAnswer(lastBackup),
  };
}

function toTodayAnswer({ day, sales, revenueMicros }: Today) {
  return { day, sales, revenue: valorFromMicros(BigInt(revenueMicros)) };
}

export function toBackupAnswer(backup: BackupStatus | null) {
  if (backup === null) return null;
  const { madeMs, provedMs, ...held } = backup;
  return { madeTime: madeMs, provedTime: provedMs, ...held };
}

function toQueueAnswer({ waiting, limit }: Queue) {
  return { waiting, limit };
}

/** How many records a backup holds is left out: they are all accounts'. */
function toUsersBackupAnswer(backup: BackupStatus | null) {
  if (backup === null) return null;
  const { madeMs, provedMs, clockTrusted, ageMs } = backup;
  return { madeTime: madeMs, provedTime: provedMs, clockTrusted, ageMs };
}

export function toFaultAnswer({ sinceMs, ...fault }: Fault) {
  return { ...fault, sinceTime: sinceMs };
}

function toEdgeAnswer({ active, timeMs, ...place }: LastEdge) {
  return { ...place, level: active, time: timeMs };
}
