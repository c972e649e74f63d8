import type { Database } from "better-sqlite3";
import type { LedgerCommands } from "../../domain/ledger.ts";
import { auditCommands } from "../nouns/audit.ts";
import { commissionCommands } from "../nouns/commission.ts";
import { correctionCommands } from "../nouns/correction.ts";
import { deviceCommands } from "../nouns/device.ts";
import { lineCommands } from "../nouns/line.ts";
import { lineTestCommands } from "../nouns/line-test.ts";
import { locationCommands } from "../nouns/location.ts";
import { letterheadCommands, memberCommands } from "../nouns/member.ts";
import { priceCommands } from "../nouns/price.ts";
import { recordCommands } from "../nouns/record.ts";
import { purgeCommands, sessionCommands } from "../nouns/session.ts";
import { wiringCommands } from "../nouns/wiring.ts";
import { transferCommands } from "../safety/transfer.ts";
import type { WriteContext } from "./write-context.ts";

/** Makes every write of the ledger. Each runs inside a transaction of the writer thread. */
export function allCommands(db: Database, context: WriteContext): LedgerCommands {
  const tests = lineTestCommands(db, context);
  const places = { ...locationCommands(db, context), ...deviceCommands(db, context) };
  const corrections = correctionCommands(db, context);
  return {
    ping: () => {},
    ...memberCommands(db, context),
    ...places,
    ...wiringCommands(db, context),
    ...priceCommands(db, context),
    ...letterheadCommands(db, context),
    ...sessionCommands(db, context),
    ...recordCommands(db, context),
    ...transferCommands(db, context, { ...places, ...corrections }),
    ...corrections,
    ...lineCommands(db, context),
    ...tests,
    ...commissionCommands(db, context, tests),
    noteBoot: (...noted) => context.boots.note(...noted),
    ...purgeCommands(db, context),
    ...auditCommands(db, context),
  };
}
