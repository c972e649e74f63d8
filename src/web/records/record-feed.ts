import type { Api } from "../api/api.ts";
import { loadRecords, type RecordPage } from "../api/record-page.ts";
import type { RecordAction } from "./record-list.ts";

/** As many records as one go fetches at least, where there are so many: empty pages may lie between. */
const ENOUGH_RECORDS = 100;

/** Fetches the records of one filter, page after page, never two at a time. */
export class RecordFeed {
  readonly #api: Pick<Api, "get">;
  readonly #filter: string;
  readonly #tell: (action: RecordAction) => void;
  #next: string | null = null;
  #isOpen = true;
  #isBusy = false;

  /** `filter` is a query without `?`. */
  constructor(api: Pick<Api, "get">, filter: string, tell: (action: RecordAction) => void) {
    this.#api = api;
    this.#filter = filter;
    this.#tell = tell;
  }

  /** Fetches the first page. */
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

  /** Nothing is told after. */
  close(): void {
    this.#isOpen = false;
  }

  async #fetch(from: string | null): Promise<void> {
    this.#isBusy = true;
    let cursor = from;
    let got = 0;
    try {
      do {
        const page: RecordPage = await loadRecords(this.#api, this.#filter, cursor);
        if (!this.#isOpen) return;
        got += page.records.length;
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
