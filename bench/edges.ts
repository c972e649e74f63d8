import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ScriptFailure } from "../scripts/command.ts";
import type { Change } from "../src/domain/change.ts";
import { SECOND_MS } from "../src/domain/clock.ts";
import { Recorder } from "../src/gpio/recorder.ts";
import { SimulatedDriver } from "../src/gpio/simulated.ts";
import { openReader } from "../src/ledger/engine/reader.ts";
import { storeWriter } from "../src/ledger/engine/writer.ts";
import { systemClock, systemTimers } from "../src/platform/machine.ts";
import type { Claim, Pair } from "./claim.ts";
import { wireLines } from "./fill.ts";
import type { Plan } from "./plan.ts";

const LINES = 64;
const EDGES_PER_LINE = 20;
const POSTERS = 64;
const PROMISED_MS = 1_000;

/** Edges of 64 lines beside 64 clients that post in a closed loop: how old the oldest sale is when it is committed. */
export async function measureEdges(plan: Plan): Promise<Claim> {
  const pairs: Pair[] = [];
  const counts = { sales: 0, posts: 0 };
  for (let turn = 0; turn < plan.pairs; turn += 1) {
    const { oldestMs, sales, posts } = await switchLines(
      join(plan.directory, `edges-${turn}`),
      plan.windowSeconds,
    );
    pairs.push({ base: PROMISED_MS, measured: oldestMs });
    counts.sales += sales;
    counts.posts += posts;
  }
  return {
    title: `Until the sales of ${LINES} lines with ${EDGES_PER_LINE} edges a second each are committed, beside ${POSTERS} clients that post`,
    names: ["promised", "longest"],
    unit: "ms",
    target: { bound: "at most", ratio: 1 },
    pairs,
    notes: [
      `each of the ${counts.sales} sales is recorded once, beside ${counts.posts} posts, in one process without HTTP`,
    ],
  };
}

async function switchLines(directory: string, seconds: number) {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "flanco.db");
  const agesMs: number[] = [];
  const onChanges = (changes: readonly Change[]) => {
    for (const change of changes) {
      if (change.kind !== "record" || change.record.origin === "posted") continue;
      agesMs.push(Date.now() - change.record.createdTimeMs);
    }
  };
  const onDeath = (error: Error) => {
    throw error;
  };
  const settings = { file, timeZone: "Europe/Madrid", tailDirectory: join(directory, "backups") };
  const writer = storeWriter(settings, systemClock, { onChanges, onDeath });
  await writer.open();
  const reader = openReader(file, settings.timeZone);
  const driver = new SimulatedDriver({ clock: systemClock, timers: systemTimers, lineCount: LINES });
  const user = await writer.addUser({ name: "Banco", email: "banco@example.org", passwordHash: "none" });
  await wireLines(writer, user.id, LINES);
  const bootId = randomUUID();
  await writer.noteBoot(bootId, 0);
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const trust = { trusted: () => true };
  const recorder = new Recorder({
    driver,
    writer,
    reader,
    clock: systemClock,
    timers: systemTimers,
    trust,
    log: quiet,
    bootId,
  });
  recorder.begin();
  await recorder.open();

  const endMs = performance.now() + seconds * SECOND_MS;
  const posting = Array.from({ length: POSTERS }, async (_, index) => {
    const names = { locationName: "Clínica", deviceName: "Pasillo", deviceId: `d${index % 20}`, room: "101" };
    let posts = 0;
    for (; performance.now() < endMs; posts += 1) {
      await writer.addRecord(user.id, { ...names, valorMicros: 1, createdTimeMs: Date.now() }, null);
    }
    return posts;
  });
  let sales = 0;
  for (let isHigh = true; performance.now() < endMs; isHigh = !isHigh) {
    for (let line = 0; line < LINES; line += 1) await driver.set(`SIM${line}`, isHigh);
    if (isHigh) sales += LINES;
    await pause(SECOND_MS / EDGES_PER_LINE);
  }
  const posts = (await Promise.all(posting)).reduce((sum, count) => sum + count, 0);
  await recorder.close();
  reader.close();
  await writer.close();
  if (agesMs.length !== sales) throw new ScriptFailure(`${sales} sales were made, ${agesMs.length} recorded`);
  return { oldestMs: Math.max(...agesMs), sales, posts };
}
