import { expect } from "chai";
import fc from "fast-check";
import type { SalePage } from "../../src/web/api/sale.ts";
import {
  appendOlder,
  correctSale,
  endSale,
  type Ledger,
  mergeNewest,
  prependSale,
} from "../../src/web/home/ledger.ts";
import { saleOf } from "./sale.ts";

const EMPTY: Ledger = { sales: [], next: null };

function idsOf(ledger: Ledger): readonly number[] {
  return ledger.sales.map((sale) => sale.recordId);
}

/** The page of so many sales that a server with records 1 to `newest` gives before a record. */
function pageOf(newest: number, size: number, before = newest + 1): SalePage {
  const first = Math.min(newest, before - 1);
  const ids = Array.from({ length: Math.min(size, first) }, (_, index) => first - index);
  return {
    sales: ids.map((id) => saleOf(id)),
    next: ids.length < size ? null : (ids[ids.length - 1] ?? null),
  };
}

describe("The ledger on the page", () => {
  it("shows the first page as it comes", () => {
    const ledger = mergeNewest(EMPTY, pageOf(7, 3));
    expect(idsOf(ledger)).to.deep.equal([7, 6, 5]);
    expect(ledger.next).to.equal(5);
  });

  it("puts a sale that was just told on top, once", () => {
    const ledger = prependSale(prependSale(mergeNewest(EMPTY, pageOf(2, 5)), saleOf(3)), saleOf(3));
    expect(idsOf(ledger)).to.deep.equal([3, 2, 1]);
  });

  it("keeps older pages when the newest page reaches them", () => {
    const shown = appendOlder(mergeNewest(EMPTY, pageOf(9, 3)), pageOf(9, 3, 7));
    const ledger = mergeNewest(shown, pageOf(11, 3));
    expect(idsOf(ledger)).to.deep.equal([11, 10, 9, 8, 7, 6, 5, 4]);
    expect(ledger.next).to.equal(4);
  });

  it("starts anew rather than hide a hole when more happened than a page holds", () => {
    const ledger = mergeNewest(mergeNewest(EMPTY, pageOf(5, 3)), pageOf(40, 3));
    expect(idsOf(ledger)).to.deep.equal([40, 39, 38]);
    expect(ledger.next).to.equal(38);
  });

  it("keeps a sale that was told while an older page was on its way", () => {
    const told = prependSale(mergeNewest(EMPTY, pageOf(5, 3)), saleOf(6));
    expect(idsOf(mergeNewest(told, pageOf(5, 3)))).to.deep.equal([6, 5, 4, 3]);
  });

  it("has no hole and no double, whatever happens in whatever order", () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("sell" as const),
        count: fc.integer({ min: 1, max: 9 }),
        told: fc.boolean(),
      }),
      fc.record({ kind: fc.constant("newest" as const) }),
      fc.record({ kind: fc.constant("older" as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let newest = 0;
        let isBehind = false;
        let ledger = EMPTY;
        for (const each of steps) {
          if (each.kind === "sell") {
            // A connection that is lost tells nothing until it has said hello and the page has asked anew.
            isBehind ||= !each.told;
            for (let count = 0; count < each.count; count += 1) {
              newest += 1;
              if (!isBehind) ledger = prependSale(ledger, saleOf(newest));
            }
          } else if (each.kind === "newest") {
            isBehind = false;
            ledger = mergeNewest(ledger, pageOf(newest, 4));
          } else if (ledger.next !== null) {
            ledger = appendOlder(ledger, pageOf(newest, 4, ledger.next));
          }
          const ids = idsOf(ledger);
          const top = ids[0] ?? 0;
          expect(ids).to.deep.equal(ids.map((_, index) => top - index));
          if (ledger.next !== null) expect(ids[ids.length - 1]).to.equal(ledger.next);
          if (!isBehind) expect(top).to.equal(newest);
        }
      }),
    );
  });

  it("ends the room's newest sale when the room is switched off", () => {
    const ledger = mergeNewest(EMPTY, pageOf(2, 5));
    const ended = endSale(ledger, { deviceId: "d1", room: "101", on: false, timeMs: 9_000 });
    expect(ended.sales.map((sale) => sale.endedTimeMs)).to.deep.equal([9_000, null]);
  });

  it("shows what is learned of a sale later, and nothing of one that it does not show", () => {
    const ledger = { sales: [saleOf(2), saleOf(1, { isProvisional: true })], next: null };
    const voided = correctSale(ledger, 2, { voidReason: "test" });
    expect(voided.sales).to.deep.equal([saleOf(2, { voidReason: "test" }), ledger.sales[1]]);
    const timed = correctSale(ledger, 1, { createdTimeMs: 77_000, isProvisional: false });
    expect(timed.sales[1]).to.deep.equal(saleOf(1, { createdTimeMs: 77_000 }));
    expect(correctSale(ledger, 9, { voidReason: "test" })).to.equal(ledger);
  });

  it("never ends a posted sale, a sale of another room, or one that ended before", () => {
    const sales = [
      saleOf(4, { origin: "posted" }),
      saleOf(3, { room: "102" }),
      saleOf(2, { endedTimeMs: 2_500 }),
      saleOf(1),
    ];
    const ledger = { sales, next: null };
    expect(endSale(ledger, { deviceId: "d1", room: "101", on: false, timeMs: 9_000 })).to.equal(ledger);
    expect(endSale(ledger, { deviceId: "d1", room: "102", on: true, timeMs: 9_000 })).to.equal(ledger);
  });
});
