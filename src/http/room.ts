import { listRooms } from "../contract/room.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import { seesMoney } from "../domain/member.ts";
import { type Endpoint, serve } from "./router.ts";

export function roomEndpoints(reader: Pick<LedgerReader, "roomsToday">, clock: Clock): readonly Endpoint[] {
  return [
    serve(listRooms, ({ userId, signedIn }) => {
      const withMoney = seesMoney(signedIn.role);
      const rooms = reader.roomsToday(userId, clock.nowMs());
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
