import { getStatus, getWholeStatus } from "../contract/status.ts";
import { MINUTE_MS } from "../domain/clock.ts";
import { toldFault, withoutEntries, withoutSales } from "../domain/fault.ts";
import { seesMoney, seesSinks } from "../domain/member.ts";
import type { BackupStatus, Status, StatusReader } from "../domain/status.ts";
import { type Endpoint, serve } from "./router.ts";

/** The step to which bytes are rounded: some 4,000 records. */
const DISK_STEP_BYTES = 1_000_000;
const QUEUE_STEP = 100;
const MEMORY_STEP_BYTES = 10_000_000;

export function statusEndpoints(appliance: StatusReader): readonly Endpoint[] {
  return [
    serve(getWholeStatus, async () => ({ data: await appliance.status() })),
    serve(getStatus, async ({ userId, signedIn }) => {
      const status = await appliance.status(userId, signedIn.limit);
      const { disk, machine, queues, lastBackup } = status;
      const sinks = seesSinks(signedIn.role) ? status.sinks : [];
      const data = {
        ...status,
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
        sinks: sinks.map((sink) => inSteps(sink, ["waiting", "delivered"], QUEUE_STEP, Math.ceil)),
        lastBackup: lastBackup && withoutRecords(lastBackup),
      };
      return { data: seesMoney(signedIn.role) ? data : uncounted(data) };
    }),
  ];
}

/** A backup without its number of records, which are those of all accounts. */
function withoutRecords({ madeMs, provedMs, clockTrusted, ageMs }: BackupStatus) {
  return { madeMs, provedMs, clockTrusted, ageMs };
}

/** The status for a role that sees no money: without each figure that grows with the sales, and so counts them. */
function uncounted<S extends Pick<Status, "disk" | "sinks" | "queues" | "faults" | "timeZone">>(status: S) {
  const { disk, sinks, queues, faults, timeZone } = status;
  return {
    ...status,
    today: null,
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
      deliveredMs: null,
      behindMs: Math.floor(sink.behindMs / MINUTE_MS) * MINUTE_MS,
      failure: sink.failure && { ...sink.failure, message: withoutEntries(sink.failure.message) },
    })),
    faults: faults.map((fault) => toldFault(withoutSales(fault), timeZone)),
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
