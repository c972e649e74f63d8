import { type ReportOf, ROOMS } from "../report.ts";
import type { Parts } from "./parts.ts";

/**
 * Sends every line high and, with those edges perhaps not even read, tells the program to end; then starts it
 * again and ends it once more.
 */
export async function proveEnd({ service, relays, ledger }: Parts): Promise<ReportOf<"ended">> {
  const position = ledger.position();
  for (const offset of ROOMS.keys()) relays.drive(offset, true);
  const exitCode = await service.end("SIGTERM");
  const committed = ledger.roomsAfter(position);
  await service.start();
  await service.watchesAllLines();
  await service.end("SIGTERM");
  return { step: "ended", exitCode, committed, restarted: ledger.roomsAfter(position) };
}
