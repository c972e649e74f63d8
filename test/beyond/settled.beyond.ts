import { expect } from "chai";
import { clinics, pageAccess } from "../../src/company/company.ts";
import { type CompanySales, companySales } from "../../src/company/sales.ts";
import type { SettlementContent } from "../../src/contract/settlement.ts";
import { contentOf } from "../../src/contract/settlement-text.ts";
import { microsFromValor } from "../../src/domain/amount.ts";
import { DAY_MS, HOUR_MS } from "../../src/domain/clock.ts";
import { type Month, monthAfter, monthOf, parseMonth } from "../../src/domain/day.ts";
import type { FoundRecord, StoredRecord } from "../../src/domain/record.ts";
import { walkRecords } from "../../src/http/record.ts";
import { closeWithSettlement, nextMonth } from "../../src/http/settlement.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { append } from "../../src/notify/central-sink.ts";
import type { Connection } from "../../src/notify/database.ts";
import { aSighting } from "../domain/sighting.ts";
import { ANY, recordsOf } from "../ledger/records-of.ts";
import { newRecord, TestLedger } from "../ledger/test-ledger.ts";
import { CompanyDatabase } from "./postgres.ts";

const BEGIN_MS = Date.UTC(2026, 7, 20);
const STEPS = 260;
const MONTHS: readonly Month[] = [202607, 202608, 202609, 202610, 202611];
const ZONES = { norte: "Europe/Madrid", sur: "Europe/Madrid", islas: "Atlantic/Canary" };
const EURO = { code: "EUR", decimals: 2 };

/** Numbers that are the same in every run. */
function chances(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The life of one gateway's ledger over a hundred days: sales, refunds, voids, sales by hand, late ones, closed months. */
class Gateway {
  readonly ledger = new TestLedger();
  readonly calendar: LocalCalendar;
  readonly #chance: (below: number) => number;
  userId = "";
  #deviceId = "";
  #boot = 0;
  #sequence = 0;

  constructor(zone: string, seed: number) {
    this.calendar = new LocalCalendar(zone);
    this.#chance = chances(seed);
  }

  get records(): readonly StoredRecord[] {
    return recordsOf(this.ledger.reader, this.userId);
  }

  async open(): Promise<void> {
    await this.ledger.open(this.calendar.timeZone);
    this.ledger.nowMs = BEGIN_MS;
    const { user, deviceId } = await this.ledger.wire();
    this.userId = user.id;
    this.#deviceId = deviceId;
    await this.#begin();
  }

  async live(): Promise<void> {
    for (let step = 0; step < STEPS; step += 1) {
      this.ledger.nowMs += this.#chance(18) * HOUR_MS + this.#chance(1_000);
      await this.#act(this.#chance(20));
    }
  }

  async #act(what: number): Promise<void> {
    const { writer, nowMs } = this.ledger;
    const { userId } = this;
    const records = this.records.filter(({ voided, refundOf }) => voided === null && refundOf === null);
    const one = records[this.#chance(Math.max(1, records.length))];
    const valorMicros = this.#chance(40_000_000) + 1;
    if (what === 0 && one !== undefined) await writer.voidRecord(one.recordId, "error");
    else if (what <= 2 && one !== undefined && one.valorMicros > one.refundedMicros) {
      const left = one.valorMicros - one.refundedMicros;
      const refund = { valorMicros: 1 + this.#chance(left), reason: "se quejó" };
      await writer.refundRecord(userId, one.recordId, refund, null);
    } else if (what === 3) {
      const timeMs = nowMs - this.#chance(40 * DAY_MS);
      const sale = { dId: "7234", room: "102", timeMs, valorMicros, reason: "hueco", gap: null };
      await writer.addSale(userId, sale, null);
    } else if (what === 4) await this.#sellByRelay();
    else if (what === 5) await this.#learnTime();
    else if (what <= 7) await this.#close();
    else {
      const late = what === 8 ? this.#chance(60 * DAY_MS) : 0;
      const locationName = ["Norte", "Sur", "Clínica"][this.#chance(3)] ?? "";
      const room = String(101 + this.#chance(4));
      const record = newRecord({ locationName, room, valorMicros, createdTimeMs: nowMs - late });
      await writer.addRecord(userId, record, null);
    }
  }

  async #begin(): Promise<void> {
    this.#boot += 1;
    await this.ledger.writer.noteBoot(`boot ${this.#boot}`, null);
  }

  /** A sale whose time is not known yet: at the beginning of 1970, or just now by a clock that is not trusted. */
  async #sellByRelay(): Promise<void> {
    const timeMs = this.#chance(2) === 0 ? this.#sequence : this.ledger.nowMs;
    for (const active of [true, false]) {
      this.#sequence += 1;
      await this.ledger.writer.takeIn([
        aSighting(active, this.#sequence, {
          deviceId: this.#deviceId,
          timeMs,
          provisional: true,
          monotonicNs: BigInt(this.#sequence) * 1_000_000n,
          source: { bootId: `boot ${this.#boot}`, request: 1, sequence: this.#sequence },
        }),
      ]);
    }
  }

  /** The sales of a boot get their time, which may be in a closed month; or never, where the boot ends first. */
  async #learnTime(): Promise<void> {
    const zeroMs = this.ledger.nowMs - this.#chance(50 * DAY_MS);
    if (this.#chance(3) > 0) await this.ledger.writer.settleTimes(`boot ${this.#boot}`, zeroMs);
    await this.#begin();
  }

  async #close(): Promise<void> {
    const { reader, writer } = this.ledger;
    const clock = { nowMs: () => this.ledger.nowMs, monotonicNs: () => 0n };
    const dependencies = { reader, writer, clock, trust: { trusted: () => true }, currency: EURO };
    const month = nextMonth(dependencies, this.userId);
    if (this.calendar.dayOf(this.ledger.nowMs) <= month * 100 + 31) return;
    await closeWithSettlement(dependencies, this.userId, month, new Map());
  }

  async send(connection: Connection): Promise<void> {
    for (let after = 0; ; ) {
      const entries = this.ledger.reader.entriesAfter(after, Number.MAX_SAFE_INTEGER, 1 + this.#chance(60));
      const last = entries.at(-1);
      if (last === undefined) return;
      const batch = { ledger: this.calendar.timeZone, after, entries, newest: last.position };
      expect((await append(connection, batch, this.ledger.nowMs)).outcome).to.equal("taken");
      after = last.position;
    }
  }

  /** The settlement of a month; undefined while it is open. */
  settled(month: Month): { readonly hash: string; readonly content: SettlementContent } | undefined {
    const { reader } = this.ledger;
    const isClosed = reader.settlements(this.userId, MONTHS.length).some((one) => one.month === month);
    if (!isClosed) return undefined;
    const found = reader.settlement(this.userId, month);
    return { hash: found.hash, content: contentOf(found) };
  }

  /** What counts in a month today. */
  now(month: Month): { readonly sales: number; readonly micros: number } {
    const counted = this.records.filter(
      ({ voided, createdTimeMs }) => voided === null && monthOf(this.calendar.dayOf(createdTimeMs)) === month,
    );
    return {
      sales: counted.filter(({ refundOf }) => refundOf === null).length,
      micros: counted.reduce((sum, { valorMicros }) => sum + valorMicros, 0),
    };
  }
}

describe("what the clinics have settled", () => {
  const database = new CompanyDatabase(["fsync=off"]);
  const gateways = Object.entries(ZONES).map(
    ([name, zone], index) => [name, new Gateway(zone, 41 + index)] as const,
  );
  let company: CompanySales;
  const monthOfAll = async (month: Month) =>
    company.settlements((await clinics(database.admin, await database.company())).clinics, month);

  before(async () => {
    await database.start();
    for (const [name, gateway] of gateways) {
      await gateway.open();
      await gateway.live();
      const access = await database.addGateway(name, gateway.calendar.timeZone);
      await gateway.send(await database.connectAs(access));
    }
    // With no more rights than the company's page has.
    const page = await database.connectAs(
      await pageAccess(database.admin, await database.company(), "flanco_page"),
    );
    company = companySales({ use: (run) => run(page) }, await database.company());
  });

  after(async () => {
    for (const [, gateway] of gateways) await gateway.ledger.remove();
    await database.stop();
  });

  it("is what each gateway's ledger has settled, and differs from no sum of the company's", async () => {
    let closed = 0;
    for (const month of MONTHS) {
      const { clinics } = await monthOfAll(month);
      expect(clinics.map(({ name }) => name)).to.deep.equal(Object.keys(ZONES).toSorted());
      for (const [name, gateway] of gateways) {
        const row = clinics.find((clinic) => clinic.name === name);
        const { sales, micros } = gateway.now(month);
        expect(row?.now, `${name} ${month}`).to.deep.equal({ sales, revenue: micros / 1e6 });
        const settled = gateway.settled(month);
        if (settled === undefined) {
          expect(row?.settlement).to.equal(null);
          continue;
        }
        closed += 1;
        const { id, hash, figures, differs, isReplaced } = row?.settlement ?? {};
        expect({ hash, isReplaced, differs }).to.deep.equal({
          ...{ hash: settled.hash, isReplaced: false },
          differs: { sales: 0, revenue: 0 },
        });
        expect(figures?.totals).to.deep.equal(settled.content.totals);
        const document = await company.settlement(id ?? 0);
        expect(document.content).to.deep.equal(settled.content);
        expect([document.hash, document.number]).to.deep.equal([hash, figures?.number]);
      }
    }
    expect(closed).to.be.greaterThan(6);
  });

  it("is with its corrections, and the open months, all that the company has", async () => {
    for (const [name, gateway] of gateways) {
      const settlements = MONTHS.flatMap((month) => gateway.settled(month) ?? []);
      const corrected = settlements.flatMap(({ content }) => content.corrections);
      expect(corrected.length, "something came late").to.be.greaterThan(3);
      const last = settlements.at(-1)?.content;
      const mark = last?.mark.position ?? 0;
      // What has changed in closed months since the last mark stands in the settlement that comes.
      const next = monthAfter(parseMonth(last?.month ?? "") ?? 0);
      const details = { time: 0, currency: EURO, counted: new Map<string, number>() };
      const draft = contentOf(gateway.ledger.reader.draftSettlement(gateway.userId, next, details));
      const settled =
        settlements.reduce((sum, { content: { totals } }) => sum + microsFromValor(totals.due.net), 0) +
        microsFromValor(draft.totals.corrected.net);
      const first = settlements[0]?.content.first ?? 0;
      const until = last?.until ?? 0;
      const inClosed = gateway.records.filter(
        ({ voided, createdTimeMs }) => voided === null && createdTimeMs >= first && createdTimeMs < until,
      );
      expect(settled, `${name} after ${mark}`).to.equal(
        inClosed.reduce((sum, { valorMicros }) => sum + valorMicros, 0),
      );
    }
  });

  it("has the sums and records of all gateways together", async () => {
    const all = gateways.flatMap(([, gateway]) => gateway.records);
    const found: FoundRecord[] = [];
    for await (const records of walkRecords(company, "", ANY)) found.push(...records);
    const inOrder = (records: readonly StoredRecord[]) =>
      records
        .map(
          ({ number, createdTimeMs, valorMicros, voided, refundOf, reason, refundedMicros, origin, ...of }) =>
            JSON.stringify([
              ...[number, createdTimeMs, valorMicros, refundOf, reason, refundedMicros, origin],
              ...[of.locationName, of.room, of.provisional, voided?.timeMs, voided?.reason],
            ]),
        )
        .toSorted();
    expect(inOrder(found)).to.deep.equal(inOrder(all));
    expect(found.filter(({ refundedMicros }) => refundedMicros > 0)).to.have.length.greaterThan(20);
    const days = { from: null, to: null, location: null, deviceId: null, within: null };
    for (const location of [null, "Norte", "Sur", "Clínica"]) {
      const counted = all.filter(
        ({ voided, locationName }) => voided === null && (location ?? locationName) === locationName,
      );
      expect(await company.sumRecords("", { ...days, location })).to.deep.equal({
        count: counted.filter(({ refundOf }) => refundOf === null).length,
        totalMicros: BigInt(counted.reduce((sum, { valorMicros }) => sum + valorMicros, 0)),
      });
    }
  });
});
