import type { GatewayReport } from "../contract/clinic.ts";
import type { Fault } from "../domain/fault.ts";
import { MAX_DETAIL, MAX_REPORTED } from "../domain/gateway.ts";
import type { Status } from "../domain/status.ts";
import { shownText } from "../domain/text.ts";

/**
 * What a gateway tells its company of itself.
 * @param certificateEndsMs of HTTPS, in Unix milliseconds; null before the ports are open
 */
export function reportOf(
  { version, clock, disk, lastBackup, sinks, faults }: Status,
  certificateEndsMs: number | null,
): GatewayReport {
  const byCode = [...Map.groupBy(faults, ({ code }) => code).values()];
  return {
    version,
    clockTrusted: clock.trusted,
    certificateEndsMs,
    disk: disk && {
      freeBytes: disk.freeBytes,
      totalBytes: disk.totalBytes,
      lifeUsedPercent: disk.card?.lifeUsedPercent ?? null,
    },
    backupMs: lastBackup?.madeMs ?? null,
    remoteBackupMs: sinks.find(({ name }) => name === "remote")?.backup?.madeMs ?? null,
    faults: byCode.slice(0, MAX_REPORTED).flatMap(reported),
  };
}

function reported(faults: readonly Fault[]): GatewayReport["faults"] {
  const [first] = faults;
  if (first === undefined) return [];
  const { code, sinceMs, details } = first;
  // PostgreSQL takes neither NUL nor halves of surrogate pairs.
  const shown = (value: string | number) =>
    typeof value === "number" ? value : shownText(value).slice(0, MAX_DETAIL).toWellFormed();
  const sent = Object.fromEntries(Object.entries(details).map(([name, value]) => [name, shown(value)]));
  return [{ code, count: faults.length, sinceMs: Math.round(sinceMs), details: sent }];
}
