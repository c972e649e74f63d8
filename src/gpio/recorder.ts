import type { BootMoment } from "../domain/boot.ts";
import { type Clock, type ClockTrust, NANOSECONDS_PER_MILLISECOND } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { ChipInfo, Edge, LineDriver, LineKeeping, WatchedLine } from "../domain/line.ts";
import type { LineFailure, Lines, LinesStatus, SurveyedChip } from "../domain/lines.ts";
import type { Log } from "../domain/log.ts";
import type { EdgeQueue } from "../domain/queue.ts";
import type { Sighting } from "../domain/sale.ts";
import { sameRequest, type Wiring } from "../domain/wiring.ts";
import { findLine, formatLine, resolveLine } from "./address.ts";
import { SightingQueue } from "./sighting-queue.ts";
import { detectLetGo, readFreeLine, surveyChips } from "./survey.ts";
import { type UnwatchedKeeper, UnwatchedLines } from "./unwatched.ts";

/** How often a line that could not be watched is tried again: its holder may have let it go. */
const RETRY_MS = 5_000;
/** A relay that is switched on and off again is on for longer: until then the level that is found tells all. */
const UNNOTICED_MS = 100;
/** How often the clocks are read for one edge, at most. */
const CLOCK_READINGS = 5;
/** What is shown of an error that was not written for people: its text may hold paths and codes. */
const UNNAMED_PROBLEM = "The line cannot be watched; the log says more.";

const FORGOTTEN: UnwatchedKeeper = { read: () => new Map(), write: () => {} };

export interface RecorderDependencies {
  readonly driver: LineDriver;
  readonly writer: Pick<LedgerWriter, "openRequest" | "takeIn">;
  readonly reader: Pick<LedgerReader, "wirings" | "lastSighting">;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly log: Log;
  /** The kernel's id of this boot. */
  readonly bootId: string;
  /** The last moment at which a process before this one is known to have run; undefined: none ever did. */
  readonly lastAlive: BootMoment | undefined;
  /** Where it is kept since when lines are not watched; without it that ends with the process. */
  readonly unwatched?: UnwatchedKeeper;
  /** How long after a failure all is tried again; 5 s unless a test is in a hurry. */
  readonly retryMs?: number;
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
  /** By line, the level that was seen last. */
  readonly #levels = new Map<string, boolean>();
  readonly #unwatched: UnwatchedLines;
  readonly #listeners = new Set<(sighting: Sighting) => void>();
  /** A request's number that no line has used: a line that cannot be watched is tried for as long as that lasts. */
  #spareRequest: number | undefined;
  #wired: readonly Wiring[] = [];
  /** Whether the wiring could be read when that was last tried. */
  #read = false;
  #reconciling: Promise<void> = Promise.resolve();
  #wiring: Promise<unknown> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #state: "closed" | "open" | "ready" = "closed";

  constructor(dependencies: RecorderDependencies) {
    this.#driver = dependencies.driver;
    this.#dependencies = dependencies;
    this.#queue = new SightingQueue(dependencies.writer, dependencies.log);
    const { bootId, lastAlive, unwatched = FORGOTTEN } = dependencies;
    this.#unwatched = new UnwatchedLines({
      ...{ keeper: unwatched, lastAlive },
      now: () => ({ bootId, monotonicMs: this.#monotonicMs() }),
    });
  }

  /** Opens the driver and watches what is wired. A line that cannot be watched is told and tried again. */
  async open(): Promise<void> {
    await this.#driver.open();
    this.#state = "open";
    await this.reconcile();
    // Who cannot tell which lines are wired lets go of none.
    if (this.#read) this.#driver.forgetOthers?.(this.#wired.map((wiring) => wiring.line));
    this.#state = "ready";
  }

  /** Stops watching, then waits until all that was seen is committed. */
  async close(): Promise<void> {
    this.#state = "closed";
    clearTimeout(this.#retry);
    await this.#reconciling;
    // Not line by line: that would release them for good, also those that outlive the process.
    await this.#driver.close();
    this.#watches.clear();
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

  /** Levels that the ledger has not taken in. */
  queue(): EdgeQueue {
    return this.#queue.state;
  }

  healthy(): boolean {
    if (this.#state !== "ready") return false;
    return this.#read && (this.#driver.name === "none" || this.#failures.size === 0);
  }

  detect(): Promise<readonly ChipInfo[]> {
    return this.#driver.detect();
  }

  async survey(): Promise<readonly SurveyedChip[]> {
    const chips = await this.#driver.detect();
    return surveyChips(chips, this.#dependencies.reader.wirings(), ({ line }) => {
      const watched = this.#watches.has(line);
      const level = watched ? (this.#levels.get(line) ?? null) : null;
      return { watched, level, problem: this.#failures.get(line) ?? null };
    });
  }

  read(line: string): Promise<boolean> {
    // In turn with wiring: a line that is being wired must not be found in use by a look at it.
    const read = this.#wiring.then(() =>
      readFreeLine(this.#driver, this.#dependencies.reader.wirings(), line),
    );
    this.#wiring = read.catch(() => {});
    return read;
  }

  wire(lines: readonly string[], save: () => Promise<void>): Promise<void> {
    // One after another: two that name the same line must not both find it free.
    const wired = this.#wiring.then(async () => {
      if (this.#driver.name !== "none") await this.#requireFree(lines);
      await save();
      await this.reconcile();
    });
    this.#wiring = wired.catch(() => {});
    return wired;
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

  /** Throws unless each of these lines is there, is free, and is wired under no other name. */
  async #requireFree(lines: readonly string[]): Promise<void> {
    const wirings = this.#dependencies.reader.wirings();
    const chips = await detectLetGo(this.#driver, wirings, lines);
    const nameAt = new Map<string, string>();
    for (const { line } of wirings) {
      const found = findLine(line, chips);
      if (found !== undefined) nameAt.set(formatLine(found), line);
    }
    for (const line of lines) {
      const found = resolveLine(line, chips);
      const name = nameAt.get(formatLine(found));
      if (name === line) continue;
      if (name !== undefined) {
        throw new FlancoError("conflict", `The line ${line} is wired already, under the name ${name}.`, {
          fields: { line: { kind: "unique", message: `is the line ${name}, which is wired already` } },
        });
      }
      if (found.holder !== null) {
        throw new FlancoError("conflict", `The line ${line} is in use by "${found.holder}".`, {
          hint: "Stop that program, or choose another line.",
          fields: { line: { kind: "unique", message: `is in use by "${found.holder}"` } },
        });
      }
      nameAt.set(formatLine(found), line);
    }
  }

  async #reconcileNow(): Promise<void> {
    if (this.#state === "closed") return;
    clearTimeout(this.#retry);
    this.#read = false;
    try {
      this.#wired = this.#dependencies.reader.wirings();
      this.#read = true;
      await this.#bringInLine();
    } finally {
      if (!this.#read || this.#failures.size > 0) this.#tryAgainSoon();
    }
  }

  #tryAgainSoon(): void {
    this.#retry = setTimeout(() => void this.reconcile(), this.#dependencies.retryMs ?? RETRY_MS);
    this.#retry.unref();
  }

  async #bringInLine(): Promise<void> {
    const wanted = new Map(this.#wired.map((wiring) => [wiring.line, wiring]));
    for (const [line, watch] of this.#watches) if (!wanted.has(line)) await this.#release(line, watch);
    for (const line of this.#failures.keys()) if (!wanted.has(line)) this.#failures.delete(line);
    this.#unwatched.retain((line) => wanted.has(line));
    this.#queue.retain((line) => wanted.has(line));
    for (const [line, wiring] of wanted) {
      const watch = this.#watches.get(line);
      if (watch !== undefined && isSame(wiring, watch.wiring)) this.#failures.delete(line);
      else await this.#watch(wiring);
    }
  }

  async #release(line: string, watch: Watch): Promise<void> {
    this.#watches.delete(line);
    await watch.line.close();
    this.#dependencies.log.info({ line }, "line released");
  }

  async #watch(wiring: Wiring): Promise<void> {
    const { writer, clock, log } = this.#dependencies;
    const { line, activeLow, bias, debounceMs } = wiring;
    try {
      this.#spareRequest ??= await writer.openRequest();
      const opened = this.#spareRequest;
      // A line that is watched already goes on until here: a disk may be slow, and a full one refuses.
      const before = this.#watches.get(line);
      if (before !== undefined) {
        await this.#release(line, before);
        this.#noteUnwatched(line);
      }
      const keep = this.#keeping(wiring, opened);
      let request = opened;
      const watched = await this.#driver.watch(
        { line, activeLow, bias, debounceMs, keep },
        (edge) => this.#take(wiring, request, edge),
        (error) => this.#lose(line, error),
      );
      this.#watches.set(line, { wiring, line: watched });
      this.#levels.set(line, watched.initiallyActive);
      if (watched.resumed === true && keep.seen !== null) {
        request = keep.seen.request;
      } else {
        this.#spareRequest = undefined;
        const edge = { active: watched.initiallyActive, timeNs: clock.monotonicNs(), sequence: 0, missed: 0 };
        const since = this.#unwatched.since(line);
        const goesOn = before !== undefined && this.#isUnnoticed(since);
        this.#take(wiring, request, edge, goesOn ? undefined : since);
      }
      this.#unwatched.watched(line);
      this.#failures.delete(line);
      const { chip, offset, resumed = false } = watched;
      log.info({ line, room: wiring.actuatorId, chip, offset, resumed }, "line watched");
    } catch (error) {
      this.#noteUnwatched(line);
      const message = problemOf(error);
      if (this.#failures.get(line) !== message) log.error({ line, err: error }, "line cannot be watched");
      this.#failures.set(line, message);
    }
  }

  /** Whether nothing was missed of a line that was requested anew at once, because its settings are others. */
  #isUnnoticed(since: BootMoment | undefined): boolean {
    return since !== undefined && this.#monotonicMs() - since.monotonicMs < UNNOTICED_MS;
  }

  /** From here on nobody watches a line, unless it is another request's already. */
  #noteUnwatched(line: string): void {
    if (!this.#watches.has(line)) this.#unwatched.note(line);
  }

  #monotonicMs(): number {
    return Number(this.#dependencies.clock.monotonicNs() / NANOSECONDS_PER_MILLISECOND);
  }

  /** What a line carries that may outlive this process, and where the ledger stands with it. */
  #keeping(wiring: Wiring, request: number): LineKeeping {
    const { reader, bootId } = this.#dependencies;
    const last = reader.lastSighting(wiring.line);
    const room = JSON.stringify([wiring.deviceId, wiring.actuatorId]);
    return { request, room, seen: last?.bootId === bootId ? last : null };
  }

  /** A chip was removed, say. The others go on; this one is tried again. */
  #lose(line: string, error: Error): void {
    this.#dependencies.log.error({ line, err: error }, "line lost");
    this.#watches.delete(line);
    this.#noteUnwatched(line);
    this.#failures.set(line, problemOf(error));
    void this.reconcile();
  }

  #take(wiring: Wiring, request: number, edge: Edge, unwatchedSince?: BootMoment): void {
    const { trust, log, bootId } = this.#dependencies;
    const { line, deviceId, actuatorId, activeLow } = wiring;
    const sighting: Sighting = {
      line,
      deviceId,
      actuatorId,
      activeLow,
      active: edge.active,
      timeMs: this.#wallTimeMs(edge.timeNs),
      monotonicNs: edge.timeNs,
      source: { bootId, request, sequence: edge.sequence },
      provisional: !trust.trusted(),
      missed: edge.missed,
      ...(unwatchedSince === undefined ? {} : { unwatchedSince }),
    };
    if (edge.missed > 0) log.error({ line, missed: edge.missed }, "edges lost: kept as a gap");
    this.#levels.set(line, edge.active);
    this.#queue.add(sighting);
    for (const listener of this.#listeners) listener(sighting);
  }

  /**
   * Wall time of a kernel time. The two clocks are read one after the other, and the processor may be taken away
   * between: then they are read again, and the reading that took least time counts.
   */
  #wallTimeMs(timeNs: bigint): number {
    const { clock } = this.#dependencies;
    let shortestNs: bigint | undefined;
    let wallMs = 0;
    for (let reading = 0; reading < CLOCK_READINGS; reading += 1) {
      const beforeNs = clock.monotonicNs();
      const nowMs = clock.nowMs();
      const tookNs = clock.monotonicNs() - beforeNs;
      if (shortestNs === undefined || tookNs < shortestNs) {
        shortestNs = tookNs;
        wallMs = nowMs - Math.max(0, Number((beforeNs - timeNs) / NANOSECONDS_PER_MILLISECOND));
      }
      if (tookNs < NANOSECONDS_PER_MILLISECOND) break;
    }
    return wallMs;
  }
}

/** Why a line is not watched, for people. */
function problemOf(error: unknown): string {
  if (!(error instanceof FlancoError)) return UNNAMED_PROBLEM;
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}

/** The same room by the same request: the line can go on as it is. */
function isSame(a: Wiring, b: Wiring): boolean {
  return a.deviceId === b.deviceId && a.actuatorId === b.actuatorId && sameRequest(a, b);
}
