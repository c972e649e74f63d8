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
  type AcceptanceReportHead as HeadAnswer,
  listAcceptanceReports,
  listTestedEdges,
  mendRoom,
  type ReportContent,
  tickRoom,
} from "../contract/commission.ts";
import type { Actor } from "../domain/audit.ts";
import { MINUTE_MS } from "../domain/clock.ts";
import {
  type AcceptanceReportHead,
  type CommissionedRoom,
  type Commissioner,
  type CommissionState,
  countRooms,
  type Signatures,
  type StoredAcceptanceReport,
  type Tick,
} from "../domain/commission.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import { JobSlots } from "../domain/job-slots.ts";
import type { LedgerReader, SyncOrAsync } from "../domain/ledger.ts";
import type { Status, StatusReader } from "../domain/status.ts";
import { type Endpoint, serve, writeJson } from "./router.ts";

const SHOWN_REPORTS = 50;
/** The most edges under test in one answer. */
const SHOWN_EDGES = 200;
/** Bounds for states, which are read in pieces: those of an account, one after another. */
const STATES = { what: "looks at this commissioning", inAll: 3, waitingOfMember: 8 };

type ReportReader = Pick<LedgerReader, "acceptanceReport" | "chainHead" | "testedEdges"> &
  SyncOrAsync<Pick<LedgerReader, "acceptanceReports">>;

interface CommissionDependencies {
  readonly commissioner: Commissioner;
  readonly reader: ReportReader;
  readonly status: StatusReader;
}

export function commissionEndpoints(dependencies: CommissionDependencies): readonly Endpoint[] {
  const { commissioner, reader } = dependencies;
  const slots = new JobSlots(STATES);
  return [
    serve(beginCommission, async ({ userId, body: { commission }, by }) => {
      const { lines = null, freeLines, minutes } = commission;
      await commissioner.begin(userId, { lines, freeLines }, minutes * MINUTE_MS, by);
    }),
    serve(
      getCommission,
      async ({ userId }) => ({ data: toStateAnswer(await commissioner.state(userId)) }),
      slots,
    ),
    serve(endCommission, ({ userId, query: { pause }, by }) =>
      pause ? commissioner.pause(userId, by) : commissioner.end(userId, by),
    ),
    serve(askRoom, ({ userId, body }) => commissioner.ask(userId, body.room)),
    serve(tickRoom, ({ userId, body: { tick } }) => commissioner.tick(userId, tick, tick.note)),
    serve(listTestedEdges, ({ userId }) => ({
      data: reader.testedEdges(userId, SHOWN_EDGES).map(({ timeMs, ...edge }) => ({ ...edge, time: timeMs })),
    })),
    serve(mendRoom, ({ userId, body, by }) => commissioner.mend(userId, body.room, by)),
    serve(
      finishCommission,
      async ({ userId, body, by }) => ({
        data: { number: await finishWithReport(dependencies, userId, body.report, by) },
      }),
      slots,
    ),
  ];
}

/** The acceptance reports, which the ledger alone has. */
export function acceptanceReportEndpoints(reader: ReportReader): readonly Endpoint[] {
  return [
    serve(listAcceptanceReports, async ({ userId }) => ({
      data: await reportHeads(reader, userId),
    })),
    serve(getAcceptanceReport, async ({ userId, query }) => ({
      data: await reportOf(reader, userId, query.number ?? null),
    })),
  ];
}

/** Ends a commissioning with its report, and gives the report's number. */
async function finishWithReport(
  { commissioner, reader, status }: CommissionDependencies,
  userId: Id,
  signatures: Signatures,
  by: Actor,
): Promise<number> {
  const state = await commissioner.state(userId);
  const appliance = await status.status(userId);
  const { begunMs } = state;
  if (begunMs === null) {
    throw new FlancoError("conflict", "No commissioning is open.", { hint: "Begin one first." });
  }
  const counts = countRooms(state.rooms);
  const content = contentOf({ ...state, begunMs }, signatures, appliance, reader.chainHead());
  let text = "";
  for await (const part of writeJson(content)) text += part;
  const report = { ...signatures, counts, text };
  return commissioner.finish(userId, report, by);
}

async function reportHeads(reader: ReportReader, userId: Id): Promise<readonly HeadAnswer[]> {
  const heads: readonly AcceptanceReportHead[] = await reader.acceptanceReports(userId, SHOWN_REPORTS);
  return heads.map(({ timeMs, ...head }) => ({ ...head, time: timeMs }));
}

/** The account's report of a number; the newest for null. Throws `not_found`. */
async function reportOf(reader: ReportReader, userId: Id, wanted: number | null): Promise<AcceptanceReport> {
  const number = wanted ?? (await reader.acceptanceReports(userId, 1))[0]?.number;
  const report = number === undefined ? undefined : reader.acceptanceReport(userId, number);
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
