import type { RecordPage } from "../api/record-page.ts";
import type { Sale } from "../api/sale.ts";

/** The records that were fetched, newest first, and how it stands with the rest. */
export interface RecordList {
  readonly kind: "waiting" | "ready" | "failed";
  readonly records: readonly Sale[];
  /** What is there was asked for before, maybe otherwise: it stands until there is something in its place. */
  readonly isStale: boolean;
  /** The cursor of the page after; null at the end. */
  readonly next: string | null;
  readonly isAsking: boolean;
  /** The page after could not be read; what was there before stays. */
  readonly hasStopped: boolean;
  /** Records that came, or moved, since the list was fetched: it shows them when it is fetched anew. */
  readonly fresh: number;
  /** The live connection broke and came back: there may be more that is new. */
  readonly isOld: boolean;
}

export type RecordAction =
  /** Begins anew. */
  | { readonly kind: "begin" }
  | { readonly kind: "ask" }
  | { readonly kind: "page"; readonly page: RecordPage }
  | { readonly kind: "failed" }
  /** The live connection has come back. */
  | { readonly kind: "reconnected" }
  | { readonly kind: "sold" }
  | { readonly kind: "moved"; readonly recordId: number }
  | { readonly kind: "voided"; readonly recordId: number; readonly reason: string };

export const NO_RECORDS: RecordList = {
  kind: "waiting",
  records: [],
  isStale: false,
  next: null,
  isAsking: false,
  hasStopped: false,
  fresh: 0,
  isOld: false,
};

export function reduceRecords(list: RecordList, action: RecordAction): RecordList {
  switch (action.kind) {
    case "begin":
      return { ...NO_RECORDS, records: list.records, isStale: list.records.length > 0, isAsking: true };
    case "ask":
      return { ...list, isAsking: true, hasStopped: false };
    case "page":
      return withPage(list, action.page);
    case "failed":
      return list.kind === "waiting"
        ? { ...list, kind: "failed", records: [], isStale: false, isAsking: false }
        : { ...list, isAsking: false, hasStopped: true };
    case "reconnected":
      // Said, not fetched: nobody loses their place in a long list.
      return list.kind === "waiting" ? list : { ...list, isOld: true };
    case "sold":
      return { ...list, fresh: list.fresh + 1 };
    case "moved":
      // It stands elsewhere in time: left here it could come a second time, in a page that is yet to come.
      return {
        ...list,
        records: list.records.filter(({ recordId }) => recordId !== action.recordId),
        fresh: list.fresh + 1,
      };
    case "voided":
      return {
        ...list,
        records: list.records.map((record) =>
          record.recordId === action.recordId ? { ...record, voidReason: action.reason } : record,
        ),
      };
  }
}

/** Nothing is known of the whole while pages are empty: the list waits on until one is not, or the last. */
function withPage(list: RecordList, { records, next }: RecordPage): RecordList {
  const isSettled = records.length > 0 || next === null;
  if (list.isStale && !isSettled) return { ...list, next, isAsking: false };
  const before = list.isStale ? [] : list.records;
  const all = records.length === 0 ? before : [...before, ...records];
  const kind = all.length > 0 || next === null ? "ready" : list.kind;
  return { ...list, kind, records: all, isStale: false, next, isAsking: false };
}
