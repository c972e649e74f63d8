import { expect } from "chai";
import fc from "fast-check";
import { DAY_MS } from "../../../src/domain/clock.ts";
import { Report } from "../../../src/domain/report.ts";
import { aSighting } from "../../domain/sighting.ts";
import { rejection } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { ANY } from "../records-of.ts";
import { newRecord, newWiring, TestLedger } from "../test-ledger.ts";

const NOON_MS = Date.UTC(2026, 10, 21, 12);
/** Of the rooms whose sales and refunds are added up. */
const ROOM = { dId: "7234", room: "101" };

/** A record of the model, which counts until it is void. */
interface Entry {
  readonly number: number;
  readonly timeMs: number;
  readonly micros: number;
  readonly refundOf: number | null;
  readonly isByHand: boolean;
  isVoid: boolean;
}

const act = fc.oneof(
  fc.record({
    kind: fc.constant("sell" as const),
    micros: fc.integer({ min: -5, max: 9e6 }),
    days: fc.nat(40),
  }),
  fc.record({
    kind: fc.constant("add" as const),
    micros: fc.integer({ min: 1, max: 9e6 }),
    days: fc.nat(40),
  }),
  fc.record({
    kind: fc.constant("refund" as const),
    which: fc.nat(),
    micros: fc.integer({ min: 1, max: 6e6 }),
  }),
  fc.record({ kind: fc.constant("void" as const), which: fc.nat() }),
  fc.record({ kind: fc.constant("wait" as const), days: fc.integer({ min: 1, max: 9 }) }),
);

describe("Sales by hand and refunds", () => {
  const ledger = forEachTest(async () => new TestLedger().open());
  let userId = "";
  beforeEach(async () => {
    userId = (await ledger.wire()).user.id;
    await ledger.writer.noteBoot("boot", NOON_MS);
  });

  const sell = (valorMicros = 5e6, createdTimeMs = NOON_MS) =>
    ledger.writer.addRecord(userId, newRecord({ valorMicros, createdTimeMs, room: "101" }), null);
  const refund = (number: number, valorMicros: number, key: string | null = null) =>
    ledger.writer.refundRecord(
      userId,
      ledger.reader.recordOf(userId, number),
      { valorMicros, reason: "left early" },
      key === null ? null : { key, bodyHash: "b" },
    );
  const add = (valorMicros: number | null, timeMs = NOON_MS, gap: number | null = null) =>
    ledger.writer.addSale(userId, { ...ROOM, timeMs, valorMicros, reason: "power cut", gap }, null);
  const all = () =>
    ledger.reader.findRecords(userId, {
      filter: ANY,
      before: null,
      limit: 1_000,
    }).records;
  const sum = (from: number | null = null, to = from) =>
    ledger.reader.sumRecords(userId, { from, to, location: null, deviceId: null, within: null });

  it("are in every sum what adding up gives, whatever is sold, added, refunded and voided on which days", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 20, maxLength: 60 }), async (acts) => {
        const clinic = await new TestLedger().open();
        const { user } = await clinic.wire();
        const model = await enact(clinic, user.id, acts);
        try {
          await compare(clinic, user.id, model);
          await clinic.close();
          await clinic.open();
          await compare(clinic, user.id, model);
          const { findings, damage } = clinic.verify();
          expect([findings, damage]).to.deep.equal([[], []]);
        } finally {
          await clinic.remove();
        }
      }),
      { numRuns: 12 },
    );
  });

  it("refuse to give back more than is left, of a void sale, and of a refund", async () => {
    const { number } = await sell(5e6);
    await refund(number, 3e6);
    const more = await rejection(refund(number, 2_000_001));
    expect(more).to.include({ code: "conflict" });
    expect(more.message).to.include("2 is left");
    const { number: rest } = await refund(number, 2e6);
    expect(await rejection(refund(number, 1))).to.include({ code: "conflict" });
    expect(await rejection(refund(rest, 1))).to.include({ code: "conflict" });
    const other = await sell();
    await ledger.writer.voidRecord(other.recordId, "relay tested");
    expect(await rejection(refund(other.number, 1))).to.include({ code: "conflict" });
    expect(all().length).to.equal(4);
  });

  it("give back what a void refund had given back, and void a sale's refunds with it, in one commit", async () => {
    const { number, recordId } = await sell(5e6);
    const first = await refund(number, 5e6);
    await ledger.writer.voidRecord(ledger.reader.recordOf(userId, first.number), "wrong room");
    expect(sum()).to.deep.equal({ count: 1, totalMicros: 5_000_000n });
    await refund(number, 1e6);
    await refund(number, 2e6);
    expect(sum()).to.deep.equal({ count: 1, totalMicros: 2_000_000n });
    const commits = ledger.reader.commits();
    await ledger.writer.voidRecord(recordId, "no sale");
    expect(sum()).to.deep.equal({ count: 0, totalMicros: 0n });
    expect(ledger.reader.commits() - commits).to.equal(6, "three corrections, each with its audit entry");
    expect(all().map(({ voided }) => voided?.reason)).to.have.members([
      ...["no sale", "no sale", "no sale"],
      "wrong room",
    ]);
  });

  it("are entered once for each key: a repeated call gives the record that is there", async () => {
    const { number } = await sell(5e6);
    const one = await refund(number, 1e6, "key");
    expect(await refund(number, 1e6, "key")).to.deep.equal({ ...one, repeated: true });
    expect(sum().totalMicros).to.equal(4_000_000n);
  });

  it("say who entered them and why, of a refund of a refunded sale too", async () => {
    const { number } = await sell(5e6);
    const by = { way: "network", memberId: userId, from: "10.0.0.9" } as const;
    const sale = { ...ROOM, timeMs: NOON_MS, valorMicros: 2e6, reason: "power cut", gap: null };
    const added = await ledger.writer.addSale(userId, sale, null, by);
    const given = { valorMicros: 1e6, reason: "left early" };
    await ledger.writer.refundRecord(userId, ledger.reader.recordOf(userId, added.number), given, null, by);
    const acts = ledger.reader.recordActs(userId, ledger.reader.recordOf(userId, added.number));
    expect(acts).to.deep.include({ who: "ana@example.org" });
    expect(acts.record).to.include({ origin: "by_hand", reason: "power cut", refundedMicros: 1e6 });
    const [{ record, who } = acts] = acts.refunds;
    expect(who).to.equal("ana@example.org");
    expect(record).to.include({ valorMicros: -1e6, refundOf: added.number, reason: "left early" });
    expect(ledger.reader.recordActs(userId, ledger.reader.recordOf(userId, number)).who).to.equal(null);
    const kinds = ledger.reader.audit({ userId, before: null, sinceMs: null, limit: 2 });
    expect(kinds.map(({ kind, details }) => [kind, details["number"]])).to.deep.equal([
      ["record_refunded", added.number + 1],
      ["sale_added", added.number],
    ]);
  });

  it("are told as a reader finds them, without what the ledger alone keeps", async () => {
    const told = async (entered: Promise<{ readonly recordId: number }>) => {
      const { record } = ledger.reader.recordActs(userId, (await entered).recordId);
      expect(ledger.changes.findLast(({ kind }) => kind === "record")).to.deep.equal({
        ...{ kind: "record", userId, record },
      });
    };
    const { number } = await sell(5e6);
    await told(refund(number, 1e6));
    await told(add(2e6, NOON_MS));
  });

  it("have the price that the room had then: planned ones from their day, later ones not before they were set", async () => {
    const day = (days: number) => NOON_MS + days * DAY_MS;
    await ledger.writer.planPrices(userId, ["GPIO17"], { valorMicros: 6e6, paidMinutes: null }, 20_261_125);
    [ledger.nowMs, ledger.monotonicMs] = [day(10), 10 * DAY_MS];
    await ledger.writer.setPrices(userId, ["GPIO17"], { valorMicros: 8e6, paidMinutes: null });
    [ledger.nowMs, ledger.monotonicMs] = [day(20), 20 * DAY_MS];
    const prices = [-3, 1, 4, 9, 11, 20].map(async (days) => (await add(null, day(days))).valorMicros);
    expect(await Promise.all(prices)).to.deep.equal([4.5e6, 4.5e6, 6e6, 6e6, 8e6, 8e6]);
    expect(ledger.reader.priceAt(userId, ROOM, day(4))).to.equal(6e6);
    expect(ledger.reader.priceAt(userId, { ...ROOM, room: "102" }, day(4))).to.equal(null);
    const unpriced = ledger.writer.addSale(
      userId,
      { ...ROOM, room: "102", timeMs: NOON_MS, valorMicros: null, reason: "x", gap: null },
      null,
    );
    expect((await rejection(unpriced)).fields).to.have.all.keys("valor");
    expect((await rejection(add(null, day(21)))).fields).to.have.all.keys("time");
  });

  it("have the price that the room had then, also where one was set before the clock was", async () => {
    const day = (days: number) => NOON_MS + days * DAY_MS;
    await ledger.writer.planPrices(userId, ["GPIO17"], { valorMicros: 6e6, paidMinutes: null }, 20_261_125);
    [ledger.nowMs, ledger.monotonicMs] = [day(10), 10 * DAY_MS];
    await ledger.writer.noteBoot("boot", NOON_MS);
    await ledger.writer.noteBoot("later", null);
    [ledger.nowMs, ledger.monotonicMs] = [1_000, 60_000];
    await ledger.writer.setPrices(userId, ["GPIO17"], { valorMicros: 8e6, paidMinutes: null });
    await ledger.writer.noteBoot("later", day(11));
    ledger.nowMs = day(20);
    expect([1, 4, 9, 12].map((days) => ledger.reader.priceAt(userId, ROOM, day(days)))).to.deep.equal([
      4.5e6, 6e6, 6e6, 8e6,
    ]);
  });

  it("stand with a gap what was added for it, as long as it counts", async () => {
    const { id: deviceId = "" } = ledger.reader.devices(userId)[0] ?? {};
    const at = (active: boolean, sequence: number, missed = 0) =>
      aSighting(active, sequence, { line: "GPIO17", deviceId, timeMs: NOON_MS, missed });
    await ledger.writer.takeIn([at(false, 1), at(false, 6, 4)]);
    const gaps = () => ledger.reader.gaps(userId, { before: null, limit: 9 });
    expect(gaps()).to.have.length(1);
    expect(gaps()[0]).to.include({ number: 1, missedRises: 2, added: 0 });
    const { number } = await add(null, NOON_MS, 1);
    await add(null, NOON_MS, 1);
    await add(null);
    expect(gaps()[0]).to.include({ added: 2 });
    await ledger.writer.voidRecord(ledger.reader.recordOf(userId, number), "there was none");
    expect(gaps()[0]).to.include({ added: 1 });
    expect(await rejection(add(null, NOON_MS, 2))).to.include({ code: "not_found" });
  });

  it("get their time as a relay's sale does, where the clock was not set", async () => {
    await sell(5e6);
    await ledger.writer.noteBoot("later", null);
    [ledger.nowMs, ledger.monotonicMs] = [1_000, 60_000];
    await refund(1, 1e6);
    expect(all().at(-1)).to.include({ provisional: true, createdTimeMs: 1_000, refundOf: 1 });
    await ledger.writer.noteBoot("later", NOON_MS);
    await ledger.writer.settleTimes("later", NOON_MS);
    expect(all()[0]).to.include({ provisional: false, createdTimeMs: NOON_MS + 60_000, refundOf: 1 });
    expect(ledger.verify().findings).to.deep.equal([]);
  });

  it("are restored and checked with a backup", async () => {
    await sell(5e6);
    await refund(1, 2e6);
    await ledger.writer.setWiring([{ userId, wiring: newWiring({ valorMicros: 7e6 }) }]);
    await add(null, NOON_MS);
    const before = all();
    const backup = await ledger.backUp();
    expect(backup).to.include({ records: 3, totalMicros: String(5e6 - 2e6 + 7e6) });
    await ledger.close();
    ledger.restore(backup);
    await ledger.open();
    expect(all()).to.deep.equal(before);
    expect(sum()).to.deep.equal({ count: 2, totalMicros: 10_000_000n });
    expect(await rejection(refund(1, 3_000_001))).to.include({ code: "conflict" });
  });
});

type Acts = readonly (typeof act extends fc.Arbitrary<infer A> ? A : never)[];

/** Does this to the ledger, and gives what an account of it on paper would have. */
async function enact(clinic: TestLedger, userId: string, acts: Acts): Promise<readonly Entry[]> {
  await clinic.writer.noteBoot("boot", NOON_MS);
  const [{ id: deviceId } = { id: "" }] = clinic.reader.devices(userId);
  const model: Entry[] = [];
  const open = (which: number, sales: readonly Entry[]) => sales[which % Math.max(1, sales.length)];
  for (const one of acts) {
    const { writer, reader } = clinic;
    if (one.kind === "wait") {
      clinic.nowMs += one.days * DAY_MS;
      clinic.monotonicMs += one.days * DAY_MS;
      // What stands so far is rolled up: it counts from there on by another way.
      await clinic.close();
      await clinic.open();
      await clinic.writer.noteBoot("boot", NOON_MS);
    }
    const timeMs = one.kind === "wait" || !("days" in one) ? clinic.nowMs : clinic.nowMs - one.days * DAY_MS;
    if (one.kind === "sell") {
      const record = newRecord({ deviceId, valorMicros: one.micros, createdTimeMs: timeMs });
      const { number } = await writer.addRecord(userId, record, null);
      model.push({ number, timeMs, micros: one.micros, refundOf: null, isByHand: false, isVoid: false });
    }
    if (one.kind === "add") {
      const sale = { ...ROOM, timeMs, valorMicros: one.micros, reason: "power cut", gap: null };
      const { number } = await writer.addSale(userId, sale, null);
      model.push({ number, timeMs, micros: one.micros, refundOf: null, isByHand: true, isVoid: false });
    }
    const sale = "which" in one ? open(one.which, model) : undefined;
    if (sale === undefined) continue;
    const recordId = reader.recordOf(userId, sale.number);
    const refunds = model.filter(({ refundOf, isVoid }) => refundOf === sale.number && !isVoid);
    if (one.kind === "refund") {
      const left = refunds.reduce((sum, { micros }) => sum + micros, sale.micros);
      const given = writer.refundRecord(userId, recordId, { valorMicros: one.micros, reason: "x" }, null);
      if (sale.isVoid || sale.refundOf !== null || one.micros > left) {
        expect(await rejection(given)).to.include({ code: "conflict" });
        continue;
      }
      const { number } = await given;
      const entry = { number, timeMs: clinic.nowMs, refundOf: sale.number, isByHand: false, isVoid: false };
      model.push({ ...entry, micros: -one.micros });
    }
    if (one.kind === "void" && !sale.isVoid) {
      await writer.voidRecord(recordId, "x");
      for (const voided of [sale, ...refunds]) voided.isVoid = true;
    }
  }
  return model;
}

/** Holds every sum of the ledger to the model's. */
async function compare(
  { reader, nowMs }: TestLedger,
  userId: string,
  model: readonly Entry[],
): Promise<void> {
  const counting = model.filter(({ isVoid }) => !isVoid);
  const of = (some: readonly Entry[]) => ({
    count: some.filter(({ refundOf }) => refundOf === null).length,
    totalMicros: some.reduce((sum, { micros }) => sum + BigInt(micros), 0n),
  });
  const dayOf = (timeMs: number) => Number(new Date(timeMs).toISOString().slice(0, 10).replaceAll("-", ""));
  const place = { location: null, deviceId: null, within: null };
  expect(reader.sumRecords(userId, { from: null, to: null, ...place })).to.deep.equal(of(counting));
  for (const day of new Set(model.map(({ timeMs }) => dayOf(timeMs)))) {
    const there = counting.filter(({ timeMs }) => dayOf(timeMs) === day);
    expect(reader.sumRecords(userId, { from: day, to: day, ...place })).to.deep.equal(of(there));
  }
  const today = counting.filter(({ timeMs }) => dayOf(timeMs) === dayOf(nowMs));
  const [room] = reader.roomsToday(userId, nowMs);
  expect({ count: room?.count, totalMicros: room?.totalMicros }).to.deep.equal(of(today));
  const week = counting.filter(({ timeMs }) => dayOf(timeMs) > dayOf(nowMs - 7 * DAY_MS) && timeMs <= nowMs);
  const { count, totalMicros } = reader.summary(userId, "semanal", nowMs) ?? of([]);
  expect({ count, totalMicros }).to.deep.equal(of(week));
  const overview = reader.overview(userId, { period: "week", at: null, filter: place }, nowMs);
  expect({ count: overview.count, totalMicros: overview.totalMicros }).to.deep.equal(of(week));
  const report = new Report();
  for (const record of reader.findRecords(userId, { filter: ANY, before: null, limit: 1_000 }).records)
    report.add(record);
  const sales = model.filter(({ refundOf }) => refundOf === null);
  const refunds = of(counting.filter(({ refundOf }) => refundOf !== null));
  const byHand = of(counting.filter(({ isByHand }) => isByHand));
  const voided = of(sales.filter(({ isVoid }) => isVoid));
  expect(report.totals()).to.deep.equal({
    ...of(counting),
    refunds: counting.filter(({ refundOf }) => refundOf !== null).length,
    refundedMicros: -refunds.totalMicros,
    voided: voided.count,
    voidedMicros: voided.totalMicros,
    byHand: byHand.count,
    byHandMicros: byHand.totalMicros,
    provisional: 0,
  });
}
