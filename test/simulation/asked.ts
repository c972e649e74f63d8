import type { Clock } from "../../src/domain/clock.ts";
import { addDays } from "../../src/domain/day.ts";
import { readHead } from "../../src/ledger/engine/chain.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { wiringReader } from "../../src/ledger/nouns/wiring.ts";
import { LINES } from "./chip.ts";
import type { Step } from "./history.ts";
import type { SimulatedProcess } from "./process.ts";
import { D_ID, DEVICE_NAME, ROOMS, START_US, ZONE } from "./template.ts";

const US_PER_MS = 1_000;

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
    const { line, room, valor, rearmMs } = step;
    const wiring = { line: LINES[line] ?? "", actuatorId: ROOMS[room] ?? "", valorMicros: valor * 1e6 };
    ask(process.wire(userId, { ...settings, ...wiring, rearmMs }));
  } else if (step.kind === "unwire") ask(writer.removeWiring(userId, LINES[step.line] ?? ""));
  else if (step.kind === "test") {
    const lines = [LINES[step.line] ?? ""];
    ask(writer.beginCommission(userId, { lines: null, freeLines: [] }, lines, step.ms));
  } else if (step.kind === "end test") ask(writer.pauseCommission(userId));
  else if (step.kind === "plan") {
    const today = new LocalCalendar(ZONE).dayOf(clock.nowMs());
    const from = addDays(today, step.days);
    ask(writer.planPrices(userId, [LINES[step.line] ?? ""], step.valor * 1e6, from));
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
    if (newest > 0) ask(writer.voidRecord(newest, "tested"));
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
