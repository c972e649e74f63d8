import { expect } from "chai";
import { DAY_MS, HOUR_MS } from "../../../src/domain/clock.ts";
import type { Sighting } from "../../../src/domain/sale.ts";
import { LocalCalendar } from "../../../src/ledger/nouns/calendar.ts";
import { priceReader } from "../../../src/ledger/nouns/price.ts";
import { aSighting } from "../../domain/sighting.ts";
import { plansOf } from "../../rig/ledger-file.ts";
import { rejection } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { recordsOf } from "../records-of.ts";
import { newWiring, TestLedger } from "../test-ledger.ts";

const LINE = "GPIO17";
const ZONE = "Europe/Madrid";
/** 23:30 there on 27 March; the next night's clock goes from 2 to 3. */
const NOW_MS = Date.UTC(2027, 2, 27, 22, 30);
const NEXT_DAY = 20_270_328;
const MIDNIGHT_MS = Date.UTC(2027, 2, 27, 23);

const NS = 1_000_000n;
/** A boot whose clock is not trusted, and says 1970. */
const LATER = { bootId: "later", zeroMs: 0 };

describe("prices of a room", () => {
  const ledger = forEachTest(() => new TestLedger());
  let userId: string;
  let deviceId: string;
  let sequence: number;

  beforeEach(async () => {
    ledger.nowMs = NOW_MS;
    await ledger.open(ZONE);
    const wired = await ledger.wire(LINE);
    userId = wired.user.id;
    deviceId = wired.deviceId;
    sequence = 0;
    await sell(NOW_MS - HOUR_MS, { active: false });
    await ledger.writer.noteBoot("trusted", NOW_MS, 0);
  });

  /** Sets a price from now on. */
  const set = (valor: number) =>
    ledger.writer.setWiring([{ userId, wiring: newWiring({ valorMicros: valor * 1e6 }) }]);
  /** The clock comes to this time, and the machine has run for as long. */
  function wait(timeMs: number): void {
    ledger.monotonicMs += timeMs - ledger.nowMs;
    ledger.nowMs = timeMs;
  }

  /** The price at which a sale is recorded, by the edge's own time, in a boot that began at `zeroMs` of its clock. */
  async function sell(
    timeMs: number,
    { bootId = "trusted", zeroMs = NOW_MS, ...overrides }: Partial<Sighting & typeof LATER> = {},
  ): Promise<number | undefined> {
    for (const active of [true, false]) {
      sequence += 1;
      const moment = { source: { bootId, request: 1, sequence }, monotonicNs: BigInt(timeMs - zeroMs) * NS };
      await ledger.writer.takeIn([
        aSighting(active, sequence, { deviceId, timeMs, ...moment, ...overrides }),
      ]);
    }
    const newest = recordsOf(ledger.reader, userId).toSorted((a, b) => b.recordId - a.recordId)[0];
    return newest === undefined ? undefined : newest.valorMicros / 1e6;
  }

  const plan = (valor: number, from = NEXT_DAY) =>
    ledger.writer.planPrices(userId, [LINE], { valorMicros: valor * 1e6, paidMinutes: null }, from);
  const shown = (atMs: number) => (ledger.reader.wirings(userId, atMs)[0]?.valorMicros ?? 0) / 1e6;
  const history = () =>
    ledger.reader
      .prices(userId, { dId: "7234", room: "101" }, ledger.nowMs)
      .map(({ valorMicros, fromDay, isComing }) => [valorMicros / 1e6, fromDay, isComing]);

  it("hold from the first moment of their local day, for each sale by its own time", async () => {
    await plan(6);
    expect(await sell(MIDNIGHT_MS + 1)).to.equal(6);
    expect(await sell(MIDNIGHT_MS)).to.equal(6);
    expect(await sell(MIDNIGHT_MS - 1)).to.equal(4.5);
    expect([shown(MIDNIGHT_MS - 1), shown(MIDNIGHT_MS)]).to.deep.equal([4.5, 6]);
  });

  it("give way to the next one, and to one that is set to hold at once", async () => {
    await plan(6);
    await plan(7, NEXT_DAY + 1);
    expect(await sell(MIDNIGHT_MS + DAY_MS)).to.equal(7);
    wait(MIDNIGHT_MS + HOUR_MS);
    await set(5);
    expect(await sell(MIDNIGHT_MS + 2 * HOUR_MS)).to.equal(5);
    expect(await sell(MIDNIGHT_MS + DAY_MS)).to.equal(7);
    expect(history()).to.deep.equal([
      [5, null, false],
      [7, NEXT_DAY + 1, true],
      [6, NEXT_DAY, false],
      [4.5, null, false],
    ]);
  });

  it("hold on their day after any number of others that held at once before it", async () => {
    await plan(6);
    for (let count = 0; count < 110; count += 1) {
      await ledger.writer.setWiring([
        { userId, wiring: newWiring({ valorMicros: 1_000_000 + (count % 2) * 10_000 }) },
      ]);
    }
    expect(await sell(NOW_MS + 1)).to.equal(1.01);
    expect(await sell(MIDNIGHT_MS)).to.equal(6);
    ledger.nowMs = MIDNIGHT_MS;
    await plan(7, NEXT_DAY + 1);
    expect(await sell(MIDNIGHT_MS + 1)).to.equal(6);
    expect(history()).to.have.length(100);
  });

  it("hold while the clock is not trusted once their day was seen, and do not come by a clock that is wrong", async () => {
    await plan(6);
    const wrong = { provisional: true, ...LATER };
    expect(await sell(MIDNIGHT_MS + 400 * DAY_MS, wrong)).to.equal(4.5);
    await ledger.writer.noteBoot("earlier", MIDNIGHT_MS, HOUR_MS);
    expect(await sell(0, wrong)).to.equal(6);
  });

  it("give way to one that is set while the clock is not trusted, whatever it says", async () => {
    await plan(6);
    await ledger.writer.noteBoot("earlier", MIDNIGHT_MS, HOUR_MS);
    await ledger.writer.noteBoot("later", null, 0);
    ledger.nowMs = 0;
    await set(5);
    expect(await sell(1, { provisional: true, ...LATER })).to.equal(5);
    expect(shown(MIDNIGHT_MS + DAY_MS)).to.equal(5);
  });

  it("give way to one that is set at once also while the clock goes back, on the page as in sales", async () => {
    await plan(6);
    wait(MIDNIGHT_MS + 11 * HOUR_MS);
    await set(5);
    // The clock is an hour back, and the machine runs on.
    ledger.nowMs -= HOUR_MS;
    const zeroMs = NOW_MS - HOUR_MS;
    expect(await sell(ledger.nowMs + 1, { zeroMs })).to.equal(5);
    expect(shown(ledger.nowMs)).to.equal(5);
    await plan(7, NEXT_DAY + 1);
    expect(await sell(MIDNIGHT_MS + DAY_MS, { zeroMs })).to.equal(7);
  });

  it("give way, while the clock is not trusted, also to the price that the line had before them", async () => {
    await plan(6);
    await ledger.writer.noteBoot("earlier", MIDNIGHT_MS, HOUR_MS);
    await ledger.writer.noteBoot("later", null, 0);
    ledger.nowMs = 0;
    const wrong = { provisional: true, ...LATER };
    expect([await sell(0, wrong), shown(0)]).to.deep.equal([6, 6]);
    await ledger.writer.setWiring([{ userId, wiring: newWiring({ valorMicros: 4_500_000 }) }]);
    expect([await sell(1, wrong), shown(0)]).to.deep.equal([4.5, 4.5]);
  });

  it("give way to one of a day to come that is set at once, while a wrong clock has passed that day", async () => {
    await plan(6);
    await plan(7, NEXT_DAY + 1);
    await ledger.writer.noteBoot("earlier", MIDNIGHT_MS, HOUR_MS);
    await ledger.writer.noteBoot("later", null, 0);
    ledger.nowMs = MIDNIGHT_MS + 400 * DAY_MS;
    expect(shown(ledger.nowMs)).to.equal(6);
    await ledger.writer.setWiring([{ userId, wiring: newWiring({ valorMicros: 7_000_000 }) }]);
    const wrong = { provisional: true, bootId: "later", zeroMs: ledger.nowMs - 1 };
    expect([await sell(ledger.nowMs, wrong), shown(ledger.nowMs)]).to.deep.equal([7, 7]);
  });

  it("stay as they are, by the clock of a sale, where a line is wired without a price", async () => {
    await plan(6);
    await ledger.writer.noteBoot("earlier", MIDNIGHT_MS, HOUR_MS);
    await ledger.writer.noteBoot("later", null, 0);
    ledger.nowMs = 0;
    await ledger.writer.setWiring([{ userId, wiring: newWiring({ valorMicros: null, debounceMs: 7 }) }]);
    expect(ledger.reader.wirings(userId)[0]?.debounceMs).to.equal(7);
    expect(await sell(0, { provisional: true })).to.equal(6);
  });

  it("are taken back before their day, and only then", async () => {
    await plan(6);
    await ledger.writer.cancelPrices(userId, NEXT_DAY, 6e6);
    expect(await sell(MIDNIGHT_MS)).to.equal(4.5);
    await plan(6);
    ledger.nowMs = MIDNIGHT_MS;
    const late = [ledger.writer.cancelPrices(userId, NEXT_DAY, 6e6), plan(7)];
    expect((await Promise.all(late.map(rejection))).map(({ code }) => code)).to.deep.equal([
      "not_found",
      "invalid",
    ]);
  });

  it("are read without those of other rooms, of which a large clinic has tens of thousands", () => {
    const plans = plansOf(ledger.file, "price", (db) =>
      priceReader(db, new LocalCalendar("UTC")).prices(userId, { dId: "7234", room: "101" }, ledger.nowMs),
    );
    expect(plans).to.have.length(1);
    expect(plans[0]).to.match(/^SEARCH price USING .*\(device_id=\? AND actuator_id=\?\)$/);
  });

  it("are planned once for a day, by an entry of the chain, for rooms of the account alone", async () => {
    await plan(6);
    await plan(6.5);
    expect(history()).to.deep.equal([
      [6.5, NEXT_DAY, true],
      [4.5, null, false],
    ]);
    expect(ledger.reader.prices(userId, null, ledger.nowMs)).to.have.length(1);
    const [entry] = ledger.reader.audit({ userId, before: null, sinceMs: null, limit: 1 });
    expect(entry?.kind).to.equal("price_planned");
    expect(entry?.details).to.deep.equal({
      line: LINE,
      dId: "7234",
      room: "101",
      valor: 6.5,
      from: "2027-03-28",
    });
    const other = await ledger.addUser("eva");
    const refused = [
      ledger.writer.planPrices(other.id, [LINE], { valorMicros: 1, paidMinutes: null }, NEXT_DAY),
      ledger.writer.cancelPrices(other.id, NEXT_DAY, 6.5e6),
    ];
    expect((await Promise.all(refused.map(rejection))).map(({ code }) => code)).to.deep.equal([
      "not_found",
      "not_found",
    ]);
    for (let day = 1; day < 20; day += 1) await plan(day, NEXT_DAY + 100 + day);
    expect((await rejection(plan(1, NEXT_DAY + 200))).code).to.equal("conflict");
  });
});
