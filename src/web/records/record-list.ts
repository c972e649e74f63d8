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

/** A request for more fetches at least so many records, where there are so many: pages may be empty. */
const ENOUGH_RECORDS = 100;

/** Fetches a page of one filter from a cursor on; from the newest record for null. */
export type LoadPage = (before: string | null) => Promise<RecordsAnswer>;

/** The records of one filter after another, fetched page after page, never two at a time. */
export class RecordFeed {
  readonly #tell: (list: RecordList) => void;
  #list = NO_RECORDS;
  /** Counts the fetches: what an earlier one brings is dropped. */
  #fetches = 0;

  /** @param tell is called with each new state of the list */
  constructor(tell: (list: RecordList) => void) {
    this.#tell = tell;
  }

  /** Fetches from the newest record on. */
  begin(load: LoadPage): void {
    const { records } = this.#list;
    this.#list = { ...NO_RECORDS, records, isStale: records.length > 0 };
    void this.#fetch(load, null);
  }

  /** Fetches the page after the last of the same filter, if there is one; tries again where that failed. */
  more(load: LoadPage): void {
    const { next, isAsking } = this.#list;
    if (next !== null && !isAsking) void this.#fetch(load, next);
  }

  /** What is on its way is dropped. */
  close(): void {
    this.#fetches += 1;
  }

  /** A record was sold that the filter lets through. */
  sold(): void {
    this.#change({ fresh: this.#list.fresh + 1 });
  }

  /** The record has another time: left here, it could come a second time with a later page. */
  moved(recordId: number): void {
    const records = this.#list.records.filter((record) => record.recordId !== recordId);
    this.#change({ records, fresh: this.#list.fresh + 1 });
  }

  voided(recordId: number, voided: StoredRecord["voided"]): void {
    this.#change({
      records: this.#list.records.map((record) =>
        record.recordId === recordId ? { ...record, voided } : record,
      ),
    });
  }

  /** The live connection has come back. Nothing is fetched: the reader would lose the position in a long list. */
  reconnected(): void {
    if (this.#list.kind !== "waiting") this.#change({ isOld: true });
  }

  async #fetch(load: LoadPage, from: string | null): Promise<void> {
    this.#fetches += 1;
    const own = this.#fetches;
    let cursor = from;
    let got = 0;
    this.#change({ isAsking: true, hasStopped: false });
    try {
      do {
        const page: RecordsAnswer = await load(cursor);
        if (own !== this.#fetches) return;
        got += page.data.length;
        cursor = page.next;
        this.#take(page, cursor !== null && got < ENOUGH_RECORDS);
      } while (this.#list.isAsking);
    } catch (error) {
      console.warn(error);
      if (own !== this.#fetches) return;
      const isFirst = this.#list.kind === "waiting";
      this.#change({
        isAsking: false,
        ...(isFirst ? { kind: "failed", records: [], isStale: false } : { hasStopped: true }),
      });
    }
  }

  /** Empty pages say nothing of the whole: the list stays "waiting" until a page has records, or is the last. */
  #take({ data, next }: RecordsAnswer, isAsking: boolean): void {
    const isSettled = data.length > 0 || next === null;
    const before = this.#list.isStale ? [] : this.#list.records;
    const records = [...before, ...data];
    this.#change({ next, isAsking, ...(isSettled ? { kind: "ready", records, isStale: false } : {}) });
  }

  #change(part: Partial<RecordList>): void {
    this.#list = { ...this.#list, ...part };
    this.#tell(this.#list);
  }
}
