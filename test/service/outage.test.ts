import { expect } from "chai";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../src/domain/clock.ts";
import { Gateway } from "../rig/gateway.ts";
import { forEachTest } from "../rig/standing.ts";

/** Saturday 21 November 2026, 12:00 UTC. */
const NOON_MS = Date.UTC(2026, 10, 21, 12);
/** How often a service without sales notes that it runs. */
const NOTE_MS = 10 * MINUTE_MS;

describe("An outage", () => {
  const gateway = forEachTest(() => Gateway.booted(NOON_MS, 0));

  const gaps = () => gateway.reader.gaps(gateway.user.id, { before: null, limit: 10 });

  /** The one gap, whose edges are unknown. Throws when there is another number of them. */
  function onlyGap(): { fromTimeMs: number; toTimeMs: number } {
    const [gap, ...others] = gaps();
    if (gap === undefined) throw new Error("There is no gap.");
    expect(others).to.deep.equal([]);
    expect(gap).to.include({ reason: "outage", missed: null, missedRises: null });
    return gap;
  }

  for (const [signing, where] of [
    [true, "where nothing was sold before"],
    [false, "where the file of the signs of life takes none"],
  ] as const) {
    it(`is a gap that holds all of it, and little more, also ${where}`, async () => {
      gateway.signing = signing;
      await gateway.setByNetwork();
      for (let minute = 0; minute < 25; minute += 1) {
        gateway.machine.pass(MINUTE_MS);
        await gateway.checkClock();
      }
      const cutMs = gateway.machine.trueMs;
      await gateway.reboot(DAY_MS, 0);
      const upMs = gateway.machine.trueMs;
      await gateway.setByNetwork();
      const { fromTimeMs, toTimeMs } = onlyGap();
      expect(fromTimeMs).to.be.within(cutMs - NOTE_MS, cutMs);
      expect(toTimeMs).to.be.closeTo(upMs, SECOND_MS);
    });
  }

  it("is not recorded at the first start, nor for a line that was just wired", async () => {
    await gateway.sell();
    expect(gaps()).to.deep.equal([]);
  });
});
