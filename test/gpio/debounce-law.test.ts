import { expect } from "chai";
import fc from "fast-check";
import { VirtualTime } from "../../src/domain/clock.ts";
import type { Edge } from "../../src/domain/line.ts";
import { ChardevDriver } from "../../src/gpio/chardev.ts";
import { FakeKeeper, FakeKernel } from "./fake-kernel.ts";
import { lineRequest } from "./rigs.ts";

const DEBOUNCE_MS = 10;
const REQUEST = 7;
const MILLISECOND_NS = 1_000_000n;
const MICROSECOND_NS = 1_000n;
const RUNS = 60;

type Change = Pick<Edge, "active" | "timeNs">;

/** What changes come to: those that hold, and differ from what held before. */
function switchings(changes: readonly Change[]): readonly Change[] {
  let held = false;
  return changes.filter(({ active, timeNs }, index) => {
    const next = changes[index + 1];
    const holds = next === undefined || next.timeNs - timeNs >= BigInt(DEBOUNCE_MS) * MILLISECOND_NS;
    if (!holds || active === held) return false;
    held = active;
    return true;
  });
}

const anyStep = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ changeAfterUs: fc.nat(3_000), isMerged: fc.nat(7).map((n) => n === 0) }),
  },
  { weight: 6, arbitrary: fc.record({ passMs: fc.nat(3 * DEBOUNCE_MS) }) },
  { weight: 2, arbitrary: fc.record({ stallMs: fc.nat(4 * DEBOUNCE_MS), isTimerFirst: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ awayMs: fc.nat(3 * DEBOUNCE_MS), commits: fc.nat(4) }) },
);

/** One line, the processes that watch it one after another, and their ledger. */
class World {
  readonly time = new VirtualTime();
  readonly changes: Change[] = [];
  readonly ledger: Edge[] = [];
  readonly #kernel = new FakeKernel(["GPIO0"]);
  readonly #keeper = new FakeKeeper(this.#kernel);
  /** What the process that runs has told, and not committed. */
  #told: Edge[] = [];
  #driver: ChardevDriver | undefined;

  async start(): Promise<void> {
    const told: Edge[] = [];
    this.#told = told;
    const timers = {
      // A timer of a process that was killed never runs.
      after: (ms: number, run: () => void) =>
        this.time.after(ms, () => {
          if (told === this.#told) run();
        }),
    };
    const [kernel, keeper] = [this.#kernel, this.#keeper];
    this.#driver = new ChardevDriver({ clock: this.time, timers, loadKernel: async () => kernel, keeper });
    await this.#driver.open();
    const last = this.ledger.at(-1);
    const isFirst = keeper.names.length === 0;
    const seen = isFirst ? null : { request: REQUEST, sequence: last?.sequence ?? 0 };
    const keep = { request: REQUEST, seen };
    const lastHigh = last?.active ?? false;
    const line = await this.#driver.watch(lineRequest("GPIO0", { debounceMs: DEBOUNCE_MS, keep, lastHigh }));
    expect(line.resumed).to.equal(!isFirst);
    line.listen(
      (edge) => told.push(edge),
      (error) => expect.fail(error.message),
    );
  }

  change(afterUs: number, isMerged: boolean): void {
    const nowNs = this.time.monotonicNs();
    const lastNs = this.changes.at(-1)?.timeNs ?? nowNs;
    const timeNs = (lastNs > nowNs ? lastNs : nowNs) + BigInt(afterUs) * MICROSECOND_NS;
    this.time.stall(Math.ceil(Number(timeNs - nowNs) / Number(MILLISECOND_NS)));
    const active = this.#kernel.line(0).level === isMerged;
    this.changes.push({ active, timeNs });
    this.#kernel.occur(0, active, this.changes.length, timeNs);
  }

  read(): void {
    this.#kernel.wake(0);
  }

  commit(count = Number.POSITIVE_INFINITY): void {
    this.ledger.push(...this.#told.splice(0, count));
  }

  async killFor(ms: number): Promise<void> {
    this.#kernel.kill(this.#keeper.descriptors);
    this.time.stall(ms);
    await this.start();
  }

  async end(): Promise<void> {
    this.read();
    this.time.advance(2 * DEBOUNCE_MS);
    this.commit();
    await this.#driver?.close();
  }
}

describe("The switchings of a line that bounces", () => {
  it("are those of its stamps, whenever processes stall and are killed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 60 }), async (steps) => {
        const world = new World();
        await world.start();
        for (const step of steps) {
          if ("changeAfterUs" in step) world.change(step.changeAfterUs, step.isMerged);
          else if ("passMs" in step) {
            world.read();
            world.time.advance(step.passMs);
          } else if ("stallMs" in step) {
            world.time.stall(step.stallMs);
            if (step.isTimerFirst) world.time.advance(0);
            world.read();
          } else {
            world.commit(step.commits);
            await world.killFor(step.awayMs);
          }
        }
        await world.end();
        expect(world.ledger.map(({ active, timeNs }) => ({ active, timeNs }))).to.deep.equal(
          switchings(world.changes),
        );
      }),
      { numRuns: RUNS },
    );
  });
});
