import type { Database } from "better-sqlite3";
import type { LedgerCommands } from "../../domain/ledger.ts";
import { auditCommands } from "./audit.ts";
import { commissionCommands } from "./commission.ts";
import { correctionCommands } from "./correction.ts";
import { deviceCommands } from "./device.ts";
import { lineCommands } from "./line.ts";
import { lineRooms } from "./line-room.ts";
import { lineTestCommands } from "./line-test.ts";
import { locationCommands } from "./location.ts";
import { letterheadCommands, memberCommands } from "./member.ts";
import { priceCommands } from "./price.ts";
import { recordCommands } from "./record.ts";
import { purgeCommands, sessionCommands } from "./session.ts";
import { transferCommands } from "./transfer.ts";
import { wiringCommands } from "./wiring.ts";
import type { WriteContext } from "./write-context.ts";

/** Makes every write of the ledger. Each runs inside a transaction of the writer thread. */
export function allCommands(db: Database, context: WriteContext): LedgerCommands {
  const rooms = lineRooms(db, context);
  const tests = lineTestCommands(db, context);
  const places = { ...locationCommands(db, context), ...deviceCommands(db, context) };
  const corrections = correctionCommands(db, context);
  return {
    ping: () => {},
    ...rooms.keepingRooms({ ...memberCommands(db, context), ...places, ...wiringCommands(db, context) }),
    ...priceCommands(db, context),
    ...letterheadCommands(db, context),
    ...sessionCommands(db, context),
    ...recordCommands(db, context),
    ...transferCommands(db, context, { ...places, ...corrections }),
    ...corrections,
    ...lineCommands(db, context, rooms),
    ...tests,
    ...commissionCommands(db, context, tests),
    noteBoot: (...noted) => context.boots.note(...noted),
    ...purgeCommands(db, context),
    ...auditCommands(db, context),
  };
}
