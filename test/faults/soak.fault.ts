import { readdirSync, statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { HOUR_MS, SECOND_MS } from "../../src/domain/clock.ts";
import { verifyLedger } from "../../src/ledger/safety/verify.ts";
import { recordRows } from "../cli/ledger.ts";
import { BundledProgram } from "../rig/bundled-program.ts";
import { CONTROLS } from "../rig/controls.ts";
import { Program } from "../rig/program.ts";
import { until } from "../rig/until.ts";
import { DrivenProgram } from "./driven-program.ts";

const SHORT = process.env["FLANCO_FAULTS"] === "short";
/**
 * Before it is measured the program does so many times as much, up to 96,000 sales: caches fill, heaps find their size, and
 * what is done often is compiled. That follows the work, not the time, and ends after some 65,000 sales.
 */
const WARM_UP_PACE = 8;
const WARM_UP_MS = SHORT ? 8_000 : 480_000;
const SOAK_MS = SHORT ? 20_000 : 3_600_000;
const CONTROL_MS = SHORT ? 12_000 : 240_000;
const EDGES_PER_SECOND = 50;
const REQUESTS_PER_SECOND = 20;
const READ_EVERY_MS = SHORT ? 1_000 : 10_000;
/** Readings of which the lowest counts: what lies between two of them is a moment's work. */
const STRETCH = SHORT ? 1 : 6;
const MEGABYTE = 1_000_000;
/** The promise. In a few seconds the process is still growing to its size: then only a fast leak is told from it. */
const GROWTH_PER_HOUR = (SHORT ? 1_000 : 1) * MEGABYTE;
const MAX_LOG_BYTES = 8 * 1024 * 1024;
const TEST_MS = 2 * (WARM_UP_MS + SOAK_MS) + 120_000;

const PROBE = fileURLToPath(new URL("./soak-probe.mjs", import.meta.url));

/** Paths that are asked for in turn; the empty one posts a record. */
const REQUESTS = [
  "",
  "/api/data?period=semanal",
  "",
  "/api/record?limit=50",
  "/healthz",
  "/api/device",
  "/api/status",
];

/** What the service holds at one moment, each of its threads after a collection of garbage. */
interface ResourceUse {
  /** Bytes of all of the process. */
  readonly rss: number;
  /** Bytes of the serving thread's own objects and what they hold, without compiled code. */
  readonly objects: number;
  /** Open descriptors. */
  readonly descriptors: number;
  /** Bytes of the ledger's log. */
  readonly log: number;
}

/** The program under a steady load: edges of one line, and requests of one user. */
class SoakedService extends DrivenProgram {
  /** Rises of the line that were asked for. */
  rises = 0;
  /** Posts that were acknowledged. */
  posts = 0;
  #isHigh = false;
  #requests = 0;
  #probes = 0;

  static async begin({ program, environment, nodeOptions: own }: BundledProgram): Promise<SoakedService> {
    const service = await new SoakedService(await Program.make()).seed();
    const nodeOptions = [...own, "--expose-gc", "--import", PROBE];
    await service.start({ environment, nodeOptions, program });
    return service;
  }

  /** One edge: up, then down. */
  async edge(): Promise<void> {
    this.#isHigh = !this.#isHigh;
    if (this.#isHigh) this.rises += 1;
    await this.drive(this.#isHigh);
  }

  /** One request of each kind in turn. Throws when its answer is not the expected one. */
  async request(): Promise<void> {
    const turn = this.#requests % REQUESTS.length;
    this.#requests += 1;
    const path = REQUESTS[turn] ?? "";
    const answer = await (path === "" ? this.sell("101") : this.get(path));
    await answer.arrayBuffer();
    if (path === "" && answer.status === 201) this.posts += 1;
    if (!answer.ok) throw new Error(`${path || "POST /api/data"} was answered with ${answer.status}.`);
  }

  async holding(): Promise<ResourceUse> {
    this.#probes += 1;
    process.kill(this.service.pid, "SIGUSR2");
    const said = await until("the service says what it holds", () => {
      const lines = this.service.stderr.split("\n").filter((line) => line.includes('"probe"'));
      return lines.length >= this.#probes && lines.at(-1);
    });
    const { probe } = JSON.parse(said) as { probe: { rss: number; objects: number } };
    return {
      ...probe,
      descriptors: readdirSync(`/proc/${this.service.pid}/fd`).length,
      log: statSync(`${this.ledgerFile}-wal`).size,
    };
  }
}

/** One reading of a quantity over time. */
interface Sample {
  readonly timeMs: number;
  readonly value: number;
}

/** How fast a quantity grows, and how sure that is. */
interface Trend {
  /** The middle of all slopes between two readings, per hour: a few odd readings do not move it. */
  readonly perHour: number;
  /** What it is at least, with 97.5 % confidence, were the readings independent. */
  readonly atLeastPerHour: number;
}

/** Normal quantile of 97.5 %. */
const CONFIDENCE = 1.96;

/** Theil and Sen's slope with its lower confidence bound (Sen 1968), of at least 8 readings. */
function trendOf(readings: readonly Sample[]): Trend {
  const count = readings.length;
  if (count < 8) throw new Error(`${count} readings are too few to see a trend in.`);
  const slopes: number[] = [];
  readings.forEach((earlier, index) => {
    for (const later of readings.slice(index + 1)) {
      slopes.push(((later.value - earlier.value) / (later.timeMs - earlier.timeMs)) * HOUR_MS);
    }
  });
  slopes.sort((a, b) => a - b);
  const spread = CONFIDENCE * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const at = (rank: number): number =>
    slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))] ?? 0;
  return { perHour: at((slopes.length - 1) / 2), atLeastPerHour: at((slopes.length - spread) / 2 - 1) };
}

/** The lowest reading of each stretch of so many: what a process holds between two collections of its garbage. */
function floorsOf(readings: readonly Sample[], stretch: number): readonly Sample[] {
  const floors: Sample[] = [];
  for (let from = 0; from + stretch <= readings.length; from += stretch) {
    const part = readings.slice(from, from + stretch);
    floors.push(part.reduce((lowest, reading) => (reading.value < lowest.value ? reading : lowest)));
  }
  return floors;
}

interface Soak {
  readonly holdings: readonly (ResourceUse & { readonly timeMs: number })[];
  readonly objects: Trend;
  /** Of stretches: throws where there are too few. */
  readonly process: () => Trend;
}

/** Runs the load at its pace for so long, and reads what the service holds beside it. */
async function soak(service: SoakedService, warmUpMs: number, lengthMs: number): Promise<Soak> {
  const startMs = performance.now();
  const endMs = startMs + warmUpMs + lengthMs;
  const holdings: (ResourceUse & { timeMs: number })[] = [];
  const paced = async (perSecond: number, act: () => Promise<void>): Promise<void> => {
    for (let dueMs = startMs; performance.now() < endMs; ) {
      await act();
      const pace = dueMs < startMs + warmUpMs ? WARM_UP_PACE : 1;
      dueMs += SECOND_MS / (perSecond * pace);
      await setTimeout(Math.max(0, dueMs - performance.now()));
    }
  };
  const read = async (): Promise<void> => {
    await setTimeout(warmUpMs);
    for (let dueMs = performance.now(); dueMs < endMs; dueMs += READ_EVERY_MS) {
      holdings.push({ timeMs: performance.now(), ...(await service.holding()) });
      await setTimeout(Math.max(0, dueMs + READ_EVERY_MS - performance.now()));
    }
  };
  await Promise.all([
    paced(EDGES_PER_SECOND, () => service.edge()),
    paced(REQUESTS_PER_SECOND, () => service.request()),
    read(),
  ]);
  const series = (value: (holding: ResourceUse) => number): readonly Sample[] =>
    holdings.map((holding) => ({ timeMs: holding.timeMs, value: value(holding) }));
  return {
    holdings,
    objects: trendOf(series(({ objects }) => objects)),
    process: () =>
      trendOf(
        floorsOf(
          series(({ rss }) => rss),
          STRETCH,
        ),
      ),
  };
}

describe(`${SOAK_MS / SECOND_MS} seconds at ${EDGES_PER_SECOND} edges and ${REQUESTS_PER_SECOND} requests a second`, function () {
  this.timeout(TEST_MS);
  let service: SoakedService | undefined;
  let program: BundledProgram | undefined;

  afterEach(async () => {
    await service?.close();
    program?.remove();
    service = undefined;
    program = undefined;
  });

  it("end with flat memory, flat descriptors, a short log, and every sale in the ledger", async () => {
    program = await BundledProgram.make();
    service = await SoakedService.begin(program);
    const result = await soak(service, WARM_UP_MS, SOAK_MS);
    report(result, service);
    const { holdings, objects, process } = result;
    expect(objects.atLeastPerHour, "bytes an hour of the serving thread").to.be.below(GROWTH_PER_HOUR);
    expect(process().atLeastPerHour, "bytes an hour of the process").to.be.below(GROWTH_PER_HOUR);
    const descriptors = holdings.map((holding) => holding.descriptors);
    const half = Math.floor(descriptors.length / 2);
    expect(Math.min(...descriptors.slice(half)), "descriptors").to.be.at.most(
      Math.max(...descriptors.slice(0, half)),
    );
    expect(Math.max(...holdings.map(({ log }) => log)), "bytes of the log").to.be.below(MAX_LOG_BYTES);

    expect((await service.service.end("SIGTERM")).exitCode).to.equal(0);
    const rows = recordRows(service.ledgerFile);
    expect(rows.filter(({ origin }) => origin === "posted")).to.have.lengthOf(service.posts);
    expect(rows.filter(({ origin }) => origin !== "posted")).to.have.lengthOf(service.rises);
    const { damage, findings } = verifyLedger(service.ledgerFile, () => {});
    expect({ damage, findings }).to.deep.equal({ damage: [], findings: [] });
  });

  it("would show a request that leaves something behind (control)", async () => {
    const control = SHORT ? "each request leaks much" : "each request leaks";
    program = await BundledProgram.make(CONTROLS[control]);
    service = await SoakedService.begin(program);
    const { objects } = await soak(service, SHORT ? 4_000 : 20_000, CONTROL_MS);
    console.log(`    with a leak: ${Math.round(objects.atLeastPerHour / MEGABYTE)} MB an hour at least`);
    expect(objects.atLeastPerHour).to.be.above(GROWTH_PER_HOUR);
  });
});

function report({ holdings, objects, process }: Soak, service: SoakedService): void {
  const figure = ({ perHour, atLeastPerHour }: Trend): string =>
    `${(perHour / MEGABYTE).toFixed(2)} MB/h (at least ${(atLeastPerHour / MEGABYTE).toFixed(2)})`;
  const [first] = holdings;
  const last = holdings.at(-1);
  console.log(
    `    ${service.rises} sales by edges, ${service.posts} posts; serving thread ${figure(objects)}, process ${figure(process())}, ` +
      `resident ${Math.round((first?.rss ?? 0) / MEGABYTE)} to ${Math.round((last?.rss ?? 0) / MEGABYTE)} MB; ` +
      `${first?.descriptors} to ${last?.descriptors} descriptors; log at most ` +
      `${(Math.max(...holdings.map(({ log }) => log)) / 1024 / 1024).toFixed(1)} MiB`,
  );
}
