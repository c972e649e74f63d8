import type { Database } from "better-sqlite3";
import type { Change } from "../../domain/change.ts";
import type { Id } from "../../domain/id.ts";
import type { LedgerCommands } from "../../domain/ledger.ts";
import { type AuditLog, auditCommands } from "../nouns/audit.ts";
import type { Boots } from "../nouns/boot.ts";
import { byHandCommands } from "../nouns/by-hand.ts";
import type { LocalCalendar } from "../nouns/calendar.ts";
import { commissionCommands } from "../nouns/commission.ts";
import { correctionCommands } from "../nouns/correction.ts";
import { deviceCommands } from "../nouns/device.ts";
import { lineCommands } from "../nouns/line.ts";
import { locationCommands } from "../nouns/location.ts";
import { letterheadCommands, memberCommands } from "../nouns/member.ts";
import { paidTimeCommands } from "../nouns/paid-time.ts";
import { priceCommands } from "../nouns/price.ts";
import { recordCommands } from "../nouns/record.ts";
import type { RollupWriter } from "../nouns/rollup.ts";
import { purgeCommands, sessionCommands } from "../nouns/session.ts";
import { settlementCommands } from "../nouns/settlement.ts";
import { wiringCommands } from "../nouns/wiring.ts";
import { transferCommands } from "../safety/transfer.ts";
import type { Chain } from "./chain.ts";

/** What every writing function works with, inside one transaction of the writer thread. */
export interface WriteContext {
  readonly ids: { next(): Id };
  readonly rollups: RollupWriter;
  readonly chain: Chain;
  readonly calendar: LocalCalendar;
  readonly boots: Boots;
  readonly audit: AuditLog;
  /** Wall time of the batch, in Unix milliseconds. */
  nowMs(): number;
  /** Adds a change that is published after the commit. */
  tell(change: Change): void;
}

export type CommandName = keyof LedgerCommands;

/**
 * How a command is treated. `post`: refused while the disk is full, because the client can send it again. `edge`: may
 * use reserved entries of the queue, because a relay cannot switch again. `room`: changes what a sale of a wired
 * room is, so the edges that were seen before it are committed first. `other`: none of these.
 */
export type CommandKind = "post" | "edge" | "room" | "other";

/** The kinds of all commands but `other`. */
export const COMMAND_KINDS: { readonly [N in CommandName]?: CommandKind } = {
  addRecord: "post",
  importRecords: "post",
  addSale: "post",
  refundRecord: "post",
  noteUnwatched: "edge",
  keepUnwatched: "edge",
  takeIn: "edge",
  ping: "edge",
  removeUser: "room",
  changeLocation: "room",
  removeLocation: "room",
  changeDevice: "room",
  removeDevice: "room",
  setWiring: "room",
  rewire: "room",
  removeWiring: "room",
  setPrices: "room",
  movePaidTime: "room",
};

/** Makes every write of the ledger. Each runs inside a transaction of the writer thread. */
export function allCommands(db: Database, context: WriteContext): LedgerCommands {
  const places = { ...locationCommands(db, context), ...deviceCommands(db, context) };
  const { paid, ...corrections } = correctionCommands(db, context);
  return {
    ping: () => {},
    ...memberCommands(db, context),
    ...places,
    ...wiringCommands(db, context),
    ...priceCommands(db, context),
    ...letterheadCommands(db, context),
    ...sessionCommands(db, context),
    ...recordCommands(db, context, paid),
    ...byHandCommands(db, context, paid),
    ...transferCommands(db, context, { ...places, ...corrections, ...paid }),
    ...corrections,
    ...lineCommands(db, context, paid),
    ...paidTimeCommands(db, context, paid),
    ...commissionCommands(db, context),
    ...settlementCommands(db, context),
    noteBoot: (...noted) => context.boots.note(...noted),
    ...purgeCommands(db, context),
    ...auditCommands(db, context),
  };
}
