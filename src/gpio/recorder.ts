import { type Clock, NANOSECONDS_PER_MILLISECOND } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { ChipInfo, Edge, LineDriver, WatchedLine } from "../domain/line.ts";
import type { LineFailure, Lines, LinesStatus } from "../domain/lines.ts";
import type { Log } from "../domain/log.ts";
import type { Sighting } from "../domain/sale.ts";
import { sameRequest, type Wiring } from "../domain/wiring.ts";
import { resolveLine } from "./address.ts";
import { SightingQueue } from "./sighting-queue.ts";

/** How often a line that could not be watched is tried again: its holder may have let it go. */
const RETRY_MS = 5_000;

export interface RecorderDependencies {
  readonly driver: LineDriver;
  readonly writer: Pick<LedgerWriter, "openRequest" | "takeIn">;
  readonly reader: Pick<LedgerReader, "wirings">;
  readonly clock: Clock;
  readonly log: Log;
  /** The kernel's id of this boot. */
  readonly bootId: string;
}

interface Watch {
  readonly wiring: Wiring;
  readonly line: WatchedLine;
}

/** Watches every wired line and brings what it sees to the ledger, in order. */
export class Recorder implements Lines {
  readonly #driver: LineDriver;
  readonly #dependencies: RecorderDependencies;
  readonly #queue: SightingQueue;
  readonly #watches = new Map<string, Watch>();
  readonly #failures = new Map<string, string>();
  readonly #listeners = new Set<(sighting: Sighting) => void>();
  #wired: readonly Wiring[] = [];
  #reconciling: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #state: "closed" | "open" | "ready" = "closed";

  constructor(dependencies: RecorderDependencies) {
    this.#driver = dependencies.driver;
    this.#dependencies = dependencies;
    this.#queue = new SightingQueue(dependencies.writer, dependencies.log);
  }

  /** Opens the driver and watches what is wired. A line that cannot be watched is told and tried again. */
  async open(): Promise<void> {
    await this.#driver.open();
    this.#state = "open";
    await this.reconcile();
    this.#state = "ready";
  }

  /** Releases every line, then waits until all that was seen is committed. */
  async close(): Promise<void> {
    this.#state = "closed";
    clearTimeout(this.#retry);
    await this.#reconciling;
    await Promise.all([...this.#watches.values()].map((watch) => watch.line.close()));
    this.#watches.clear();
    await this.#driver.close();
    await this.#queue.close();
  }

  status(): LinesStatus {
    return {
      driver: this.#driver.name,
      simulated: this.#driver.simulated,
      wired: this.#wired.map((wiring) => wiring.line),
      watched: [...this.#watches.keys()],
      failures: [...this.#failures].map(([line, message]): LineFailure => ({ line, message })),
    };
  }

  healthy(): boolean {
    if (this.#state !== "ready") return false;
    return this.#driver.name === "none" || this.#failures.size === 0;
  }

  detect(): Promise<readonly ChipInfo[]> {
    return this.#driver.detect();
  }

  async probe(line: string): Promise<void> {
    if (this.#driver.name === "none" || this.#watches.has(line)) return;
    const found = resolveLine(line, await this.#driver.detect());
    for (const [name, watch] of this.#watches) {
      if (watch.line.chip === found.chip && watch.line.offset === found.offset) {
        throw new FlancoError("conflict", `The line ${line} is wired already, under the name ${name}.`, {
          fields: { line: { kind: "unique", message: `is the line ${name}, which is wired already` } },
        });
      }
    }
    if (found.holder !== null) {
      throw new FlancoError("conflict", `The line ${line} is in use by "${found.holder}".`, {
        hint: "Stop that program, or choose another line.",
        fields: { line: { kind: "unique", message: `is in use by "${found.holder}"` } },
      });
    }
  }

  reconcile(): Promise<void> {
    this.#reconciling = this.#reconciling
      .then(() => this.#reconcileNow())
      .catch((error: unknown) =>
        this.#dependencies.log.error({ err: error }, "the wiring could not be read"),
      );
    return this.#reconciling;
  }

  listen(listener: (sighting: Sighting) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #reconcileNow(): Promise<void> {
    if (this.#state === "closed") return;
    clearTimeout(this.#retry);
    this.#wired = this.#dependencies.reader.wirings();
    const wanted = new Map(this.#wired.map((wiring) => [wiring.line, wiring]));
    for (const [line, watch] of this.#watches) {
      const wiring = wanted.get(line);
      if (wiring === undefined || !isSame(wiring, watch.wiring)) await this.#release(line, watch);
    }
    for (const line of this.#failures.keys()) if (!wanted.has(line)) this.#failures.delete(line);
    for (const [line, wiring] of wanted) if (!this.#watches.has(line)) await this.#watch(wiring);
    if (this.#failures.size > 0) {
      this.#retry = setTimeout(() => void this.reconcile(), RETRY_MS);
      this.#retry.unref();
    }
  }

  async #release(line: string, watch: Watch): Promise<void> {
    this.#watches.delete(line);
    await watch.line.close();
    this.#dependencies.log.info({ line }, "line released");
  }

  async #watch(wiring: Wiring): Promise<void> {
    const { writer, log } = this.#dependencies;
    const { line, activeLow, bias, debounceMs } = wiring;
    try {
      const request = await writer.openRequest();
      // Edges that come before the level at the start has been noted wait for it.
      let early: Edge[] | undefined = [];
      const watched = await this.#driver.watch(
        { line, activeLow, bias, debounceMs },
        (edge) => (early === undefined ? this.#take(wiring, request, edge) : early.push(edge)),
        (error) => this.#lose(line, error),
      );
      this.#watches.set(line, { wiring, line: watched });
      this.#take(wiring, request, {
        active: watched.initiallyActive,
        timeNs: this.#dependencies.clock.monotonicNs(),
        sequence: 0,
        missed: 0,
      });
      for (const edge of early) this.#take(wiring, request, edge);
      early = undefined;
      this.#failures.delete(line);
      log.info({ line, room: wiring.actuatorId, chip: watched.chip, offset: watched.offset }, "line watched");
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (this.#failures.get(line) !== message) log.error({ line, err: error }, "line cannot be watched");
      this.#failures.set(line, message);
    }
  }

  /** A chip was removed, say. The others go on; this one is tried again. */
  #lose(line: string, error: Error): void {
    this.#dependencies.log.error({ line, err: error }, "line lost");
    this.#watches.delete(line);
    this.#failures.set(line, error.message);
    void this.reconcile();
  }

  #take(wiring: Wiring, request: number, edge: Edge): void {
    const { clock, log, bootId } = this.#dependencies;
    const { line, deviceId, actuatorId, activeLow } = wiring;
    const agoMs = Number((clock.monotonicNs() - edge.timeNs) / NANOSECONDS_PER_MILLISECOND);
    const sighting: Sighting = {
      line,
      deviceId,
      actuatorId,
      activeLow,
      active: edge.active,
      timeMs: clock.nowMs() - Math.max(0, agoMs),
      monotonicNs: edge.timeNs,
      source: { bootId, request, sequence: edge.sequence },
      missed: edge.missed,
    };
    if (edge.missed > 0) log.error({ line, missed: edge.missed }, "edges lost: kept as a gap");
    this.#queue.add(sighting);
    for (const listener of this.#listeners) listener(sighting);
  }
}

/** The same room by the same request: the line can go on as it is. */
function isSame(a: Wiring, b: Wiring): boolean {
  return a.deviceId === b.deviceId && a.actuatorId === b.actuatorId && sameRequest(a, b);
}
