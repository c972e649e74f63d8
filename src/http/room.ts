import { listRooms } from "../contract/room.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import type { HeavyReads } from "../domain/ledger.ts";
import { seesMoney } from "../domain/member.ts";
import { type Endpoint, serve } from "./router.ts";

export function roomEndpoints(reads: Pick<HeavyReads, "roomsToday">, clock: Clock): readonly Endpoint[] {
  return [
    serve(listRooms, async ({ userId, signedIn }) => {
      const withMoney = seesMoney(signedIn.role);
      const rooms = await reads.roomsToday(userId, clock.nowMs());
      return {
        data: rooms.map(({ active, line, sinceMs, totalMicros, count, lastSaleMs, ...room }) => ({
          ...room,
          level: active,
          line,
          sinceTime: sinceMs,
          sales: withMoney ? count : null,
          revenue: withMoney ? valorFromMicros(totalMicros) : null,
          lastSaleTime: withMoney ? lastSaleMs : null,
        })),
      };
    }),
  ];
}
