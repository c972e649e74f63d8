import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { NotifySocket } from "../platform/notify-socket.ts";
import { CONTROLS } from "../rig/controls.ts";
import type { RunningService } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { DiskTrial } from "./disk-trial.ts";
import { Variants } from "./variant.ts";

/** A sign of life comes twice in it. */
const LIMIT_MS = 1_500;
const MICROSECONDS_PER_MILLISECOND = 1_000;
const WATCHED_MS = 7_500;
/** A sign of life that meets no refused write is answered all the same: two refused ones in a row may take a while. */
const CONTROL_WATCHED_MS = 60_000;
const LOOK_MS = 20;
/** Others that write, so that the writer's answers are mostly refusals. */
const WRITERS = 10;
const BODY = { location: { name: "Norte", description: "" } };

describe("A full disk, under systemd's watchdog", () => {
  const trial = forEachTest(() => DiskTrial.make());
  const socket = forEachTest(() => new NotifySocket());
  const variants = forEachTest(() => new Variants());

  function start(program?: string): Promise<RunningService> {
    const WATCHDOG_USEC = String(LIMIT_MS * MICROSECONDS_PER_MILLISECOND);
    return trial.start({ program, environment: { NOTIFY_SOCKET: socket.path, WATCHDOG_USEC } });
  }

  /**
   * The longest time without a sign of life while everybody writes and nothing is taken, in milliseconds. Looks for
   * `watchedMs`, and no longer than to the first silence beyond the limit.
   */
  async function longestSilence(service: RunningService, watchedMs: number): Promise<number> {
    await trial.fillUp();
    const write = async () => (await service.post("/api/location", BODY, trial.cookie)).status;
    // It takes fewer pages than a sale: where none of a relay fits any more, one of these may.
    await until("not even a location fits", async () => (await write()) >= 500);
    const end = performance.now() + watchedMs;
    const statuses = new Set<number>();
    let longest = 0;
    const looking = (): boolean => performance.now() < end && longest <= LIMIT_MS;
    const writing = Array.from({ length: WRITERS }, async () => {
      while (looking()) {
        statuses.add(await write());
      }
    });
    socket.receiveAll();
    let last = performance.now();
    while (looking()) {
      const signs = socket.receiveAll().filter(({ lines }) => lines.includes("WATCHDOG=1"));
      longest = Math.max(longest, performance.now() - last);
      if (signs.length > 0) last = performance.now();
      await setTimeout(LOOK_MS);
    }
    await Promise.all(writing);
    expect(
      [...statuses].every((status) => status >= 500),
      `answers: ${[...statuses]}`,
    ).to.equal(true);
    return longest;
  }

  it("goes on giving signs of life: a restart would forget the edges that wait", async () => {
    const silenceMs = await longestSilence(await start(), WATCHED_MS);
    console.log(`    longest silence: ${Math.round(silenceMs)} ms of ${LIMIT_MS}`);
    expect(silenceMs).to.be.below(LIMIT_MS);
  });

  it("is silent, in this very test, where a refusal is no answer", async () => {
    const program = variants.program(CONTROLS["a full disk is no sign of life"]);
    const silenceMs = await longestSilence(await start(program), CONTROL_WATCHED_MS);
    console.log(`    longest silence: ${Math.round(silenceMs)} ms of ${LIMIT_MS}`);
    expect(silenceMs).to.be.above(LIMIT_MS);
  });
});
