import { type Gap, lineName, type ReportOf } from "../report.ts";
import { until } from "./deadline.ts";
import type { Parts } from "./parts.ts";
import { interruptTotal, shareProcessorWithInterrupts } from "./relays.ts";

const OFFSET = 7;
const SETTLE_MS = 30_000;

/**
 * Stops the program, gives one line more edges than the kernel's buffer holds, and lets the program go on. The
 * last edge is a marker: once its sale is in the ledger, everything before it has been dealt with.
 */
export async function proveBurst(
  { service, relays, ledger, api }: Parts,
  driven: number,
): Promise<ReportOf<"burst">> {
  shareProcessorWithInterrupts();
  const position = ledger.position();
  const gapsBefore = ledger.gaps().length;
  const interruptsBefore = interruptTotal();
  service.signal("SIGSTOP");
  let lastHighNs = 0;
  for (let edge = 0; edge < driven; edge += 1) {
    const high = edge % 2 === 0;
    const drive = relays.drive(OFFSET, high);
    if (high) lastHighNs = drive.beforeNs;
  }
  service.signal("SIGCONT");
  await until(() => {
    const last = ledger.rowsAfter(position).at(-1);
    if (last === undefined || last.monotonicNs === null) return "no record of the burst";
    if (last.monotonicNs < lastHighNs) return "the burst's last sale is not in the ledger";
    return last.endedMs === null ? "the burst's last sale has not ended" : null;
  }, SETTLE_MS);
  return {
    step: "burst",
    driven,
    interrupts: interruptTotal() - interruptsBefore,
    rows: [...ledger.rowsAfter(position)],
    gaps: ledger.gaps().slice(gapsBefore),
    apiGaps: (await api.gaps()).filter(({ line }: Gap) => line === lineName(OFFSET)),
  };
}
