import type { LastBackup } from "../domain/backup.ts";
import type { Fault } from "../domain/fault.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import type { Lines } from "../domain/lines.ts";
import { statusAnswer } from "./answer.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";

/** Gaps that are counted one by one; a user with more has a bigger trouble than their number. */
const MAX_GAPS = 1_000;

export function statusEndpoints(
  reader: Pick<LedgerReader, "wirings" | "gaps">,
  lines: Lines,
  faults: () => readonly Fault[],
  lastBackup: () => LastBackup | null,
  timeZone: string,
): readonly Endpoint[] {
  return [
    endpoint({
      method: "get",
      path: "/status",
      summary: "How the appliance is.",
      session: true,
      status: 200,
      answer: statusAnswer,
      errors: ["unavailable", "internal"],
      run: ({ userId }) => {
        const own = new Set(reader.wirings(userId).map((wiring) => wiring.line));
        const status = lines.status();
        const data = {
          driver: status.driver,
          simulated: status.simulated,
          timeZone,
          linesWired: own.size,
          linesWatched: status.watched.filter((line) => own.has(line)).length,
          lineFailures: status.failures.filter(({ line }) => own.has(line)),
          gaps: reader.gaps(userId, { before: null, limit: MAX_GAPS }).length,
          lastBackup: toAnswer(lastBackup()),
          faults: faults().map(({ sinceMs, ...fault }) => ({ ...fault, sinceTime: sinceMs })),
        };
        return { status: "success", data };
      },
    }),
  ];
}

function toAnswer(backup: LastBackup | null) {
  if (backup === null) return null;
  const { madeMs, provedMs, ...held } = backup;
  return { madeTime: madeMs, provedTime: provedMs, ...held };
}
