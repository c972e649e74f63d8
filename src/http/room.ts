import { listRooms } from "../contract/room.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import { type Endpoint, serve } from "./router.ts";

export function roomEndpoints(reader: Pick<LedgerReader, "roomsToday">, clock: Clock): readonly Endpoint[] {
  return [
    serve(listRooms, ({ userId }) => ({
      data: reader
        .roomsToday(userId, clock.nowMs())
        .map(({ active, sinceMs, totalMicros, count, lastSaleMs, ...room }) => ({
          ...room,
          level: active,
          sinceTime: sinceMs,
          sales: count,
          revenue: valorFromMicros(totalMicros),
          lastSaleTime: lastSaleMs,
        })),
    })),
  ];
}
