import { expect } from "chai";
import fc from "fast-check";
import type { SettlementContent } from "../../../src/contract/settlement.ts";
import { contentOf } from "../../../src/contract/settlement-text.ts";
import { microsFromValor } from "../../../src/domain/amount.ts";
import { DAY_MS, SECOND_MS } from "../../../src/domain/clock.ts";
import { formatMonth, type Month, monthAfter, monthOf } from "../../../src/domain/day.ts";
import type { Terms } from "../../../src/domain/terms.ts";
import { LocalCalendar } from "../../../src/ledger/nouns/calendar.ts";
import { aSighting } from "../../domain/sighting.ts";
import { rejection } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { ANY, recordsOf } from "../records-of.ts";
import { newRecord, TestLedger } from "../test-ledger.ts";

const ZONE = "Europe/Madrid";
const DETAILS = { time: 0, currency: { code: "EUR", decimals: 2 }, counted: new Map<string, number>() };
const BEGIN_MS = Date.UTC(2026, 0, 1);
const TERMS: Terms = {
  from: "2026-01",
  kind: "share",
  share: 25,
  amount: 0,
  vat: 21,
  companySigner: "Ana",
  clinicSigner: "Luis",
  closesItself: false,
};

/** Millionths of an amount of a content. */
function micros(valor: number): bigint {
  return BigInt(microsFromValor(valor));
}

/** One thing that happens in a ledger's life, with a number that chooses what it happens to. */
const EVENT = fc.record({
  what: fc.constantFrom(
    "post",
    "post",
    "post",
    "edge",
    "void",
    "settle",
    "refund",
    "byHand",
    "close",
    "rename",
  ),
  pick: fc.nat(1_000_000),
});

describe("Settlements of closed months", () => {
  const ledger = forEachTest(() => new TestLedger().open(ZONE));
  const calendar = new LocalCalendar(ZONE);

  function draft(userId: string, month: Month): SettlementContent {
    return contentOf(ledger.reader.draftSettlement(userId, month, DETAILS));
  }

  /** A closed month's settlement, made from the records once more. */
  function remade(userId: string, month: Month): SettlementContent {
    return contentOf(ledger.reader.draftSettlement(userId, month, null));
  }

  async function close(userId: string, month: Month): Promise<SettlementContent> {
    const content = draft(userId, month);
    const { previous } = content;
    await ledger.writer.closeMonth(userId, { month, previous, text: JSON.stringify(content) });
    return content;
  }

  it("agree with the ledger to the millionth, by month, location and room, whatever comes late, and are the same when they are made anew", async () => {
    // One of them that fails is made smaller by further runs.
    await fc.assert(
      fc.asyncProperty(
        fc.array(EVENT, { minLength: 30, maxLength: 60 }),
        fc.integer({ min: 0, max: 4 }),
        async (events, firstMonth) => {
          await using life = await new Life().begin();
          for (const event of events) await life.live(event, 2026_01 + firstMonth);
          life.compare();
        },
      ),
      { numRuns: 4 },
    );
  });

  /** A life of a ledger of its own, half a year long. */
  class Life {
    readonly ledger = new TestLedger();
    readonly closed: SettlementContent[] = [];
    userId = "";
    #deviceId = "";
    #boot = 0;
    #sequence = 0;
    /** Which of the two locations has or had a name. */
    readonly #places = new Map<string, string>();
    #locations: string[] = [];

    async begin(): Promise<this> {
      await this.ledger.open(ZONE);
      const { user, deviceId } = await this.ledger.wire();
      this.userId = user.id;
      this.#deviceId = deviceId;
      for (const name of ["Norte", "Sur"]) {
        const id = await this.ledger.writer.addLocation(user.id, { name, description: "" });
        this.#locations.push(id);
        this.#places.set(name, id);
        const minimum = { kind: "minimum", amount: 20 } as const;
        await this.ledger.writer.setTerms(user.id, id, { ...TERMS, ...(name === "Sur" && minimum) });
      }
      await this.#newBoot();
      return this;
    }

    async [Symbol.asyncDispose](): Promise<void> {
      await this.ledger.remove();
    }

    async #newBoot(): Promise<void> {
      this.#boot += 1;
      await this.ledger.writer.noteBoot(`boot ${this.#boot}`, null);
    }

    async live({ what, pick }: { what: string; pick: number }, first: Month): Promise<void> {
      const { writer, reader } = this.ledger;
      const records = recordsOf(reader, this.userId);
      const one = records[pick % Math.max(1, records.length)];
      const timeMs = BEGIN_MS + ((pick * 7_919) % (180 * DAY_MS));
      const locationName = reader.locations(this.userId)[pick % 2]?.name ?? "Norte";
      const sale = newRecord({
        locationName,
        room: String(100 + (pick % 3)),
        valorMicros: pick * 1_003,
        createdTimeMs: timeMs,
      });
      switch (what) {
        case "post":
          await writer.addRecord(this.userId, sale, null);
          return;
        case "edge":
          // Without a trusted clock: in 1970.
          for (const active of [true, false]) {
            this.#sequence += 1;
            const source = { bootId: `boot ${this.#boot}`, request: 1, sequence: this.#sequence };
            const at = { deviceId: this.#deviceId, source, provisional: true };
            await writer.takeIn([aSighting(active, this.#sequence, at)]);
          }
          return;
        case "settle":
          await writer.noteBoot(`boot ${this.#boot}`, timeMs);
          await writer.settleTimes(`boot ${this.#boot}`, timeMs);
          await this.#newBoot();
          return;
        case "void":
          if (one !== undefined && one.voided === null) await writer.voidRecord(one.recordId, "error");
          return;
        case "byHand": {
          this.ledger.nowMs = timeMs;
          const room = { dId: "7234", room: "101", valorMicros: pick, gap: null };
          await writer.addSale(this.userId, { ...room, timeMs, reason: "lost" }, null);
          return;
        }
        case "refund": {
          // Of the moment in which it happens: any day of the half year.
          this.ledger.nowMs = timeMs;
          if (one === undefined || one.origin === "refund" || one.voided !== null) return;
          const valorMicros = Math.floor(one.valorMicros / 3);
          const refund = { valorMicros, reason: "left early" };
          if (valorMicros > 0)
            await writer.refundRecord(this.userId, one.recordId, refund, null).catch(() => {});
          return;
        }
        case "rename": {
          const id = this.#locations[pick % 2] ?? "";
          const name = `Lugar ${this.#places.size}`;
          this.#places.set(name, id);
          if (pick % 5 === 0) await writer.changeLocation(this.userId, id, { name });
          return;
        }
        case "close": {
          const last = this.closed.at(-1);
          const month = last === undefined ? first : monthAfter(Number(last.month.replace("-", "")));
          const content = this.#draft(month);
          // What comes between the settlement and its entry is the next one's.
          if (pick % 2 === 0) await writer.addRecord(this.userId, sale, null);
          const { previous } = content;
          await writer.closeMonth(this.userId, { month, previous, text: JSON.stringify(content) });
          this.closed.push(content);
          return;
        }
      }
    }

    #placeOf(name: string): string {
      return this.#places.get(name) ?? name;
    }

    #draft(month: Month): SettlementContent {
      return contentOf(this.ledger.reader.draftSettlement(this.userId, month, DETAILS));
    }

    compare(): void {
      const last = this.closed.at(-1);
      if (last === undefined) return;
      for (const content of this.closed) {
        const { gaps: _gaps, moreGaps: _more, ...made } = content;
        const month = Number(content.month.replace("-", ""));
        const anew = contentOf(this.ledger.reader.draftSettlement(this.userId, month, null));
        expect(anew).to.deep.include(made);
        this.#split(content);
      }
      // All of the ledger that lies in the closed months, with what the open one would correct of them.
      const open = this.#draft(monthAfter(Number(last.month.replace("-", ""))));
      const all = [...this.closed, open];
      const records = recordsOf(this.ledger.reader, this.userId).filter(
        ({ createdTimeMs, voided }) =>
          voided === null && createdTimeMs >= last.first && createdTimeMs < open.until,
      );
      const ledgerSums = sumBy(records, ({ deviceId, room }) => `${deviceId} ${room}`);
      const settled = new Map<string, bigint>();
      for (const { rooms } of all)
        for (const { deviceId, room, net, corrected } of rooms) {
          const key = `${deviceId} ${room}`;
          settled.set(key, (settled.get(key) ?? 0n) + micros(net) + micros(corrected));
        }
      expect(nonZero(settled)).to.deep.equal(nonZero(ledgerSums));

      const months = sumBy(records, ({ createdTimeMs }) =>
        formatMonth(monthOf(calendar.dayOf(createdTimeMs))),
      );
      const counts = new Map<string, number>();
      const ofMonths = new Map<string, bigint>();
      const places = new Map<string, bigint>();
      const add = (map: Map<string, bigint>, key: string, amount: bigint) =>
        map.set(key, (map.get(key) ?? 0n) + amount);
      for (const { month, totals, correctedMonths, locations } of all) {
        add(ofMonths, month, micros(totals.own.net));
        counts.set(month, (counts.get(month) ?? 0) + totals.sales);
        for (const one of correctedMonths) {
          add(ofMonths, one.month, micros(one.net));
          counts.set(one.month, (counts.get(one.month) ?? 0) + one.sales);
        }
        for (const { name, due } of locations) add(places, this.#placeOf(name), micros(due.net));
      }
      expect(nonZero(ofMonths)).to.deep.equal(nonZero(months));
      const sales = records.filter(({ origin }) => origin !== "refund");
      for (const [month, count] of counts) {
        expect(count, month).to.equal(
          sales.filter(({ createdTimeMs }) => formatMonth(monthOf(calendar.dayOf(createdTimeMs))) === month)
            .length,
        );
      }
      const byPlace = sumBy(records, ({ locationName }) => this.#placeOf(locationName));
      expect(nonZero(places)).to.deep.equal(nonZero(byPlace));
    }

    /** Each amount is its parts, exactly. */
    #split({ totals, locations, correctedMonths, numbers }: SettlementContent): void {
      for (const { net, base, vat, clinic, company } of [
        ...[totals, ...locations].flatMap(({ own, corrected, due }) => [own, corrected, due]),
        ...correctedMonths,
      ]) {
        expect(micros(base) + micros(vat)).to.equal(micros(net));
        expect(micros(clinic) + micros(company)).to.equal(micros(net));
      }
      if (numbers !== null) expect(numbers.missing).to.equal(0);
    }
  }

  function sumBy<T extends { readonly valorMicros: number }>(
    records: readonly T[],
    keyOf: (one: T) => string,
  ) {
    const sums = new Map<string, bigint>();
    for (const record of records) {
      const key = keyOf(record);
      sums.set(key, (sums.get(key) ?? 0n) + BigInt(record.valorMicros));
    }
    return sums;
  }

  function nonZero(sums: ReadonlyMap<string, bigint>): Record<string, bigint> {
    return Object.fromEntries([...sums].filter(([, sum]) => sum !== 0n).sort());
  }

  it("are made in the order of the months, and a month is closed once, by whoever closes it first", async () => {
    const { id } = await ledger.addUser();
    await ledger.writer.addRecord(id, newRecord({ createdTimeMs: BEGIN_MS + DAY_MS }), null);
    const content = draft(id, 2026_01);
    await close(id, 2026_01);
    const again = ledger.writer.closeMonth(id, { month: 2026_01, previous: content.previous, text: "{}" });
    expect((await rejection(again)).code).to.equal("conflict");
    expect(() => draft(id, 2026_01)).to.throw("2026-01 is closed already");
    expect(() => remade(id, 2026_02)).to.throw("2026-02 is not closed");
    expect(() => draft(id, 2026_03)).to.throw("the next one is 2026-02");
    expect(() => draft(id, 2025_12)).to.throw("the next one is 2026-02");
    await close(id, 2026_02);
    expect(ledger.reader.settlements(id, 10).map(({ month }) => month)).to.deep.equal([2026_02, 2026_01]);
    expect(ledger.verify().findings).to.deep.equal([]);
  });

  it("name each record that was added to a closed month, voided or moved since, by what it changes", async () => {
    const { user, deviceId } = await ledger.wire();
    const at = (day: number, more = {}) => newRecord({ createdTimeMs: Date.UTC(2026, 0, day, 12), ...more });
    await ledger.writer.addRecord(user.id, at(1), null);
    const { recordId } = await ledger.writer.addRecord(user.id, at(2, { valorMicros: 2_000_000 }), null);
    await ledger.writer.noteBoot("boot", null);
    await ledger.writer.takeIn([aSighting(true, 1, { deviceId, provisional: true })]);
    await close(user.id, 2026_01);
    await ledger.writer.addRecord(user.id, at(3, { valorMicros: 4_000_000 }), null);
    await ledger.writer.voidRecord(recordId, "error");
    await ledger.writer.noteBoot("boot", Date.UTC(2026, 0, 4));
    await ledger.writer.settleTimes("boot", Date.UTC(2026, 0, 4));
    const { corrections, correctedMonths } = await close(user.id, 2026_02);
    expect(corrections.map(({ number, valor, why, month }) => ({ number, valor, why, month }))).to.deep.equal(
      [
        { number: 2, valor: -2, why: "voided", month: "2026-01" },
        { number: 4, valor: 4, why: "late", month: "2026-01" },
        { number: 3, valor: 4.5, why: "moved", month: "2026-01" },
      ],
    );
    expect(correctedMonths.map(({ net, sales }) => ({ net, sales }))).to.deep.equal([{ net: 6.5, sales: 1 }]);
    expect(draft(user.id, 2026_03).corrections).to.deep.equal([]);
  });

  it("settle a correction by the terms of its month, and a minimum is not paid twice", async () => {
    const { id } = await ledger.addUser();
    const location = await ledger.writer.addLocation(id, { name: "Clínica", description: "" });
    const terms = { ...TERMS, kind: "minimum", amount: 30 } as const;
    await ledger.writer.setTerms(id, location, terms);
    const sell = (month: number, euros: number) =>
      ledger.writer.addRecord(
        id,
        newRecord({ valorMicros: euros * 1e6, createdTimeMs: Date.UTC(2026, month, 10) }),
        null,
      );
    await sell(0, 100);
    const january = await close(id, 2026_01);
    expect(january.totals.due).to.deep.equal({ net: 100, base: 82.64, vat: 17.36, clinic: 30, company: 70 });
    await ledger.writer.setTerms(id, location, { ...TERMS, from: "2026-02", share: 50 });
    await sell(0, 10);
    await sell(1, 200);
    const february = await close(id, 2026_02);
    expect(february.totals.own.clinic).to.equal(100);
    expect(february.totals.corrected).to.deep.include({ net: 10, clinic: 0, company: 10 });
    // 130 at 25 % are more than the minimum.
    await sell(0, 20);
    const [corrected] = draft(id, 2026_03).correctedMonths;
    expect(corrected).to.deep.include({ month: "2026-01", net: 20, clinic: 2.5 });
    const late = ledger.writer.setTerms(id, location, { ...TERMS, from: "2026-02" });
    expect((await rejection(late)).message).to.include("2026-02 is closed");
  });

  it("have a location's records under the name that it has, with its terms, after it was renamed or removed", async () => {
    const { id } = await ledger.addUser();
    const location = await ledger.writer.addLocation(id, { name: "Norte", description: "" });
    await ledger.writer.setTerms(id, location, {
      ...TERMS,
      kind: "canon",
      share: 0,
      amount: 50,
    });
    const sale = (name: string) => newRecord({ locationName: name, createdTimeMs: BEGIN_MS + DAY_MS });
    await ledger.writer.addRecord(id, sale("Norte"), null);
    await ledger.writer.changeLocation(id, location, { name: "Clínica Norte" });
    await ledger.writer.addRecord(id, sale("Clínica Norte"), null);
    const january = await close(id, 2026_01);
    expect(january.locations.map(({ name, sales, own }) => [name, sales, own.clinic])).to.deep.equal([
      ["Clínica Norte", 2, 50],
    ]);
    // A canon is due without a sale too.
    expect(draft(id, 2026_02).totals.due).to.deep.include({ net: 0, clinic: 50, company: -50 });
    await ledger.writer.changeLocation(id, location, { name: "Otra" });
    expect(remade(id, 2026_01).locations).to.deep.equal(january.locations);
    await ledger.writer.removeLocation(id, location);
    expect(draft(id, 2026_02).locations).to.deep.equal([]);
    await ledger.writer.addRecord(
      id,
      newRecord({ locationName: "Otra", createdTimeMs: Date.UTC(2026, 1, 3) }),
      null,
    );
    expect(draft(id, 2026_02).totals.due).to.deep.include({ net: 1, clinic: 50 });
  });

  it("settle a correction by the terms of its month also where the location got its only name of that record since", async () => {
    const { id } = await ledger.addUser();
    const location = await ledger.writer.addLocation(id, { name: "Norte", description: "" });
    await ledger.writer.setTerms(id, location, TERMS);
    const sell = (locationName: string) =>
      ledger.writer.addRecord(
        id,
        newRecord({ locationName, valorMicros: 8e6, createdTimeMs: BEGIN_MS + DAY_MS }),
        null,
      );
    await sell("Norte");
    await close(id, 2026_01);
    await ledger.writer.changeLocation(id, location, { name: "Hospital Norte" });
    await sell("Hospital Norte");
    const { locations } = await close(id, 2026_02);
    expect(locations.map(({ name, corrected }) => [name, corrected.clinic])).to.deep.equal([
      ["Hospital Norte", 2],
    ]);
    await ledger.writer.changeLocation(id, location, { name: "Otra" });
    expect(remade(id, 2026_02).locations).to.deep.equal(locations);
  });

  it("leave a location its terms when another one that had its name is renamed", async () => {
    const { id } = await ledger.addUser();
    const location = await ledger.writer.addLocation(id, { name: "Norte", description: "" });
    const twin = await ledger.writer.addLocation(id, { name: "Norte", description: "" });
    await ledger.writer.setTerms(id, location, TERMS);
    await ledger.writer.changeLocation(id, twin, { name: "Sur" });
    const sale = newRecord({ locationName: "Norte", valorMicros: 8e6, createdTimeMs: BEGIN_MS + DAY_MS });
    await ledger.writer.addRecord(id, sale, null);
    expect(draft(id, 2026_01).totals.due).to.deep.include({ net: 8, clinic: 2 });
    expect(ledger.reader.terms(id).map((terms) => terms.location)).to.deep.equal(["Norte"]);
  });

  it("keep their months when the zone of the ledger is changed", async () => {
    const { id } = await ledger.addUser();
    // The last hour of January in Madrid, and the first of February in Athens.
    const timeMs = Date.UTC(2026, 0, 31, 22, 30);
    await ledger.writer.addRecord(id, newRecord({ createdTimeMs: timeMs }), null);
    const january = await close(id, 2026_01);
    expect(january.totals.sales).to.equal(1);
    await ledger.close();
    await ledger.open("Europe/Athens");
    expect(remade(id, 2026_01).totals.sales).to.equal(1);
    expect(draft(id, 2026_02).totals).to.deep.include({ sales: 0 });
    expect(draft(id, 2026_02).from).to.equal(january.until);
  });

  it("settle what comes late near midnight by the month in which the zone of its closing had it", async () => {
    const { id } = await ledger.addUser();
    const location = await ledger.writer.addLocation(id, { name: "Clínica", description: "" });
    await ledger.writer.setTerms(id, location, TERMS);
    await close(id, 2026_01);
    await ledger.close();
    await ledger.open("Europe/Athens");
    const timeMs = Date.UTC(2026, 0, 31, 22, 30);
    await ledger.writer.addRecord(id, newRecord({ valorMicros: 8e6, createdTimeMs: timeMs }), null);
    const { correctedMonths, totals } = draft(id, 2026_02);
    expect(correctedMonths.map(({ month, net }) => [month, net])).to.deep.equal([["2026-01", 8]]);
    expect(totals.due).to.deep.include({ net: 8, clinic: 2 });
  });

  it("tell of the month's gaps, and of numbers of other months between its own", async () => {
    const { user, deviceId } = await ledger.wire();
    const sell = (month: number) =>
      ledger.writer.addRecord(user.id, newRecord({ createdTimeMs: Date.UTC(2026, month, 5) }), null);
    for (const month of [0, 1, 0, 0]) await sell(month);
    const timeMs = Date.UTC(2026, 0, 8);
    const at = (active: boolean, sequence: number, missed = 0) =>
      aSighting(active, sequence, { deviceId, missed, timeMs: timeMs + sequence * SECOND_MS });
    await ledger.writer.takeIn([at(false, 1), at(false, 5, 2)]);
    const { gaps, numbers } = draft(user.id, 2026_01);
    expect(numbers).to.deep.equal({ first: 1, last: 4, others: 1, missing: 0 });
    expect(gaps).to.deep.equal([
      {
        line: "GPIO17",
        location: "Clínica",
        room: "101",
        fromTime: timeMs + SECOND_MS,
        toTime: timeMs + 5 * SECOND_MS,
        missed: 2,
        missedRises: 1,
        reason: "overflow",
      },
    ]);
    expect(
      ledger.reader.findRecords(user.id, { filter: ANY, before: null, limit: 1 }).records,
    ).to.have.length(1);
  });
});
