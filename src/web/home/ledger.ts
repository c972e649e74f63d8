import type { RoomChange } from "../api/live-event.ts";
import type { Sale, SalePage } from "../api/sale.ts";

/** The part of the ledger that is shown. */
export interface Ledger {
  /** Newest first, without a hole. */
  readonly sales: readonly Sale[];
  /** Asks for what is older; null when all is shown. */
  readonly next: number | null;
}

/**
 * The ledger after its newest page was fetched again. What is shown stays when the page reaches it; when
 * more happened in the meantime than one page holds, the page replaces it, so that no hole is hidden.
 */
export function mergeNewest(ledger: Ledger, page: SalePage): Ledger {
  const oldest = page.sales[page.sales.length - 1];
  const newestShown = ledger.sales[0];
  if (oldest === undefined || newestShown === undefined) {
    return {
      sales: unite(page.sales, ledger.sales),
      next: ledger.sales.length === 0 ? page.next : ledger.next,
    };
  }
  const newer = ledger.sales.filter((sale) => sale.recordId > (page.sales[0]?.recordId ?? 0));
  const meets = page.next === null || ledger.sales.some((sale) => sale.recordId === oldest.recordId);
  const isDeeper = meets && ledger.sales.some((sale) => sale.recordId < oldest.recordId);
  return {
    sales: unite(page.sales, meets ? ledger.sales : newer),
    next: isDeeper ? ledger.next : page.next,
  };
}

/** The ledger with the page before what is shown. */
export function appendOlder(ledger: Ledger, page: SalePage): Ledger {
  return { sales: unite(ledger.sales, page.sales), next: page.next };
}

/** The ledger with a sale that was just told; told again, it changes nothing. */
export function prependSale(ledger: Ledger, sale: Sale): Ledger {
  if (ledger.sales.some((shown) => shown.recordId === sale.recordId)) return ledger;
  return { ...ledger, sales: unite([sale], ledger.sales) };
}

/** What is learned of a sale after it was made. */
export type Correction = Pick<Sale, "voidReason"> | Pick<Sale, "createdTimeMs" | "isProvisional">;

/** The ledger after one of its sales was corrected; of a sale that is not shown, nothing changes. */
export function correctSale(ledger: Ledger, recordId: number, correction: Correction): Ledger {
  if (!ledger.sales.some((sale) => sale.recordId === recordId)) return ledger;
  const sales = ledger.sales.map((sale) => (sale.recordId === recordId ? { ...sale, ...correction } : sale));
  return { ...ledger, sales };
}

/** The ledger after a room was switched: switching it off ends the room's newest sale. */
export function endSale(ledger: Ledger, change: RoomChange): Ledger {
  if (change.on) return ledger;
  const isOfRoom = (sale: Sale) =>
    sale.deviceId === change.deviceId && sale.room === change.room && sale.origin !== "posted";
  const ended = ledger.sales.find(isOfRoom);
  if (ended === undefined || ended.endedTimeMs !== null || ended.createdTimeMs > change.timeMs) return ledger;
  const sales = ledger.sales.map((sale) => (sale === ended ? { ...sale, endedTimeMs: change.timeMs } : sale));
  return { ...ledger, sales };
}

/** Both lists as one, newest first; where both have a record, the first list's version stands. */
function unite(first: readonly Sale[], second: readonly Sale[]): readonly Sale[] {
  const known = new Set(first.map((sale) => sale.recordId));
  const all = [...first, ...second.filter((sale) => !known.has(sale.recordId))];
  return all.sort((a, b) => b.recordId - a.recordId);
}
