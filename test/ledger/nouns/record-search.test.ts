import { expect } from "chai";
import fc from "fast-check";
import type { RecordFilter, RecordPosition } from "../../../src/domain/record.ts";
import { LocalCalendar } from "../../../src/ledger/nouns/calendar.ts";
import { BETWEEN, recordFinder } from "../../../src/ledger/nouns/record-search.ts";
import { forEachTest } from "../../rig/standing.ts";
import { RawLedger } from "../raw-ledger.ts";
import { ANY } from "../records-of.ts";
import { AWKWARD_MOMENTS, RULE_ZONES, ZoneDates } from "../zones.ts";

interface Sale {
  readonly location: string;
  readonly device: string;
  readonly room: string;
  readonly timeMs: number;
}

const USER = "u".repeat(24);
const OTHER = "o".repeat(24);
/** What one piece looks at. */
const PIECE = 2_000;

describe("a search for records", () => {
  const ledger = forEachTest(() => new RawLedger());

  /** Numbers the sales from 1; each has one of another user beside it. */
  function store(sales: readonly Sale[]): void {
    const insert = ledger.db.prepare(
      `INSERT INTO record (record_id, user_id, location_name, device_name, device_id, room, valor_micros, created_ms,
                           effective_ms, day, origin, hash, number)
       VALUES (?, ?, ?, 'd', ?, ?, 1, ?, ?, 1, 'posted', x'', ?)`,
    );
    ledger.db.transaction(() => {
      ledger.db.exec("DELETE FROM record");
      sales.forEach(({ location, device, room, timeMs }, index) => {
        insert.run(index + 1, USER, location, device, room, timeMs, timeMs, index + 1);
        insert.run(index + 1_000_000, OTHER, location, device, room, timeMs, timeMs, index + 1);
      });
    })();
  }

  /** Every piece of a search, one after the other: the records' numbers. */
  function pieces(filter: RecordFilter, limit: number, calendar = new LocalCalendar("UTC")): number[][] {
    const finder = recordFinder(ledger.db, calendar);
    const found: number[][] = [];
    for (let before: RecordPosition | null | undefined; before !== null; ) {
      const { records, next } = finder.findRecords(USER, { filter, before: before ?? null, limit });
      found.push(records.map(({ recordId }) => recordId));
      before = next;
    }
    return found;
  }

  it("finds what fits, each once, newest first by time and then by number, for any filter and page", () => {
    const sale = fc.record({
      location: fc.constantFrom("A", "B"),
      device: fc.constantFrom("1", "2"),
      room: fc.constantFrom("101", "102"),
      timeMs: fc.oneof(
        fc.constantFrom(...AWKWARD_MOMENTS),
        fc.integer({ min: Date.UTC(2026, 11, 30), max: Date.UTC(2027, 0, 3) }),
      ),
    });
    const day = fc.constantFrom(null, 20061029, 20111230, 20260329, 20261231, 20270101, 20270102);
    const filter = fc.record({
      from: day,
      to: day,
      location: fc.constantFrom(null, "A"),
      deviceId: fc.constantFrom(null, "2"),
      room: fc.constantFrom(null, "101"),
      roomPart: fc.constant(null),
      within: fc.constantFrom(null, null, ["A"], []),
    });
    fc.assert(
      fc.property(
        fc.array(sale, { maxLength: 40 }),
        filter,
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom(...RULE_ZONES),
        (sales, asked, limit, zone) => {
          store(sales);
          const found = pieces(asked, limit, new LocalCalendar(zone));
          expect(found.flat()).to.deep.equal(fitting(sales, asked, new ZoneDates(zone)));
          for (const piece of found) expect(piece).to.have.lengthOf.at.most(limit);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("finds rooms by a part of their name without a pattern, whose work would be the product of both lengths", () => {
    let patterns = 0;
    for (const name of ["glob", "like"]) {
      ledger.db.function(name, { varargs: true }, () => {
        patterns += 1;
        return 0;
      });
    }
    const room = "a".repeat(200);
    store([room, `${room.slice(1)}B`].map((name) => ({ location: "A", device: "1", room: name, timeMs: 1 })));
    expect(pieces({ ...ANY, roomPart: `${room.slice(1)}b` }, 10).flat()).to.deep.equal([2]);
    expect(patterns).to.equal(0);
  });

  for (const [what, timeOf] of [
    ["at one moment", () => 7],
    ["at moments of their own", (index: number) => index],
    ["at a few moments", (index: number) => Math.floor(index / 2_500)],
  ] as const) {
    it(`looks at a bounded number of records in one piece, also where all are ${what}`, () => {
      const COUNT = 9_000;
      const rare = (index: number) => (index % 4_000 === 0 ? "rare" : "often");
      const sales = Array.from({ length: COUNT }, (_, index) => ({
        location: "A",
        device: "1",
        room: rare(index),
        timeMs: timeOf(index),
      }));
      store(sales);
      const found = pieces({ ...ANY, room: "rare" }, 200);
      expect(found.flat()).to.deep.equal([8_001, 4_001, 1]);
      expect(found).to.have.length(Math.ceil(COUNT / PIECE));
      expect(pieces({ ...ANY, room: "none" }, 200).flat()).to.deep.equal([]);
    });
  }

  it("is not moved by what is sold meanwhile", () => {
    const at = (timeMs: number) => ({ location: "A", device: "1", room: "1", timeMs });
    store([at(1), at(2), at(3), at(4)]);
    const finder = recordFinder(ledger.db, new LocalCalendar("UTC"));
    const { next } = finder.findRecords(USER, { filter: ANY, before: null, limit: 2 });
    store([at(1), at(2), at(3), at(4), at(5), at(4), at(3)]);
    const { records } = finder.findRecords(USER, { filter: ANY, before: next, limit: 9 });
    expect(records.map(({ recordId }) => recordId)).to.deep.equal([2, 1]);
  });

  it("goes by the index alone, without sorting", () => {
    const plan = ledger.db
      .prepare<[object], { detail: string }>(
        `EXPLAIN QUERY PLAN SELECT room FROM record r INDEXED BY record_by_time
          WHERE ${BETWEEN} ORDER BY effective_ms DESC, number DESC LIMIT 50`,
      )
      .all({ userId: USER, timeMs: 9, number: 9, fromMs: 2, fromNumber: 2 });
    expect(plan.map(({ detail }) => detail)).to.deep.equal([
      "SEARCH r USING INDEX record_by_time (user_id=? AND (effective_ms,number)>(?,?) AND (effective_ms,number)<(?,?))",
    ]);
  });
});

/** The numbers of the sales that fit, by the definition. */
function fitting(sales: readonly Sale[], filter: RecordFilter, dates: ZoneDates): number[] {
  return sales
    .map((sale, index) => ({ ...sale, recordId: index + 1, day: dates.dayOf(sale.timeMs) }))
    .filter(
      ({ day, location, device, room }) =>
        (filter.from === null || day >= filter.from) &&
        (filter.to === null || day <= filter.to) &&
        (filter.location === null || location === filter.location) &&
        (filter.within === null || filter.within.includes(location)) &&
        (filter.deviceId === null || device === filter.deviceId) &&
        (filter.room === null || room === filter.room),
    )
    .sort((a, b) => b.timeMs - a.timeMs || b.recordId - a.recordId)
    .map(({ recordId }) => recordId);
}
