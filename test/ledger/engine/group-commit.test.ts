import { expect } from "chai";
import fc from "fast-check";
import { SeededRandom } from "../../../scripts/powercut/random.ts";
import { GroupCommit } from "../../../src/ledger/engine/writer.ts";

const RUN_MS = 1_000;
/** What a post takes the main thread before and after its commit, and the writer thread; measured on two x86-64 cores. */
const POST_MS = 0.035;
const ANSWER_MS = 0.012;
const WRITE_MS = 0.014;
/** A sync takes up to a fifth more or less than another. */
const SPREAD = 0.2;
/** A client's own time between an answer and its next post. */
const PAUSE_MS = 0.2;

/** One batch is on its way, and all that wait at the end of a turn follow it. */
class NoGathering extends GroupCommit {
  override leavesAtOnce(): boolean {
    return false;
  }

  override mayLeave(_waiting: number, batches: number): boolean {
    return batches === 0;
  }

  override waitMs(): number {
    return 0;
  }
}

interface Scene {
  /** Clients that post again once they are answered. */
  readonly clients: number;
  /** Posts a second of clients that do not. */
  readonly others?: number;
  readonly syncMs: number;
  /** How many times as long as here a processor takes; 1 unless given. */
  readonly slowness?: number;
  readonly seed: number;
}

interface WaitingPost {
  readonly sinceMs: number;
  readonly again: boolean;
}

/** Posts a second of the closed loops, and the latencies of all posts, in virtual time: the writer's rules with this gathering. */
class Simulation {
  readonly #gathering: GroupCommit;
  readonly #scene: Scene;
  readonly #slowness: number;
  readonly #random: SeededRandom;
  readonly #events: { readonly atMs: number; readonly run: () => void }[] = [];
  #nowMs = 0;
  /** What has come for the main thread's next turn. */
  #tasks: (() => void)[] = [];
  #inTurn = false;
  /** How long the main thread has worked, in all. */
  #busyMs = 0;
  #waiting: WaitingPost[] = [];
  /** Writes that were sent, by batches. */
  #sent: number[] = [];
  #writerFreeMs = 0;
  #held = 0;
  #answered = 0;
  readonly #latenciesMs: number[] = [];

  constructor(gathering: new (busyMs: () => number) => GroupCommit, scene: Scene) {
    this.#gathering = new gathering(() => this.#busyMs);
    this.#scene = scene;
    this.#slowness = scene.slowness ?? 1;
    this.#random = new SeededRandom(scene.seed);
  }

  run(): { readonly perSecond: number; readonly p99Ms: number } {
    const { clients, others = 0, syncMs } = this.#scene;
    for (let client = 0; client < clients; client += 1) this.#postAt(this.#between(0, 2 * syncMs), true);
    for (let atMs = 0; others > 0 && atMs < RUN_MS; ) {
      atMs += this.#between(0, 2_000 / others);
      this.#postAt(atMs, false);
    }
    while (this.#nowMs < RUN_MS) {
      const next = this.#events.shift();
      if (next === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
    }
    const latenciesMs = this.#latenciesMs.toSorted((a, b) => a - b);
    return {
      perSecond: (this.#answered / RUN_MS) * 1_000,
      p99Ms: latenciesMs[Math.floor(latenciesMs.length * 0.99)] ?? 0,
    };
  }

  #between(from: number, to: number): number {
    return from + (to - from) * this.#random.next();
  }

  #at(atMs: number, run: () => void): void {
    const after = this.#events.findLastIndex((event) => event.atMs <= atMs);
    this.#events.splice(after + 1, 0, { atMs, run });
  }

  /** A turn of the main thread does all that has come before it began, and then lets a batch leave. */
  #onMain(task: () => void): void {
    this.#tasks.push(task);
    if (this.#inTurn) return;
    this.#inTurn = true;
    this.#at(this.#nowMs, () => this.#turn());
  }

  #turn(): void {
    const tasks = this.#tasks;
    this.#tasks = [];
    for (const task of tasks) task();
    this.#flush();
    this.#at(this.#nowMs, () => {
      this.#inTurn = false;
      if (this.#tasks.length > 0) this.#onMain(() => {});
    });
  }

  /** The main thread works. */
  #work(ms: number): void {
    this.#nowMs += ms * this.#slowness;
    this.#busyMs += ms * this.#slowness;
  }

  #postAt(sinceMs: number, again: boolean): void {
    this.#at(sinceMs, () =>
      this.#onMain(() => {
        this.#work(POST_MS);
        this.#waiting.push({ sinceMs, again });
        if (this.#gathering.leavesAtOnce(this.#waiting.length)) this.#flush();
      }),
    );
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    if (!this.#gathering.mayLeave(this.#waiting.length, this.#sent.length)) return;
    const waitMs = this.#gathering.waitMs(this.#waiting.length, this.#nowMs);
    this.#held += 1;
    const held = this.#held;
    if (waitMs === 0) this.#leave();
    else this.#at(this.#nowMs + waitMs, () => this.#onMain(() => held === this.#held && this.#leave()));
  }

  #leave(): void {
    this.#held += 1;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#sent.push(batch.length);
    const syncMs = this.#scene.syncMs * this.#between(1 - SPREAD, 1 + SPREAD);
    const writesMs = batch.length * WRITE_MS * this.#slowness;
    this.#writerFreeMs = Math.max(this.#nowMs, this.#writerFreeMs) + writesMs + syncMs;
    this.#at(this.#writerFreeMs, () => this.#onMain(() => this.#settle(batch, syncMs)));
  }

  #settle(batch: readonly WaitingPost[], syncMs: number): void {
    this.#sent.shift();
    const others = this.#sent.reduce((sum, writes) => sum + writes, this.#waiting.length);
    this.#gathering.answered(batch.length, others, syncMs, this.#nowMs);
    this.#flush();
    for (const { sinceMs, again } of batch) {
      this.#work(ANSWER_MS);
      this.#latenciesMs.push(this.#nowMs - sinceMs);
      if (!again) continue;
      this.#answered += 1;
      this.#postAt(this.#nowMs + this.#between(0.5, 1.5) * PAUSE_MS, true);
    }
  }
}

function compare(scene: Omit<Scene, "seed">) {
  const runs = [1, 2, 3].map((seed) => ({
    without: new Simulation(NoGathering, { ...scene, seed }).run(),
    with: new Simulation(GroupCommit, { ...scene, seed }).run(),
  }));
  const sum = (of: (run: (typeof runs)[number]) => number): number =>
    runs.reduce((total, run) => total + of(run), 0);
  return {
    gain: sum((run) => run.with.perSecond) / sum((run) => run.without.perSecond),
    perSecond: sum((run) => run.with.perSecond) / runs.length,
    laterMs: sum((run) => run.with.p99Ms - run.without.p99Ms) / runs.length,
  };
}

describe("a batch that waits for those that were just answered, in a simulation", () => {
  for (const { clients, syncMs, gain } of [
    { clients: 2, syncMs: 1.2, gain: 1.5 },
    { clients: 2, syncMs: 5, gain: 1.8 },
    { clients: 8, syncMs: 1.2, gain: 1.3 },
    { clients: 8, syncMs: 5, gain: 1.7 },
    { clients: 64, syncMs: 5, gain: 1.15 },
    { clients: 8, syncMs: 20, gain: 1.8 },
    { clients: 64, syncMs: 20, gain: 1.6 },
    { clients: 64, syncMs: 100, gain: 1.6 },
  ]) {
    it(`brings ${clients} clients ${gain} times as many posts where a sync takes ${syncMs} ms`, () => {
      expect(compare({ clients, syncMs }).gain).to.be.at.least(gain);
    });
  }

  for (const slowness of [1, 5]) {
    it(`costs no number of clients a fiftieth at any disk, on a processor that takes ${slowness} times as long`, () => {
      const costly = [2, 8, 32, 64, 128].flatMap((clients) =>
        [0.3, 1.1, 1.5, 2, 3, 5, 10].flatMap((syncMs) => {
          const { gain } = compare({ clients, syncMs, slowness });
          return gain < 0.98 ? [{ clients, syncMs, gain }] : [];
        }),
      );
      expect(costly).to.deep.equal([]);
    });
  }

  it("keeps almost every client of a slow disk in one group: nine tenths of what one sync for all would give", () => {
    const clients = 8;
    const roundMs = 5 + clients * (POST_MS + ANSWER_MS + WRITE_MS) + PAUSE_MS;
    expect(compare({ clients, syncMs: 5 }).perSecond).to.be.at.least(0.9 * ((clients / roundMs) * 1_000));
  });

  for (const [name, scene] of [
    ["a client that is alone", { clients: 1, syncMs: 5 }],
    ["clients of a fast disk", { clients: 8, syncMs: 0.5 }],
  ] as const) {
    it(`changes nothing for ${name}`, () => {
      expect(compare(scene)).to.include({ gain: 1, laterMs: 0 });
    });
  }

  for (const others of [20, 300]) {
    it(`delays clients that do not post again by half a sync at most, ${others} of them a second`, () => {
      const longestMs = 5 * (1 + SPREAD);
      expect(compare({ clients: 0, others, syncMs: 5 }).laterMs).to.be.at.most(longestMs / 2);
    });
  }
});

describe("a batch that waits for those that were just answered", () => {
  for (const [what, { answered, came, syncMs, waiting, writeMs = 0.1 }, waitMs] of [
    ["half of the group is back", { answered: 8, came: 0, syncMs: 5, waiting: 4 }, 2.5],
    ["the group is back", { answered: 8, came: 0, syncMs: 5, waiting: 8 }, 0],
    ["only those are there that came meanwhile", { answered: 4, came: 4, syncMs: 5, waiting: 4 }, 2.5],
    ["a client is alone", { answered: 1, came: 0, syncMs: 5, waiting: 1 }, 0],
    ["the disk is fast", { answered: 8, came: 0, syncMs: 0.9, waiting: 1 }, 0],
    ["the main thread takes longer", { answered: 8, came: 8, syncMs: 5, waiting: 8, writeMs: 0.4 }, 0],
    ["the disk is very slow", { answered: 8, came: 0, syncMs: 100, waiting: 1 }, 25],
  ] as const) {
    it(`waits ${waitMs} ms where ${what}`, () => {
      let busyMs = 0;
      const gathering = new GroupCommit(() => busyMs);
      busyMs = answered * writeMs;
      gathering.answered(answered, came, syncMs, 0);
      expect(gathering.waitMs(waiting, 0)).to.equal(waitMs);
    });
  }

  it("waits by what syncs and writes have taken lately, not by one of them", () => {
    const gathering = new GroupCommit(() => 0);
    for (let sync = 0; sync < 20; sync += 1) gathering.answered(8, 0, 0.5, 0);
    gathering.answered(8, 0, 2.5, 0);
    expect(gathering.waitMs(1, 0), "one slow sync").to.equal(0);
    gathering.answered(8, 0, 2.5, 0);
    expect(gathering.waitMs(1, 0), "two").to.be.within(0.5, 0.7);
  });

  it("waits half of a sync's time at most, and never over 25 ms", () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(5_000), fc.nat(10_000), (writes, waiting, syncMs) => {
        const gathering = new GroupCommit(() => 0);
        gathering.answered(writes, waiting, syncMs, 0);
        expect(gathering.waitMs(waiting, 0)).to.be.within(0, Math.min(25, syncMs / 2));
        expect(gathering.waitMs(writes + waiting, 0)).to.equal(0);
        expect(gathering.waitMs(waiting, Math.min(25, syncMs / 2))).to.equal(0);
      }),
    );
  });
});
