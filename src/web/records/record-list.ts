import type { RecordsAnswer, StoredRecord } from "../api/shapes.ts";

/** The records fetched so far, newest first, and the state of the fetching. */
export interface RecordList {
  readonly kind: "waiting" | "ready" | "failed";
  readonly records: readonly StoredRecord[];
  /** The records are of the request before, maybe with another filter: they stay until the new answer has some. */
  readonly isStale: boolean;
  /** The cursor of the page after; null at the end. */
  readonly next: string | null;
  readonly isAsking: boolean;
  /** The page after could not be read; what was there before stays. */
  readonly hasStopped: boolean;
  /** How many records came, or got another time, since the list was fetched. */
  readonly fresh: number;
  /** The live connection broke and came back: there may be more that is new. */
  readonly isOld: boolean;
}

export type RecordAction =
  | { readonly kind: "begin" }
  | { readonly kind: "ask" }
  | { readonly kind: "page"; readonly page: RecordsAnswer }
  | { readonly kind: "failed" }
  /** The live connection has come back. */
  | { readonly kind: "reconnected" }
  | { readonly kind: "sold" }
  | { readonly kind: "moved"; readonly recordId: number }
  | { readonly kind: "voided"; readonly recordId: number; readonly voided: StoredRecord["voided"] };

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
      // Not fetched by itself: the reader would lose the position in a long list.
      return list.kind === "waiting" ? list : { ...list, isOld: true };
    case "sold":
      return { ...list, fresh: list.fresh + 1 };
    case "moved":
      // Left here, it could come a second time with a later page.
      return {
        ...list,
        records: list.records.filter(({ recordId }) => recordId !== action.recordId),
        fresh: list.fresh + 1,
      };
    case "voided":
      return {
        ...list,
        records: list.records.map((record) =>
          record.recordId === action.recordId ? { ...record, voided: action.voided } : record,
        ),
      };
  }
}

/** Empty pages say nothing of the whole: the list stays "waiting" until a page has records, or is the last. */
function withPage(list: RecordList, { data: records, next }: RecordsAnswer): RecordList {
  const isSettled = records.length > 0 || next === null;
  if (list.isStale && !isSettled) return { ...list, next, isAsking: false };
  const before = list.isStale ? [] : list.records;
  const all = records.length === 0 ? before : [...before, ...records];
  const kind = all.length > 0 || next === null ? "ready" : list.kind;
  return { ...list, kind, records: all, isStale: false, next, isAsking: false };
}

/** A request for more fetches at least so many records, where there are so many: pages may be empty. */
const ENOUGH_RECORDS = 100;

/** Fetches a page from a cursor on; from the newest record for null. */
type LoadPage = (before: string | null) => Promise<RecordsAnswer>;

/** Fetches the records of one filter, page after page, never two at a time. */
export class RecordFeed {
  readonly #load: LoadPage;
  readonly #tell: (action: RecordAction) => void;
  #next: string | null = null;
  #isOpen = true;
  #isBusy = false;

  constructor(load: LoadPage, tell: (action: RecordAction) => void) {
    this.#load = load;
    this.#tell = tell;
  }

  begin(): void {
    this.#tell({ kind: "begin" });
    void this.#fetch(null);
  }

  /** Fetches the page after the last, if there is one; tries again where that failed. */
  more(): void {
    if (this.#next === null || this.#isBusy || !this.#isOpen) return;
    this.#tell({ kind: "ask" });
    void this.#fetch(this.#next);
  }

  /** No action follows. */
  close(): void {
    this.#isOpen = false;
  }

  async #fetch(from: string | null): Promise<void> {
    this.#isBusy = true;
    let cursor = from;
    let got = 0;
    try {
      do {
        const page: RecordsAnswer = await this.#load(cursor);
        if (!this.#isOpen) return;
        got += page.data.length;
        cursor = page.next;
        this.#next = cursor;
        this.#tell({ kind: "page", page });
      } while (cursor !== null && got < ENOUGH_RECORDS && this.#goOn());
    } catch (error) {
      console.warn(error);
      if (this.#isOpen) this.#tell({ kind: "failed" });
    } finally {
      this.#isBusy = false;
    }
  }

  #goOn(): boolean {
    this.#tell({ kind: "ask" });
    return this.#isOpen;
  }
}
