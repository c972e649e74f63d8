import { type Clock, DAY_MS } from "../../src/domain/clock.ts";
import { addDays } from "../../src/domain/day.ts";
import { readHead } from "../../src/ledger/engine/chain.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { wiringReader } from "../../src/ledger/nouns/wiring.ts";
import { LINES } from "./chip.ts";
import { nextClosing } from "./closings.ts";
import type { Step } from "./history.ts";
import type { SimulatedProcess } from "./process.ts";
import { D_ID, DEVICE_NAME, ROOMS, START_US, ZONE } from "./template.ts";

const US_PER_MS = 1_000;

/** Sales by hand are of so long before. */
const DAYS_BEFORE_MS = 3 * DAY_MS;

/** The position of the record so many before the newest; 0 without one. */
function recordBack(db: SimulatedProcess["db"], back: number): number {
  const sql = "SELECT record_id FROM record ORDER BY record_id DESC LIMIT 1 OFFSET ?";
  return db?.prepare<[number], number>(sql).pluck().get(back) ?? 0;
}

/** On whose behalf and when a step asks. */
interface Asker {
  readonly userId: string;
  readonly deviceId: string;
  readonly clock: Clock;
}

/** Asks for what the step says; it may be refused. Nothing is asked of a gateway that does not run. */
export function askFor(step: Step, process: SimulatedProcess | undefined, asker: Asker): void {
  const writer = process?.writer;
  if (process === undefined || writer === undefined) return;
  const { userId, deviceId, clock } = asker;
  const settings = { dId: D_ID, bias: "as-is", debounceMs: 0, activeLow: false } as const;
  const ask = (asked: Promise<unknown>) => void asked.catch(() => {});
  if (step.kind === "wire") {
    const { line, room, valor, rearmMs, paidMinutes } = step;
    const wiring = { line: LINES[line] ?? "", actuatorId: ROOMS[room] ?? "", valorMicros: valor * 1e6 };
    ask(process.wire(userId, { ...settings, ...wiring, rearmMs, paidMinutes }));
  } else if (step.kind === "move") {
    const [from, to] = [step.room, step.to].map((room) => ({ dId: D_ID, room: ROOMS[room] ?? "" }));
    if (from !== undefined && to !== undefined) ask(writer.movePaidTime(userId, from, to));
  } else if (step.kind === "unwire") ask(writer.removeWiring(userId, LINES[step.line] ?? ""));
  else if (step.kind === "test") {
    const lines = [LINES[step.line] ?? ""];
    ask(writer.beginCommission(userId, { lines: null, freeLines: [] }, lines, step.ms));
  } else if (step.kind === "end test") ask(writer.pauseCommission(userId));
  else if (step.kind === "plan") {
    const today = new LocalCalendar(ZONE).dayOf(clock.nowMs());
    const from = addDays(today, step.days);
    ask(
      writer.planPrices(
        userId,
        [LINES[step.line] ?? ""],
        { valorMicros: step.valor * 1e6, paidMinutes: step.paidMinutes },
        from,
      ),
    );
  } else if (step.kind === "refused") {
    const wired =
      process.db &&
      wiringReader(process.db, new LocalCalendar(ZONE))
        .wirings()
        .find(({ line }) => line === LINES[step.line]);
    if (wired === undefined) return;
    const wiring = { ...wired, valorMicros: step.valor * 1e6 };
    const other = { ...wiring, line: "D" };
    ask(writer.setWiring([wiring, other].map((one) => ({ userId, wiring: one }))));
  } else if (step.kind === "void") {
    const newest = process.db === undefined ? 0 : readHead(process.db).position;
    const position = step.ofRecord === true ? recordBack(process.db, 0) : newest;
    if (position > 0) ask(writer.voidRecord(position, "tested"));
  } else if (step.kind === "add") {
    const sale = { dId: D_ID, room: ROOMS[step.room] ?? "", valorMicros: step.valor * 1e6, gap: null };
    const key = `hand ${step.key}`;
    const timeMs = START_US / US_PER_MS - DAYS_BEFORE_MS;
    ask(writer.addSale(userId, { ...sale, timeMs, reason: key }, { key, bodyHash: "hash" }));
  } else if (step.kind === "refund") {
    const recordId = recordBack(process.db, step.back);
    const refund = { valorMicros: step.valor * 1e6, reason: "left early" };
    if (recordId > 0) ask(writer.refundRecord(userId, recordId, refund, null));
  } else if (step.kind === "close") {
    if (process.db !== undefined) ask(writer.closeMonth(userId, nextClosing(process.db, userId)));
  } else if (step.kind === "post") {
    const record = {
      locationName: "Clínica",
      deviceName: DEVICE_NAME,
      deviceId,
      valorMicros: 1_500_000,
      room: `post ${step.key}`,
      createdTimeMs: START_US / US_PER_MS + step.key,
    };
    ask(writer.addRecord(userId, record, { key: `key ${step.key}`, bodyHash: "hash" }));
  }
}
