import type { Api } from "../api/api.ts";
import { loadDevices } from "../api/device.ts";
import { statusOf, UNREACHABLE } from "../api/failure.ts";
import type { LiveEvent } from "../api/live-event.ts";
import { loadSales } from "../api/sale.ts";
import { loadStatus } from "../api/status.ts";
import { loadWeek } from "../api/summary.ts";
import { LiveConnection } from "../live/connection.ts";
import { Refresher } from "../live/refresher.ts";
import type { Correction } from "./ledger.ts";
import type { HomeAction, PartName } from "./state.ts";

/** The week is summed at most this often, however fast sales come. */
const WEEK_REST_MS = 1_000;
const LIST_REST_MS = 250;
/** How often the gateway's state is asked for, and the week too: a new day may have begun. */
const ROUND_MS = 60_000;

/** Fetches what the home view shows and keeps it current while it is open. */
export class HomeFeed {
  readonly #api: Api;
  readonly #dispatch: (action: HomeAction) => void;
  readonly #onNews: (event: LiveEvent) => void;
  readonly #connection: LiveConnection;
  readonly #devices: Refresher;
  readonly #ledger: Refresher;
  readonly #week: Refresher;
  readonly #status: Refresher;
  /** What was told while a part is being fetched: the answer may be from before or after it. */
  readonly #meanwhile = new Map<PartName, HomeAction[]>();
  #round: number | undefined;

  /** `onNews` is told every live event, after it has been dispatched. */
  constructor(api: Api, dispatch: (action: HomeAction) => void, onNews: (event: LiveEvent) => void) {
    this.#api = api;
    this.#dispatch = dispatch;
    this.#onNews = onNews;
    this.#connection = new LiveConnection({
      onState: (live) => dispatch({ kind: "live", live }),
      onEvent: (event) => this.#take(event),
      onRefused: () => this.#status.ask(),
    });
    this.#devices = new Refresher(() => this.#fetch("devices"), LIST_REST_MS);
    this.#ledger = new Refresher(() => this.#fetch("ledger"), LIST_REST_MS);
    this.#week = new Refresher(() => this.#fetch("week"), WEEK_REST_MS);
    this.#status = new Refresher(() => this.#fetch("status"), LIST_REST_MS);
  }

  open(): void {
    this.#connection.open();
    this.reload();
    this.#round = setInterval(() => {
      this.#status.ask();
      this.#week.ask();
    }, ROUND_MS);
  }

  close(): void {
    clearInterval(this.#round);
    this.#connection.close();
    for (const refresher of [this.#devices, this.#ledger, this.#week, this.#status]) refresher.close();
  }

  /** Fetches everything anew. */
  readonly reload = (): void => {
    this.#devices.ask();
    this.#ledger.ask();
    this.#week.ask();
    this.#status.ask();
  };

  /** Fetches the sales before the given one. */
  readonly loadOlder = async (before: number): Promise<void> => {
    this.#dispatch({ kind: "older_asked" });
    try {
      this.#dispatch({ kind: "older", page: await loadSales(this.#api, before) });
    } catch (error) {
      console.warn(error);
      this.#dispatch({ kind: "older_failed" });
    }
  };

  async #fetch(part: PartName): Promise<void> {
    const told: HomeAction[] = [];
    this.#meanwhile.set(part, told);
    try {
      this.#dispatch(await this.#load(part));
    } catch (error) {
      this.#onFailure(part, error);
    }
    this.#meanwhile.delete(part);
    for (const action of told) this.#dispatch(action);
  }

  #onFailure(part: PartName, error: unknown): void {
    // What was shown stays; the page says by itself when it is not live.
    console.warn(error);
    this.#dispatch({ kind: "failed", part });
    // A stream may be dead without knowing (a cable pulled). The round of the status finds that out.
    if (part === "status" && statusOf(error) === UNREACHABLE) this.#connection.renew();
  }

  async #load(part: PartName): Promise<HomeAction> {
    switch (part) {
      case "devices":
        return { kind: "devices", devices: await loadDevices(this.#api) };
      case "ledger":
        return { kind: "newest", page: await loadSales(this.#api, null) };
      case "week":
        return { kind: "week", week: await loadWeek(this.#api) };
      case "status":
        return { kind: "status", status: await loadStatus(this.#api) };
    }
  }

  #take(event: LiveEvent): void {
    switch (event.kind) {
      case "hello":
        this.reload();
        break;
      case "places":
        this.#devices.ask();
        this.#status.ask();
        break;
      case "gap":
        this.#dispatch({ kind: "lost", lost: event.lost });
        this.#status.ask();
        break;
      case "record":
        this.#apply({ kind: "sale", sale: event.sale });
        this.#week.ask();
        break;
      case "void":
        this.#correct(event.recordId, { voidReason: event.reason });
        break;
      case "time":
        this.#correct(event.recordId, { createdTimeMs: event.timeMs, isProvisional: false });
        break;
      case "actuator":
        this.#apply({ kind: "switched", change: event.change });
        break;
    }
    this.#onNews(event);
  }

  #correct(recordId: number, correction: Correction): void {
    this.#apply({ kind: "corrected", recordId, correction });
    this.#week.ask();
  }

  #apply(action: HomeAction): void {
    for (const told of this.#meanwhile.values()) told.push(action);
    this.#dispatch(action);
  }
}
