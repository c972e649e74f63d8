import { expect } from "chai";
import { SECOND_MS, VirtualTime } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import type { LineRequest, WatchedLine } from "../../src/domain/line.ts";
import { Recorder, type RecorderDependencies } from "../../src/gpio/recorder.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { TestLedger } from "../store/ledger.ts";
import { edge, HandDriver, SILENT } from "./recorder-rig.ts";

/** A kept line has an edge. */
class KeepingDriver extends HandDriver {
  override async watch(request: LineRequest): Promise<WatchedLine> {
    const watched = await super.watch(request);
    const listen: WatchedLine["listen"] = (onEdge, onFailure) => {
      watched.listen(onEdge, onFailure);
      if (watched.resumed === true) onEdge(edge(1));
    };
    return { ...watched, listen };
  }
}

const LINE = "A";
const BOOT = "boot";

describe("A line that is not watched over several processes", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  let startMs: number;
  let userId: string;

  beforeEach(async () => {
    userId = (await ledger.wire(LINE)).user.id;
    startMs = ledger.nowMs;
  });

  function at(second: number): void {
    ledger.monotonicMs = second * SECOND_MS;
    ledger.nowMs = startMs + second * SECOND_MS;
  }

  function process(driver: HandDriver, writer: RecorderDependencies["writer"] = ledger.writer): Recorder {
    return new Recorder({
      driver,
      writer,
      reader: ledger.reader,
      log: SILENT,
      bootId: BOOT,
      clock: { nowMs: () => ledger.nowMs, monotonicNs: () => BigInt(ledger.monotonicMs) * 1_000_000n },
      timers: new VirtualTime(),
      trust: { trusted: () => true },
      lastAlive: ledger.reader.lastAlive(),
    });
  }

  /** One process: what it does of the line, then its end. */
  async function run(driver: HandDriver, act: (recorder: Recorder) => Promise<void>): Promise<void> {
    const recorder = process(driver);
    await recorder.open();
    await act(recorder);
    await ledger.writer.noteBoot(BOOT, startMs);
    await recorder.close();
  }

  function lose(driver: HandDriver): void {
    driver.held.add(LINE);
    driver.losses.get(LINE)?.(new Error("chip removed"));
  }

  function gaps(): readonly (readonly number[])[] {
    return ledger.reader
      .gaps(userId, { before: null, limit: 9 })
      .map(({ fromTimeMs, toTimeMs }) => [fromTimeMs, toTimeMs].map((ms) => (ms - startMs) / SECOND_MS));
  }

  it("has one gap, from its loss to its return, however many of them there were", async () => {
    at(10);
    await ledger.writer.noteBoot(BOOT, startMs);
    const driver = new HandDriver();
    await run(driver, async () => {
      at(100);
      lose(driver);
      at(5_000);
    });
    at(5_001);
    await run(driver, async () => at(7_000));
    at(7_001);
    await run(driver, async (recorder) => {
      at(9_000);
      driver.held.clear();
      await recorder.reconcile();
      at(9_500);
    });
    expect(gaps()).to.deep.equal([[100, 9_000]]);
    at(9_600);
    await run(driver, async () => at(9_700));
    expect(gaps(), "the next process knows that it was back").to.deep.equal([
      [9_500, 9_600],
      [100, 9_000],
    ]);
  });

  it("has its gap also where the process ends before the level of its return is stored", async () => {
    at(10);
    const driver = new HandDriver();
    await run(driver, async (recorder) => {
      at(100);
      lose(driver);
      await recorder.reconcile();
    });
    at(5_000);
    driver.held.clear();
    const { writer } = ledger;
    const refused = async () => {
      throw new FlancoError("unavailable", "The power is cut.");
    };
    const dying = process(driver, {
      noteUnwatched: (line, since) => writer.noteUnwatched(line, since),
      takeIn: refused,
    });
    await dying.open();
    await dying.close();
    expect(gaps()).to.deep.equal([]);
    at(9_000);
    await run(driver, async () => {});
    expect(gaps()).to.deep.equal([[100, 9_000]]);
  });

  it("has its gap also where a process says that it runs, and ends before it has seen the line", async () => {
    at(10);
    const driver = new HandDriver();
    await run(driver, async () => at(100));
    at(5_000);
    const dying = process(driver);
    dying.begin();
    await ledger.writer.noteBoot(BOOT, startMs);
    at(9_000);
    const next = process(driver);
    next.begin();
    await next.open();
    await next.close();
    expect(gaps()).to.deep.equal([[100, 9_000]]);
    expect(ledger.reader.unwatched()).to.have.lengthOf(0);
  });

  it("was watched, as far as the ledger is told, up to where the loop has surely read what the kernel held", async () => {
    at(10);
    const recorder = process(new HandDriver());
    await recorder.open();
    await ledger.writer.ping();
    at(11);
    recorder.committedMs();
    at(12);
    expect(recorder.committedMs()).to.equal(11_000);
    await recorder.close();
  });

  it("was watched, as far as the ledger is told, up to before an edge that waits and those that were missed before it", async () => {
    at(10);
    const { promise, resolve } = Promise.withResolvers<void>();
    const takeIn: typeof ledger.writer.takeIn = async (sightings) => {
      if (sightings.some(({ missed }) => missed > 0)) await promise;
      return ledger.writer.takeIn(sightings);
    };
    const driver = new HandDriver();
    const recorder = process(driver, { ...ledger.writer, takeIn });
    await recorder.open();
    await until("everything is committed", () => recorder.queue().waiting === 0);
    at(11);
    recorder.committedMs();
    driver.edges.get(LINE)?.({ active: true, timeNs: 19_000_000_000n, sequence: 4, missed: 3 });
    at(20);
    expect(recorder.committedMs()).to.equal(10_000);
    at(21);
    expect(recorder.committedMs()).to.equal(10_000);
    resolve();
    await until("everything is committed", () => recorder.queue().waiting === 0);
    expect(recorder.committedMs()).to.equal(21_000);
    await recorder.close();
  });

  it("has its gap also where the edges that the kernel kept are not committed when the power fails", async () => {
    at(10);
    const driver = new KeepingDriver();
    await run(driver, async () => at(100));
    at(5_000);
    driver.kept.add(LINE);
    const { promise: cut, reject: cutPower } = Promise.withResolvers<never>();
    const dying = process(driver, { ...ledger.writer, takeIn: () => cut });
    dying.begin();
    await ledger.writer.noteBoot(BOOT, startMs);
    await dying.open();
    await ledger.writer.ping();
    expect(dying.committedMs(), "what waits is not committed").to.equal(0);
    cutPower(new FlancoError("unavailable", "The power is cut."));
    await dying.close();
    driver.kept.clear();
    at(9_000);
    await run(driver, async () => {});
    expect(gaps()).to.deep.equal([[100, 9_000]]);
  });

  it("has its gap when it is unwired while it cannot be watched", async () => {
    at(10);
    const driver = new HandDriver();
    await run(driver, async (recorder) => {
      at(100);
      lose(driver);
      await recorder.reconcile();
      at(5_000);
      await ledger.writer.removeWiring(userId, LINE);
      await recorder.reconcile();
    });
    expect(gaps()).to.deep.equal([[100, 5_000]]);
    expect(ledger.reader.unwatched()).to.have.lengthOf(0);
  });
});
