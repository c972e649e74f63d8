import { release } from "node:os";
import {
  type AcceptanceReport,
  askRoom,
  beginCommission,
  type Commission,
  endCommission,
  finishCommission,
  getAcceptanceReport,
  getCommission,
  listAcceptanceReports,
  listTestedEdges,
  mendRoom,
  type ReportContent,
  tickRoom,
} from "../contract/commission.ts";
import type { Actor } from "../domain/audit.ts";
import { MINUTE_MS } from "../domain/clock.ts";
import {
  type CommissionedRoom,
  type Commissioner,
  type CommissionState,
  countRooms,
  type RoomKey,
  type Signatures,
  type StoredAcceptanceReport,
  type Tick,
} from "../domain/commission.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import { JobSlots } from "../domain/job-slots.ts";
import type { LedgerReader, SyncOrAsync } from "../domain/ledger.ts";
import { beyondLimit } from "../domain/limit.ts";
import type { Status, StatusReader } from "../domain/status.ts";
import type { SignedInMember } from "./auth/session.ts";
import { deviceSight, hiddenLines, requireDevice } from "./limit.ts";
import { type Endpoint, serve, writeJson } from "./router.ts";

const SHOWN_REPORTS = 50;
/** The most edges under test in one answer. */
const SHOWN_EDGES = 200;
/** Bounds for states, which are read in pieces: those of an account, one after another. */
const STATES = { what: "looks at this commissioning", inAll: 3, waitingOfMember: 8 };

type ReportReader = Pick<LedgerReader, "acceptanceReport" | "chainHead"> &
  SyncOrAsync<Pick<LedgerReader, "acceptanceReports">>;

interface CommissionDependencies {
  readonly commissioner: Commissioner;
  readonly reader: ReportReader & OwnReader;
  readonly status: StatusReader;
}

export function commissionEndpoints(dependencies: CommissionDependencies): readonly Endpoint[] {
  const { commissioner, reader } = dependencies;
  const slots = new JobSlots(STATES);
  return [
    serve(beginCommission, async ({ userId, signedIn, body: { commission }, by }) => {
      const { lines = null, freeLines, minutes } = commission;
      const beyond = await requireOwn(reader, signedIn);
      await commissioner.begin(userId, { lines, freeLines }, minutes * MINUTE_MS, by, beyond);
    }),
    serve(
      getCommission,
      async ({ signedIn }) => ({ data: toStateAnswer(await stateOf(dependencies, signedIn)) }),
      slots,
    ),
    serve(endCommission, async ({ userId, signedIn, query: { pause }, by }) => {
      await requireOwn(reader, signedIn);
      await (pause ? commissioner.pause(userId, by) : commissioner.end(userId, by));
    }),
    serve(askRoom, async ({ userId, signedIn, body: { room } }) => {
      await requireOwnRoom(reader, signedIn, room);
      await commissioner.ask(userId, room);
    }),
    serve(tickRoom, async ({ userId, signedIn, body: { tick } }) => {
      await requireOwnRoom(reader, signedIn, tick);
      await commissioner.tick(userId, tick, tick.note);
    }),
    serve(listTestedEdges, async ({ userId, signedIn }) => {
      const isSeen = await deviceSight(reader, signedIn);
      const edges = reader.testedEdges(userId, SHOWN_EDGES).filter(({ deviceId }) => isSeen(deviceId));
      return { data: edges.map(({ timeMs, ...edge }) => ({ ...edge, time: timeMs })) };
    }),
    serve(mendRoom, async ({ userId, signedIn, body: { room }, by }) => {
      await requireOwnRoom(reader, signedIn, room);
      await commissioner.mend(userId, room, by);
    }),
    serve(
      finishCommission,
      async ({ signedIn, body, by }) => ({
        data: { number: await finishWithReport(dependencies, signedIn, body.report, by) },
      }),
      slots,
    ),
  ];
}

/** The acceptance reports, which the ledger alone has. */
export function acceptanceReportEndpoints(reader: ReportReader): readonly Endpoint[] {
  return [
    serve(listAcceptanceReports, async ({ userId, within }) => {
      const heads = await reader.acceptanceReports(userId, SHOWN_REPORTS, within);
      return { data: heads.map(({ timeMs, ...head }) => ({ ...head, time: timeMs })) };
    }),
    serve(getAcceptanceReport, async ({ userId, within, query }) => ({
      data: await reportOf(reader, userId, query.number ?? null, within),
    })),
  ];
}

type OwnReader = Pick<LedgerReader, "commissions" | "devices" | "testedEdges" | "wirings">;

/**
 * A commissioning is of a whole account. A limited member may see and change one that is of its own lines
 * alone. Gives the lines that are beyond the member's limit, null without one; rejects with `forbidden` where the open one has such.
 */
async function requireOwn(reader: OwnReader, signedIn: SignedInMember): Promise<ReadonlySet<string> | null> {
  if (signedIn.limit === null) return null;
  const beyond = await hiddenLines(reader, signedIn);
  if (beyond.size === 0) return beyond;
  const open = reader.commissions().find(({ userId }) => userId === signedIn.userId);
  // A free line may have been wired since.
  if (open !== undefined && (open.lines?.concat(open.freeLines).some((line) => beyond.has(line)) ?? true)) {
    throw beyondLimit("The commissioning that is open is of other locations too.");
  }
  return beyond;
}

async function requireOwnRoom(reader: OwnReader, signedIn: SignedInMember, { dId }: RoomKey): Promise<void> {
  await requireOwn(reader, signedIn);
  await requireDevice(reader, signedIn, dId);
}

/** The state with the rooms that a member may see. */
async function stateOf(
  { commissioner, reader }: CommissionDependencies,
  signedIn: SignedInMember,
): Promise<CommissionState> {
  await requireOwn(reader, signedIn);
  const isSeen = await deviceSight(reader, signedIn);
  const state = await commissioner.state(signedIn.userId);
  return { ...state, rooms: state.rooms.filter(({ deviceId }) => isSeen(deviceId)) };
}

/** Ends a commissioning with its report, and gives the report's number. */
async function finishWithReport(
  dependencies: CommissionDependencies,
  signedIn: SignedInMember,
  signatures: Signatures,
  by: Actor,
): Promise<number> {
  const { commissioner, reader, status } = dependencies;
  const { userId, limit } = signedIn;
  const state = await stateOf(dependencies, signedIn);
  const appliance = await status.status(userId, limit);
  const { begunMs } = state;
  if (begunMs === null) {
    throw new FlancoError("conflict", "No commissioning is open.", { hint: "Begin one first." });
  }
  const counts = countRooms(state.rooms);
  const content = contentOf({ ...state, begunMs }, signatures, appliance, reader.chainHead());
  let text = "";
  for await (const part of writeJson(content)) text += part;
  const locations = [...new Set(state.rooms.map(({ locationName }) => locationName))];
  const report = { ...signatures, counts, locations, text };
  return commissioner.finish(userId, report, by);
}

/** The account's report of a number; the newest for null. Throws `not_found`. */
async function reportOf(
  reader: ReportReader,
  userId: Id,
  wanted: number | null,
  within: readonly string[] | null,
): Promise<AcceptanceReport> {
  const number = wanted ?? (await reader.acceptanceReports(userId, 1, within))[0]?.number;
  const report = number === undefined ? undefined : reader.acceptanceReport(userId, number, within);
  if (report === undefined) {
    throw new FlancoError(
      "not_found",
      `There is no acceptance report${wanted === null ? "" : ` ${wanted}`}.`,
      {
        hint: "The list of reports has their numbers; a commissioning ends with one.",
      },
    );
  }
  const { timeMs, text, ...entry }: StoredAcceptanceReport = report;
  // The text is under the chain's hash, so it still has the shape in which it was written.
  return { ...(JSON.parse(text) as ReportContent), ...entry, time: timeMs };
}

function toStateAnswer({ begunMs, untilMs, moved, rooms, ...state }: CommissionState): Commission {
  return {
    ...state,
    begunTime: begunMs,
    untilTime: untilMs,
    moved: moved.map(({ timeMs, ...move }) => ({ ...move, time: timeMs })),
    rooms: rooms.map(({ tick, ...room }) => ({ ...room, tick: tick && toTickAnswer(tick) })),
  };
}

function contentOf(
  { begunMs, rooms }: Pick<CommissionState, "rooms"> & { readonly begunMs: number },
  signatures: Signatures,
  { version, driver, simulated, linesWired, linesWatched, lineFailures, clock, timeZone, lastBackup }: Status,
  head: string,
): ReportContent {
  return {
    ...signatures,
    begunTime: begunMs,
    versions: { flanco: version, node: process.versions.node, kernel: release() },
    lines: { driver, simulated, wired: linesWired, watched: linesWatched, failures: lineFailures },
    rooms: rooms.map(toReportedRoom),
    counts: countRooms(rooms),
    clock: { time: clock.nowMs, trusted: clock.trusted, timeZone },
    backup: lastBackup && {
      madeTime: lastBackup.madeMs,
      provedTime: lastBackup.provedMs,
      clockTrusted: lastBackup.clockTrusted,
      head: lastBackup.head,
    },
    head,
  };
}

function toReportedRoom({ isUnderTest, isAsked, judgement, level, tick, ...room }: CommissionedRoom) {
  return { ...room, tick: tick && toTickAnswer(tick) };
}

function toTickAnswer({ deviceId: _device, room: _room, wired: _wired, timeMs, ...tick }: Tick) {
  return { ...tick, time: timeMs };
}
