import { until } from "../../guest/inside/deadline.ts";
import type { Ledger } from "../../guest/inside/ledger.ts";
import { type Relays, shareProcessorWithInterrupts } from "../../guest/inside/relays.ts";
import { type LedgerRow, ROOMS } from "../../guest/report.ts";

const COMMITTED_MS = 120_000;

/** Switches all relays on; gives their rows once the ledger has one of each, or more. */
export async function switchAllOn(relays: Relays, ledger: Ledger): Promise<readonly LedgerRow[]> {
  shareProcessorWithInterrupts();
  const position = ledger.position();
  for (const offset of ROOMS.keys()) relays.drive(offset, true);
  await until(
    () => (ledger.rowsAfter(position).length >= ROOMS.length ? null : "edges are missing"),
    COMMITTED_MS,
  );
  return ledger.rowsAfter(position);
}
