import type { Database } from "better-sqlite3";
import type { ErrorData } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { Change, LedgerCommands } from "../../domain/ledger.ts";
import { type AuditLog, auditCommands } from "./audit.ts";
import type { Boots } from "./boot.ts";
import type { LocalCalendar } from "./calendar.ts";
import type { Chain } from "./chain.ts";
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
import type { RollupWriter } from "./rollup.ts";
import { purgeCommands, sessionCommands } from "./session.ts";
import type { TailState } from "./tail.ts";
import { transferCommands } from "./transfer.ts";
import { wiringCommands } from "./wiring.ts";

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
  /** Notes what others should hear of once this is committed. */
  tell(change: Change): void;
}

/** Makes every write of the ledger. Each runs inside a transaction of the writer thread and throws FlancoError. */
export function allCommands(db: Database, context: WriteContext): LedgerCommands {
  const rooms = lineRooms(db, context);
  const tests = lineTestCommands(db, context);
  const places = { ...locationCommands(db, context), ...deviceCommands(db, context) };
  const corrections = correctionCommands(db, context);
  return {
    ping: () => {},
    ...rooms.watching({ ...memberCommands(db, context), ...places, ...wiringCommands(db, context) }),
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

export type CommandName = keyof LedgerCommands;

/**
 * How a write fares when there is no room. `post`: refused while the disk is full, because the client can send it again.
 * `edge`: may wait in some more entries of the queue, because a relay cannot.
 */
export const PRIORITIES: { readonly [N in CommandName]: "post" | "normal" | "edge" } = {
  addUser: "normal",
  addFirstUser: "normal",
  setPassword: "normal",
  removeUser: "normal",
  addMember: "normal",
  changeMember: "normal",
  removeMember: "normal",
  endSessionsOf: "normal",
  addLink: "normal",
  useLink: "normal",
  addSession: "normal",
  removeSession: "normal",
  endSessions: "normal",
  setLetterhead: "normal",
  addLocation: "normal",
  changeLocation: "normal",
  removeLocation: "normal",
  addDevice: "normal",
  changeDevice: "normal",
  removeDevice: "normal",
  addRecord: "post",
  importPlaces: "normal",
  importRecords: "post",
  voidRecord: "normal",
  settleTimes: "normal",
  correctClock: "normal",
  noteBoot: "normal",
  purge: "normal",
  setWiring: "normal",
  rewire: "normal",
  removeWiring: "normal",
  planPrices: "normal",
  cancelPrices: "normal",
  beginTest: "normal",
  endTest: "normal",
  beginCommission: "normal",
  tickRoom: "normal",
  endCommission: "normal",
  noteAudit: "normal",
  linkEvidence: "normal",
  noteUnwatched: "edge",
  takeIn: "edge",
  ping: "edge",
};

/** What the writer thread is started with. */
export interface WriterSettings {
  readonly file: string;
  readonly timeZone: string;
  /** A file that holds room on the disk for the time when it is full; undefined: none is held. */
  readonly reserve?: string;
  /** The backup directory that the tail (tail.ts) is kept in; undefined: none is kept. */
  readonly tailDirectory?: string;
}

/** The settings as they reach the thread. */
export interface WriterStart extends WriterSettings {
  /** Wall time at its start, in Unix milliseconds. */
  readonly startMs: number;
}

/** One batch of writes: one transaction, one commit, one answer. */
export interface BatchRequest {
  /** Wall time at sending, in Unix milliseconds. */
  readonly nowMs: number;
  /** The kernel's monotonic time then, in milliseconds. */
  readonly monotonicMs: number;
  readonly commands: readonly { readonly name: CommandName; readonly input: readonly unknown[] }[];
}

/** What became of one command. `changes` stands only where it told any. */
export type CommandResult =
  | { readonly output: unknown; readonly changes?: readonly Change[] }
  | { readonly error: ErrorData };

/** What the writer thread says. */
export type WriterMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly error: ErrorData }
  /** The disk is full since then (Unix milliseconds), or has room again. */
  | { readonly kind: "disk"; readonly fullSinceMs: number | null }
  | { readonly kind: "tail"; readonly state: TailState }
  /** Nothing is written any more in this process: the disk fails, or the file is damaged. */
  | { readonly kind: "fatal"; readonly error: ErrorData }
  /** The answers to a batch, in its order, after its commit, and how long the disk took for that. */
  | { readonly kind: "batch"; readonly results: readonly CommandResult[]; readonly syncMs: number };

export type WriterRequest =
  | { readonly kind: "batch"; readonly batch: BatchRequest }
  /** A backup to that directory begins, or, with the number of its commits, is proved. */
  | { readonly kind: "backup"; readonly directory: string; readonly proved: number | null }
  | { readonly kind: "close" };
