import { expect } from "chai";
import { SECOND_MS, VirtualTime } from "../../src/domain/clock.ts";
import { Recorder } from "../../src/gpio/recorder.ts";
import { TestLedger } from "../ledger/test-ledger.ts";
import { forEachTest } from "../rig/standing.ts";
import { HandDriver, SILENT } from "./recorder-rig.ts";

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

  /** One process: what it does of the line, then its end. */
  async function run(driver: HandDriver, act: (recorder: Recorder) => unknown): Promise<void> {
    const recorder = new Recorder({
      driver,
      writer: ledger.writer,
      reader: ledger.reader,
      log: SILENT,
      bootId: BOOT,
      clock: { nowMs: () => ledger.nowMs, monotonicNs: () => BigInt(ledger.monotonicMs) * 1_000_000n },
      timers: new VirtualTime(),
      trust: { trusted: () => true },
    });
    recorder.begin();
    await recorder.open();
    await act(recorder);
    await ledger.writer.noteBoot(BOOT, startMs);
    await recorder.close();
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
    await run(driver, () => {
      at(100);
      driver.held.add(LINE);
      driver.losses.get(LINE)?.(new Error("chip removed"));
      at(5_000);
    });
    at(5_001);
    await run(driver, () => at(7_000));
    at(7_001);
    await run(driver, async (recorder) => {
      at(9_000);
      driver.held.clear();
      await recorder.reconcile();
      at(9_500);
    });
    expect(gaps()).to.deep.equal([[100, 9_000]]);
    at(9_600);
    await run(driver, () => at(9_700));
    expect(gaps(), "the next process knows that it was back").to.deep.equal([
      [9_500, 9_600],
      [100, 9_000],
    ]);
  });
});
