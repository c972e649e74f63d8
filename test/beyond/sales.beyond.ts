import { expect } from "chai";
import { decideFork, initialise, pageAccess } from "../../src/company/company.ts";
import { type CompanySales, companySales } from "../../src/company/sales.ts";
import { DAY_MS, HOUR_MS } from "../../src/domain/clock.ts";
import type { OverviewPeriod } from "../../src/domain/overview.ts";
import {
  type FoundRecord,
  type FoundRecords,
  RECORD_STATES,
  type RecordFilter,
  type RecordPosition,
} from "../../src/domain/record.ts";
import type { SalesReads } from "../../src/domain/sales.ts";
import { walkRecords } from "../../src/http/record.ts";
import { append } from "../../src/notify/central-sink.ts";
import type { Connection } from "../../src/notify/database.ts";
import { settleTimes } from "../../src/service/clock-watch.ts";
import { aSighting } from "../domain/sighting.ts";
import { ANY } from "../ledger/records-of.ts";
import { newRecord, TestLedger } from "../ledger/test-ledger.ts";
import { TestChain } from "./chain.ts";
import { CompanyDatabase } from "./postgres.ts";

/** On the day on which the clocks go forward. */
const NOW_MS = Date.UTC(2026, 2, 29, 10, 20, 30);
/** A day of the period before the one that runs. */
const DAY_BEFORE = { day: 20260328, week: 20260322, month: 20260228, year: 20251231 };
const ZONE = "Europe/Madrid";
/** As `TestChain` has it. */
const WHY = 'un "motivo", según él';
/** When the boot began whose clock was not set. */
const ZERO_MS = NOW_MS - 30 * DAY_MS;
const PLACES = ["Ángel", "B", `C "1"'; DROP SCHEMA flanco --`];
const ROOMS = ["101", "Ático [1]*", "a\\b%_(x)", "ÁTICO"];
const ANYWHERE = { location: null, deviceId: null, within: null };
const ALL = { ...ANYWHERE, from: null, to: null };
const PERIODS: readonly OverviewPeriod[] = ["day", "week", "month", "year"];
const GATEWAYS = 3;
const SALES = 250;

/** The same sales in one gateway's ledger, and of several gateways in the company's database. */
describe("what was sold", () => {
  const database = new CompanyDatabase(["fsync=off"]);
  const ledger = new TestLedger();
  let userId = "";
  let central: CompanySales;
  const gateways: { readonly chain: TestChain; readonly connection: Connection }[] = [];

  async function addClinic(name: string, zone?: string) {
    const connection = await database.connectAs(await database.addGateway(name, zone));
    const clinic = { chain: new TestChain(), connection };
    gateways.push(clinic);
    return clinic;
  }

  async function send({ chain, connection }: (typeof gateways)[number], after = 0): Promise<string> {
    return (await append(connection, chain.batch(after), NOW_MS)).outcome;
  }

  before(async () => {
    await database.start();
    await ledger.open(ZONE);
    ledger.nowMs = 0;
    const company = await database.company();
    // With no more rights than the company's page has.
    const page = await database.connectAs(await pageAccess(database.admin, company, "flanco_page"));
    central = companySales({ use: (run) => run(page) }, company);
    const { user, deviceId } = await ledger.wire();
    userId = user.id;
    for (let gateway = 0; gateway < GATEWAYS; gateway += 1) {
      const clinic = await addClinic(`clinic-${gateway}`);
      for (let sale = 0; sale < SALES; sale += 1) await sell(clinic.chain, sale, gateway);
      expect(await send(clinic)).to.equal("taken");
    }
    // A backup of the first gateway goes on; what both ledgers have sold counts.
    const [first, second] = gateways;
    if (first === undefined || second === undefined) throw new Error("there are no gateways");
    const restored = { ...first, chain: first.chain.restoredAt(100) };
    gateways[0] = restored;
    for (let sale = 0; sale < 20; sale += 1) await sell(restored.chain, SALES + sale, 0);
    expect(await send(restored, 100)).to.equal("fork");
    await decideFork(database.admin, company, "clinic-0", "accept");
    expect(await send(restored, 100)).to.equal("taken");
    // Sales before the clock was set: those of the first boot then get their time, one of them is void.
    for (const [boot, count] of [
      ["boot-1", 20],
      ["boot-2", 10],
    ] as const) {
      await ledger.writer.noteBoot(boot, null);
      for (let sale = 0; sale < count; sale += 1) await sellByRelay(second.chain, deviceId, boot, sale);
    }
    await settleTimes(ledger.writer, "boot-1", ZERO_MS);
    for (const [sale, position] of byRelay.slice(0, 20).entries()) {
      second.chain.move(position, ZERO_MS + sale * 7 * HOUR_MS);
    }
    expect(await send(second, SALES)).to.equal("taken");
  });

  /** The entries of such sales in the chain. */
  const byRelay: number[] = [];

  async function sellByRelay(
    chain: TestChain,
    deviceId: string,
    bootId: string,
    sale: number,
  ): Promise<void> {
    const timeMs = ZERO_MS - 900 * DAY_MS + byRelay.length;
    const level = (active: boolean, sequence: number) =>
      aSighting(active, sequence, {
        deviceId,
        timeMs,
        provisional: true,
        monotonicNs: BigInt(sale * 7 * HOUR_MS) * 1_000_000n,
        source: { bootId, request: 1, sequence },
      });
    const [taken] = await ledger.writer.takeIn([level(true, 2 * sale + 1), level(false, 2 * sale + 2)]);
    const record = { locationName: "Clínica", deviceName: "Pasillo A", deviceId, valorMicros: 4_500_000 };
    const position = chain.sell({ ...record, createdTimeMs: timeMs, provisional: 1 });
    byRelay.push(position);
    if (sale !== 3) return;
    await ledger.writer.voidRecord(taken?.recordId ?? 0, WHY);
    chain.void(position);
  }

  /** Sells the same in both stores; some sales are void. */
  async function sell(chain: TestChain, sale: number, gateway: number): Promise<void> {
    const record = newRecord({
      locationName: PLACES[(sale + gateway) % PLACES.length] ?? "",
      deviceId: ["1", "2", "10"][sale % 3] ?? "",
      deviceName: `Pasillo ${sale % 3}`,
      room: ROOMS[sale % ROOMS.length] ?? "",
      valorMicros: ((sale * 7919 + gateway) % 9_000_000) - 1_000_000,
      // Four a day, into two years, some in the hours when the clocks change, each at a moment of its own.
      createdTimeMs:
        NOW_MS - Math.floor((sale * sale) / 90) * DAY_MS - (sale % 24) * HOUR_MS - sale * 10 - gateway,
    });
    const position = chain.sell({ ...record, origin: "posted" });
    const { recordId } = await ledger.writer.addRecord(userId, record, null);
    if (sale % 11 === 0) {
      chain.void(position);
      await ledger.writer.voidRecord(recordId, WHY);
    }
  }

  after(async () => {
    await ledger.remove();
    await database.stop();
  });

  /** What both stores answer. */
  async function both<T>(ask: (sales: SalesReads) => T | Promise<T>): Promise<readonly [T, T]> {
    return [await ask(central), await ask({ ...ledger.reader, wirings: () => [] })];
  }

  async function same<T>(ask: (sales: SalesReads) => T | Promise<T>, what: string): Promise<T> {
    const [theirs, own] = await both(ask);
    expect(theirs, what).to.deep.equal(own);
    return own;
  }

  const WHERE = [
    [null, null],
    ["Ángel", null],
    [null, "10"],
    [PLACES[2] ?? "", "2"],
    ["nowhere", null],
  ] as const;
  const WHEN = [
    [null, null],
    [20260329, 20260329],
    [20260227, 20260329],
    [20251026, 20251026],
    [20250101, 20251231],
    [null, 20250630],
    [20260301, null],
  ] as const;

  for (const period of PERIODS) {
    it(`has the same overview of a ${period} in both stores`, async () => {
      for (const at of [null, 20260131, 20251231, 20250228]) {
        for (const [location, deviceId] of WHERE) {
          const request = { period, at, filter: { location, deviceId, within: null } };
          await same((sales) => sales.overview(userId, request, NOW_MS), JSON.stringify(request));
        }
      }
    });
  }

  it("has the same summary in both stores, as the contract has it", async () => {
    for (const period of ["semanal", "anual"] as const) {
      const summary = await same((sales) => sales.summary(userId, period, NOW_MS), period);
      expect(summary?.count).to.be.greaterThan(20);
      await same((sales) => sales.summary(userId, period, NOW_MS + 9_000 * DAY_MS), period);
    }
  });

  it("has the same sums in both stores", async () => {
    for (const [from, to] of WHEN) {
      for (const [location, deviceId] of WHERE) {
        const filter = { from, to, location, deviceId, within: null };
        await same((sales) => sales.sumRecords(userId, filter), JSON.stringify(filter));
      }
    }
  });

  it("has the same records in both stores, newest first, for any filter", async () => {
    const rooms = [
      ...[
        [null, null],
        ["101", null],
        ["ÁTICO", null],
        [null, "ático"],
        [null, "(X)"],
      ],
      ...[
        [null, "[1]*"],
        [null, "\\B%_"],
        [null, "."],
      ],
    ] as const;
    for (const [from, to] of WHEN) {
      for (const [location, deviceId] of WHERE) {
        for (const [room, roomPart] of rooms) {
          const filter: RecordFilter = {
            from,
            to,
            location,
            deviceId,
            room: room ?? null,
            roomPart: roomPart ?? null,
            within: null,
          };
          await same(async (sales) => {
            const found: unknown[] = [];
            for await (const records of walkRecords(sales, userId, filter)) found.push(...records.map(shown));
            return found;
          }, JSON.stringify(filter));
        }
      }
    }
    const { count } = await central.sumRecords(userId, ALL);
    expect(count).to.be.greaterThan(700);
  });

  it("has the same records in both stores by state, and finds a number in each of its clinics", async () => {
    for (const state of RECORD_STATES) {
      await same(async (sales) => {
        const found: unknown[] = [];
        for await (const records of walkRecords(sales, userId, { ...ANY, state }))
          found.push(...records.map(shown));
        return found;
      }, state);
    }
    const { records } = await central.findRecords(userId, {
      ...{ filter: { ...ANY, number: 7 }, before: null, limit: 10 },
    });
    expect(records.map(({ number }) => number)).to.deep.equal([7, 7, 7]);
  });

  it("is searched in pages, each record once, in the order of time over all gateways", async () => {
    const found: FoundRecord[] = [];
    let before: RecordPosition | null = null;
    do {
      const { records, next }: FoundRecords = await central.findRecords(userId, {
        filter: ANY,
        before,
        limit: 7,
      });
      expect(records.length).to.be.at.most(7);
      found.push(...records);
      before = next;
    } while (before !== null);
    const times = found.map(({ createdTimeMs }) => createdTimeMs);
    expect(times).to.deep.equal(times.toSorted((a, b) => b - a));
    expect(new Set(found.map(({ recordId }) => recordId)).size).to.equal(found.length);
    expect(found.every(({ recordId }) => Number.isSafeInteger(recordId))).to.equal(true);
    // In its clinic's chain, as here, the number of a sale is its position.
    expect(found.every(({ number, recordId }) => number === recordId % 2 ** 30)).to.equal(true);
  });

  it("lists each location that has sold, and each device once, by the id that its records have", async () => {
    const [clinic] = gateways.slice(2);
    if (clinic === undefined) throw new Error("there is no gateway");
    const sent = clinic.chain.position;
    const deviceId = "0123456789abcdef01234567";
    clinic.chain.sell({ locationName: "B", deviceName: "Ala 1", deviceId, createdTimeMs: 1 });
    clinic.chain.sell({ locationName: "Clínica", deviceName: "Ala 2", deviceId, createdTimeMs: 2 });
    expect(await send(clinic, sent)).to.equal("taken");
    const devices = await central.devices(userId);
    expect(devices.map(({ locationName, name }) => `${locationName} ${name}`)).to.deep.equal([
      "Clínica Ala 2",
      "Clínica Pasillo A",
    ]);
    for (const device of devices) {
      expect((await central.sumRecords(userId, { ...ALL, deviceId: device.id })).count).to.be.greaterThan(1);
    }
    const locations = await central.locations(userId);
    expect(locations.map(({ name }) => name)).to.have.members([...PLACES, "Clínica"]);
    expect(locations.map(({ devices }) => devices.length)).to.have.members([0, 0, 0, 2]);
  });

  it("names a device that was moved and renamed as its newest record does", async () => {
    const [clinic] = gateways.slice(2);
    if (clinic === undefined) throw new Error("there is no gateway");
    const sent = clinic.chain.position;
    for (const [locationName, deviceName, hours] of [
      ["Ángel", "Zaguán", 4],
      ["B", "Ala norte", 3],
    ] as const) {
      const createdTimeMs = NOW_MS - hours * HOUR_MS;
      const record = newRecord({ locationName, deviceName, deviceId: "77", createdTimeMs });
      clinic.chain.sell({ ...record, origin: "posted" });
      await ledger.writer.addRecord(userId, record, null);
    }
    expect(await send(clinic, sent)).to.equal("taken");
    const request = { period: "day", at: null, filter: ANYWHERE } as const;
    const { choices } = await same((sales) => sales.overview(userId, request, NOW_MS), "the day");
    expect(choices.gone).to.deep.include({ deviceId: "77", name: "Ala norte" });
  });

  it("is compared clinic by clinic, the sums of which are the overview's", async () => {
    for (const period of PERIODS) {
      const { clinics, before, count, totalMicros } = await central.compare(period, null, NOW_MS);
      expect(clinics.map(({ name }) => name)).to.have.members(["clinic-0", "clinic-1", "clinic-2"]);
      expect(clinics.reduce((sum, clinic) => sum + clinic.totalMicros, 0n)).to.equal(totalMicros);
      const overview = await central.overview(userId, { period, at: null, filter: ANYWHERE }, NOW_MS);
      expect(count).to.equal(overview.count);
      expect([before.from, before.to]).to.deep.equal([overview.before.from, overview.before.to]);
      // Of what is over the overview, too, compares whole days.
      const at = DAY_BEFORE[period];
      const past = await central.compare(period, at, NOW_MS);
      const pastOverview = await central.overview(userId, { period, at, filter: ANYWHERE }, NOW_MS);
      expect([past.count, past.before]).to.deep.equal([pastOverview.count, pastOverview.before]);
    }
  });

  it("gives each record of a walk once, also where its time is set meanwhile, and none that is new", async () => {
    const [clinic] = gateways.slice(1);
    if (clinic === undefined) throw new Error("there is no gateway");
    const unplaced = byRelay.slice(20, 25);
    const first = clinic.chain.position;
    const walked = async (meanwhile?: () => Promise<void>) => {
      const numbers: number[] = [];
      for await (const records of walkRecords(central, userId, ANY)) {
        numbers.push(...records.map(({ recordId }) => recordId));
        await meanwhile?.();
        meanwhile = undefined;
      }
      return numbers;
    };
    const all = await walked();
    const found = await walked(async () => {
      // From behind the place that the walk has reached to before it.
      for (const position of unplaced) clinic.chain.move(position, NOW_MS + position);
      clinic.chain.sell({ createdTimeMs: NOW_MS - 800 * DAY_MS });
      expect(await send(clinic, first)).to.equal("taken");
    });
    expect(found).to.have.lengthOf(all.length);
    expect(found).to.have.members(all);
  });

  it("is nothing for a company that has no gateway yet, in every answer", async () => {
    await initialise(database.admin, "Nueva", ZONE);
    const company = await database.company("Nueva");
    const page = await database.connectAs(await pageAccess(database.admin, company, "flanco_new_page"));
    const sales = companySales({ use: (run) => run(page) }, company);
    const filters = [ALL, { ...ALL, from: 20_260_301, to: 20_260_331 }];
    for (const filter of filters) {
      const search = { filter: { ...ANY, ...filter }, before: null, limit: 10 };
      expect(await sales.findRecords("", search)).to.deep.equal({ records: [], next: null });
      expect(await sales.sumRecords("", filter)).to.deep.equal({ count: 0, totalMicros: 0n });
      for await (const records of walkRecords(sales, "", search.filter)) expect(records).to.deep.equal([]);
    }
    expect(await sales.summary("", "anual", NOW_MS)).to.equal(undefined);
    expect(
      (await sales.overview("", { period: "month", at: null, filter: ANYWHERE }, NOW_MS)).count,
    ).to.equal(0);
    expect((await sales.compare("month", null, NOW_MS)).clinics).to.deep.equal([]);
    expect(await sales.devices("")).to.deep.equal([]);
  });

  it("counts what a clinic in another zone has sold on that clinic's own days", async () => {
    const canaries = await addClinic("canaries", "Atlantic/Canary");
    const place = { locationName: "Tenerife", deviceId: "t" };
    // Half past midnight in Madrid, an hour before that there.
    canaries.chain.sell({ ...place, createdTimeMs: Date.UTC(2026, 2, 27, 23, 30) });
    canaries.chain.sell({ ...place, createdTimeMs: Date.UTC(2026, 2, 28, 0, 30) });
    expect(await send(canaries)).to.equal("taken");
    for (const day of [20260327, 20260328]) {
      const filter = { ...ANY, location: "Tenerife", from: day, to: day };
      const { records } = await central.findRecords(userId, { filter, before: null, limit: 10 });
      expect(records).to.have.lengthOf(1);
      expect((await central.sumRecords(userId, filter)).count).to.equal(1);
    }
    // At half past midnight there on the 29th, the day before is compared up to half past midnight there.
    const nowMs = Date.UTC(2026, 2, 29, 0, 30, 1);
    const request = {
      period: "day",
      at: null,
      filter: { location: "Tenerife", deviceId: null, within: null },
    } as const;
    const [span] = (await central.overview(userId, request, nowMs)).spans;
    expect(span?.before.count).to.equal(1);
  });
});

/** What both stores know alike of a record: in one of them all gateways are one account. */
function shown({ recordId: _id, number: _number, movedBy, endedTimeMs: _ended, ...record }: FoundRecord) {
  return { ...record, isMoved: movedBy !== null };
}
