import type { Api } from "../api/api.ts";
import { loadDevices } from "../api/device.ts";
import { loadRecords } from "../api/record-page.ts";
import type { Sale } from "../api/sale.ts";
import type { NewsEvent } from "../live/news.ts";
import { Refresher } from "../live/refresher.ts";
import type { RoomsAction, RoomsPart } from "./rooms-state.ts";

const REST_MS = 250;
/** A day of more records than these pages hold is not tallied to its end. */
const MAX_PAGES = 50;

/** Fetches the rooms and the day's sales, and keeps them current while it is open. */
export class RoomsFeed {
  readonly #api: Pick<Api, "get">;
  readonly #today: (() => string) | null;
  readonly #dispatch: (action: RoomsAction) => void;
  readonly #devices: Refresher;
  readonly #sales: Refresher;
  /** What was told while a part is being fetched: the answer may be from before or after it. */
  readonly #meanwhile = new Map<RoomsPart, RoomsAction[]>();

  /** `today` gives the local day, as `2026-11-21`; null where the day's sales are not asked for. */
  constructor(api: Pick<Api, "get">, today: (() => string) | null, dispatch: (action: RoomsAction) => void) {
    this.#api = api;
    this.#today = today;
    this.#dispatch = dispatch;
    this.#devices = new Refresher(() => this.#fetch("devices"), REST_MS);
    this.#sales = new Refresher(() => this.#fetch("today"), REST_MS);
  }

  /** Fetches everything anew. */
  readonly reload = (): void => {
    this.#devices.ask();
    this.#askSales();
  };

  close(): void {
    this.#devices.close();
    this.#sales.close();
  }

  /** Takes what is told. */
  readonly take = (event: NewsEvent): void => {
    switch (event.kind) {
      case "behind":
        this.reload();
        break;
      case "places":
        this.#devices.ask();
        break;
      case "time":
        // A record has moved to another time, which may be another day.
        this.#askSales();
        break;
      case "record":
        this.#apply({ kind: "sold", sale: event.sale });
        break;
      case "void":
        this.#apply({ kind: "voided", recordId: event.recordId, reason: event.reason });
        break;
      case "actuator":
        this.#apply({ kind: "switched", change: event.change });
        break;
      case "gap":
        break;
    }
  };

  async #fetch(part: RoomsPart): Promise<void> {
    const told: RoomsAction[] = [];
    this.#meanwhile.set(part, told);
    try {
      this.#dispatch(
        part === "devices"
          ? { kind: "devices", devices: await loadDevices(this.#api) }
          : { kind: "today", sales: await this.#salesOfToday() },
      );
    } catch (error) {
      console.warn(error);
      this.#dispatch({ kind: "failed", part });
    }
    this.#meanwhile.delete(part);
    for (const action of told) this.#dispatch(action);
  }

  #askSales(): void {
    if (this.#today !== null) this.#sales.ask();
  }

  async #salesOfToday(): Promise<readonly Sale[]> {
    const day = this.#today?.() ?? "";
    const sales: Sale[] = [];
    let next: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await loadRecords(this.#api, `from=${day}&to=${day}`, next);
      sales.push(...answer.records);
      next = answer.next;
      if (next === null) break;
    }
    return sales;
  }

  #apply(action: RoomsAction): void {
    for (const told of this.#meanwhile.values()) told.push(action);
    this.#dispatch(action);
  }
}
