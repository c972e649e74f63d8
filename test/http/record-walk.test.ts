import { expect } from "chai";
import type { RecordFilter } from "../../src/domain/record.ts";
import { walkRecords } from "../../src/http/record.ts";
import { settleTimes } from "../../src/service/clock-watch.ts";
import { aSighting } from "../domain/sighting.ts";
import { ANY, recordsOf } from "../ledger/records-of.ts";
import { newRecord, TestLedger } from "../ledger/test-ledger.ts";
import { forEachTest } from "../rig/standing.ts";

const BOOT = "boot-1";
/** More than one piece of a walk. */
const COUNT = 150;
const NOON_MS = Date.UTC(2026, 10, 21, 12);

describe("A walk over the records", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  const wired = forEachTest(() => ledger.wire());

  beforeEach(() => ledger.writer.noteBoot(BOOT, null));

  /** Sales that were made while the clock said so and was not trusted. */
  async function sellWithoutClock(wallMs: number): Promise<void> {
    const sightings = Array.from({ length: COUNT * 2 }, (_, index) =>
      aSighting(index % 2 === 0, index + 1, {
        deviceId: wired.deviceId,
        timeMs: wallMs + index,
        monotonicNs: BigInt(index) * 1_000_000n,
        provisional: true,
        source: { bootId: BOOT, request: 1, sequence: index + 1 },
      }),
    );
    await ledger.writer.takeIn(sightings);
  }

  async function post(count: number, timeMs: number): Promise<void> {
    const records = Array.from({ length: count }, (_, index) => newRecord({ createdTimeMs: timeMs + index }));
    await Promise.all(records.map((record) => ledger.writer.addRecord(wired.user.id, record, null)));
  }

  /** The numbers of all that is given out, while something else happens after the first piece. */
  async function walk(filter: RecordFilter, meanwhile: () => Promise<void>): Promise<number[]> {
    const found: number[] = [];
    let isFirst = true;
    for await (const records of walkRecords(ledger.reader, wired.user.id, filter)) {
      found.push(...records.map(({ recordId }) => recordId));
      if (isFirst) await meanwhile();
      isFirst = false;
    }
    return found;
  }

  function all(): number[] {
    return recordsOf(ledger.reader, wired.user.id).map(({ recordId }) => recordId);
  }

  for (const [where, wallMs, zeroMs] of [
    ["from before the place that it has reached to behind it", NOON_MS - 1e9, NOON_MS],
    ["from behind the place that it has reached to before it", NOON_MS, NOON_MS - 1e9],
    ["from before it to before it", NOON_MS - 2e9, NOON_MS - 1e9],
    ["where they stand", NOON_MS, NOON_MS + 1e9],
  ] as const) {
    it(`gives each record once when some are moved meanwhile ${where}`, async () => {
      await sellWithoutClock(wallMs);
      await post(COUNT, NOON_MS - 5e8);
      const before = all();
      const found = await walk(ANY, async () => {
        expect(await settleTimes(ledger.writer, BOOT, zeroMs)).to.equal(COUNT);
      });
      expect(found).to.have.members(before);
      expect(found).to.have.lengthOf(before.length);
    });
  }

  it("gives of what is moved meanwhile only what fits where it stands", async () => {
    await sellWithoutClock(NOON_MS - 1e9);
    await post(COUNT, NOON_MS - 5e8);
    const filter = { ...ANY, to: 20261120 };
    const found = await walk(filter, async () => {
      await settleTimes(ledger.writer, BOOT, NOON_MS);
    });
    expect(found).to.have.lengthOf(COUNT);
  });

  it("leaves out what is sold meanwhile, wherever that stands", async () => {
    await post(COUNT, NOON_MS);
    const before = all();
    const found = await walk(ANY, async () => {
      await post(5, NOON_MS + 1e6);
      await post(5, NOON_MS - 1e6);
    });
    expect(found).to.have.members(before);
    expect(found).to.have.lengthOf(COUNT);
  });
});
