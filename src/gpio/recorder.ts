import { setImmediate as turn } from "node:timers/promises";
import type { BootMoment } from "../domain/boot.ts";
import {
  type Clock,
  type ClockTrust,
  monotonicMs,
  NS_PER_MS,
  SECOND_MS,
  type Timers,
  wallMsOf,
} from "../domain/clock.ts";
import { FlancoError, withHint } from "../domain/error.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type {
  ChipInfo,
  Edge,
  EdgeQueue,
  LineDriver,
  Lines,
  LinesStatus,
  RawLevel,
  SurveyedChip,
  WatchedLine,
} from "../domain/line.ts";
import type { Log } from "../domain/log.ts";
import type { Sighting } from "../domain/sale.ts";
import { isWatchedAlike, type Wiring } from "../domain/wiring.ts";
import { namesToWire, readFreeLines, requireLasting, surveyChips, wiredNames } from "./address.ts";
import { SightingQueue } from "./sighting-queue.ts";

/** How often a line that could not be watched is tried again: its holder may have released it. */
const RETRY_MS = 5 * SECOND_MS;
/** Lines that are asked for in one turn of the event loop: a thousand boxes' lines may be away together. */
const LINES_AT_ONCE = 50;
/** A line that was unwatched for less than this has missed nothing: nobody switches a relay on and off faster. */
const UNNOTICED_MS = 250;

export interface RecorderDependencies {
  readonly driver: LineDriver;
  readonly writer: Pick<LedgerWriter, "takeIn" | "noteUnwatched" | "keepUnwatched">;
  readonly reader: Pick<LedgerReader, "wirings" | "lastAlive" | "lastSighting" | "lastRequest" | "unwatched">;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly trust: ClockTrust;
  readonly log: Log;
  /** The kernel's id of this boot. */
  readonly bootId: string;
  /** How long after a failure everything is tried again; 5 s unless a test sets it. */
  readonly retryMs?: number;
}

type SightingGap = Pick<Sighting, "unwatchedSince" | "gapReason">;

interface Watch {
  readonly wiring: Wiring;
  readonly line: WatchedLine;
  /** As it was seen last. */
  level: boolean;
}

/** Watches every wired line and writes what it sees to the ledger, in order. */
export class Recorder implements Lines {
  readonly #driver: LineDriver;
  readonly #dependencies: RecorderDependencies;
  readonly #queue: SightingQueue;
  readonly #watches = new Map<string, Watch>();
  /** Why a wired line is not watched, by line. */
  readonly #failures = new Map<string, string>();
  readonly #unwatched: UnwatchedLines;
  /** Lines that are requested again because edges of them were swallowed. */
  readonly #swallowed = new Set<string>();
  readonly #listeners = new Set<(sighting: Sighting) => void>();
  readonly #rawListeners = new Set<(level: RawLevel) => void>();
  /**
   * The number of the newest request, also of one that failed. The ledger stores one
   * with the request's first level: until then nothing depends on it.
   */
  #lastRequest: number;
  #wired: readonly Wiring[] = [];
  /** Whether the last attempt to read the wiring succeeded. */
  #isWiringKnown = false;
  #reconciling: Promise<void> = Promise.resolve();
  #wiring: Promise<unknown> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #state: "closed" | "open" | "ready" = "closed";
  /** When `committedMs` was called last: all edges up to then are read at its next call. */
  #readMs: number;
  #committedMs = 0;

  constructor(dependencies: RecorderDependencies) {
    this.#driver = dependencies.driver;
    this.#dependencies = dependencies;
    this.#queue = new SightingQueue(dependencies.writer, dependencies.log);
    this.#lastRequest = dependencies.reader.lastRequest();
    this.#readMs = monotonicMs(dependencies.clock);
    this.#unwatched = new UnwatchedLines(dependencies);
  }

  /**
   * Stores since when the wired lines are not watched. Call it just before this
   * process's first sign of life, in its turn of the event loop: that replaces the
   * last process's, and this process may end before it has seen its lines.
   * @param lastSign the last process's, where it is later than the ledger has it
   */
  begin(lastSign?: BootMoment): void {
    this.#unwatched.begin(lastSign);
  }

  /** Opens the driver, and watches the wired lines. A line that cannot be watched is reported and tried again. */
  async open(): Promise<void> {
    await this.#driver.open();
    this.#state = "open";
    await this.reconcile();
    if (this.#isWiringKnown) this.#driver.forgetOthers?.(this.#wired.map((wiring) => wiring.line));
    this.#state = "ready";
  }

  /** Stops watching, then waits until everything seen is committed. */
  async close(): Promise<void> {
    this.#state = "closed";
    clearTimeout(this.#retry);
    await this.#reconciling;
    // The driver is closed as a whole: closing a line by itself would end its keeping for the next process.
    await this.#driver.close();
    this.#watches.clear();
    await this.#queue.close();
  }

  status(): LinesStatus {
    return {
      driver: this.#driver.name,
      simulated: this.#driver.name === "simulated",
      wired: this.#wired.map((wiring) => wiring.line),
      watched: [...this.#watches.keys()],
      failures: [...this.#failures].map(([line, message]) => ({ line, message })),
    };
  }

  /** Levels that wait for their commit. */
  queue(): EdgeQueue {
    return this.#queue.state;
  }

  /**
   * The monotonic time, in milliseconds, up to which every edge of the lines is committed.
   * Call it now and then, each time in another turn of the event loop: by the next call
   * that has read all edges which the kernel had buffered, and no edge waits if none does then.
   */
  committedMs(): number {
    const readMs = this.#readMs;
    this.#readMs = monotonicMs(this.#dependencies.clock);
    if (this.#queue.oldest === undefined) this.#committedMs = readMs;
    const debouncesMs = [...this.#watches.values()].map(({ wiring }) => wiring.debounceMs);
    // A change that is read and not judged yet is not among the edges.
    return Math.max(0, this.#committedMs - Math.max(0, ...debouncesMs));
  }

  /**
   * Resolves once every edge that was seen until now is committed, so that it has the price, the room
   * and the names that hold now; undefined where none waits. Rejects while the ledger takes no writes.
   */
  settled(): Promise<void> | undefined {
    return this.#queue.oldest && this.#queue.settled();
  }

  healthy(): boolean {
    if (this.#state !== "ready") return false;
    return this.#isWiringKnown && (this.#driver.name === "none" || this.#failures.size === 0);
  }

  detect(): Promise<readonly ChipInfo[]> {
    return this.#driver.detect();
  }

  async survey(): Promise<readonly SurveyedChip[]> {
    const chips = await this.#driver.detect();
    return surveyChips(chips, this.#dependencies.reader.wirings(), ({ line }) => {
      const level = this.#watches.get(line)?.level ?? null;
      return { watched: level !== null, level, problem: this.#failures.get(line) ?? null };
    });
  }

  readFree(lines: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
    return this.#inTurn(() => readFreeLines(this.#driver, this.#dependencies.reader.wirings(), lines));
  }

  wire(lines: readonly string[], save: (names: readonly string[]) => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      const wirings = this.#dependencies.reader.wirings();
      await save(this.#driver.name === "none" ? lines : await namesToWire(this.#driver, wirings, lines));
      await this.reconcile();
    });
  }

  wiredNames(lines: readonly string[]): Promise<readonly string[]> {
    return wiredNames(this.#driver, this.#dependencies.reader.wirings(), lines);
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

  listenRaw(listener: (level: RawLevel) => void): () => void {
    this.#rawListeners.add(listener);
    return () => void this.#rawListeners.delete(listener);
  }

  /** Runs actions one after another: two callers must not both find the same line free. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#wiring.then(act);
    this.#wiring = done.catch(() => {});
    return done;
  }

  async #reconcileNow(): Promise<void> {
    if (this.#state === "closed") return;
    clearTimeout(this.#retry);
    this.#isWiringKnown = false;
    try {
      this.#wired = this.#dependencies.reader.wirings();
      this.#isWiringKnown = true;
      await this.#applyWiring();
    } finally {
      if (!this.#isWiringKnown || this.#failures.size > 0) {
        this.#retry = setTimeout(() => void this.reconcile(), this.#dependencies.retryMs ?? RETRY_MS).unref();
      }
    }
  }

  async #applyWiring(): Promise<void> {
    const wanted = new Map(this.#wired.map((wiring) => [wiring.line, wiring]));
    const isWired = (line: string) => wanted.has(line);
    for (const [line, watch] of this.#watches) if (!isWired(line)) await this.#release(line, watch);
    for (const line of this.#failures.keys()) if (!isWired(line)) this.#failures.delete(line);
    this.#unwatched.retain(isWired);
    this.#queue.retain(isWired);
    const lines = [...wanted];
    for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
      if (from > 0) await turn();
      // At once: each line is waited for until it is at rest.
      await Promise.all(lines.slice(from, from + LINES_AT_ONCE).map(([, wiring]) => this.#apply(wiring)));
    }
  }

  async #apply(wiring: Wiring): Promise<void> {
    const { line } = wiring;
    const watch = this.#watches.get(line);
    if (watch !== undefined && isWatchedAlike(wiring, watch.wiring)) this.#failures.delete(line);
    else await this.#watch(wiring);
  }

  async #release(line: string, watch: Watch): Promise<void> {
    this.#watches.delete(line);
    await watch.line.close();
    this.#dependencies.log.info({ line }, "line released");
  }

  async #watch(wiring: Wiring): Promise<void> {
    const { line } = wiring;
    try {
      requireLasting(line);
      await this.#openWatch(wiring);
    } catch (error) {
      if (this.#watches.get(line)?.wiring === wiring) this.#watches.delete(line);
      if (!this.#watches.has(line)) this.#unwatched.ended(line);
      const message = problemOf(error);
      if (this.#failures.get(line) !== message) {
        this.#dependencies.log.error({ line, err: error }, "line cannot be watched");
      }
      this.#failures.set(line, message);
    }
  }

  /**
   * Watches a line, in place of an earlier watch of it. A kept
   * line continues its request; any other begins a new one.
   */
  async #openWatch(wiring: Wiring): Promise<void> {
    const { line } = wiring;
    this.#lastRequest += 1;
    const newRequest = this.#lastRequest;
    const before = this.#watches.get(line);
    if (before !== undefined) {
      await this.#release(line, before);
      this.#unwatched.ended(line);
    }
    const { reader, bootId } = this.#dependencies;
    const last = reader.lastSighting(line);
    const seen = last?.bootId === bootId ? last : null;
    const keep = { request: newRequest, seen };
    const { activeLow, bias, debounceMs } = wiring;
    const lastHigh = last?.high;
    const settled = () => this.#queue.settled();
    const watched = await this.#driver.watch({ line, activeLow, bias, debounceMs, lastHigh, keep, settled });
    this.#watches.set(line, { wiring, line: watched, level: watched.initiallyActive });
    const resumed = watched.resumed === true ? keep.seen : null;
    if (resumed === null) this.#takeInitialLevel(wiring, newRequest, watched, before !== undefined);
    // Before `listen`, which may report at once that the line is lost.
    this.#failures.delete(line);
    const request = resumed?.request ?? newRequest;
    watched.listen(
      (edge) => this.#take(wiring, request, edge),
      (error, rightNs) => this.#lose(line, error, rightNs),
      (edge) => this.#tellRaw(line, edge),
    );
    if (resumed !== null) void this.#resumed(line, watched);
    const told = { line, room: wiring.actuatorId, address: watched.address, resumed: resumed !== null };
    this.#dependencies.log.info(told, "line watched");
  }

  /** @param isExchange whether the watch takes the place of one that this process has just ended */
  #takeInitialLevel(
    wiring: Wiring,
    request: number,
    { initiallyActive }: WatchedLine,
    isExchange: boolean,
  ): void {
    const { line } = wiring;
    const timeNs = this.#dependencies.clock.monotonicNs();
    const edge = { active: initiallyActive, timeNs, sequence: 0, missed: 0 };
    const unwatchedSince =
      isExchange && this.#unwatched.isUnnoticed(line) ? undefined : this.#unwatched.since(line);
    const reason = this.#swallowed.delete(line) ? { gapReason: "swallowed" as const } : {};
    this.#unwatched.began(line, unwatchedSince !== undefined);
    this.#tellRaw(line, edge);
    this.#take(wiring, request, edge, unwatchedSince && { unwatchedSince, ...reason });
  }

  #tellRaw(line: string, { active, timeNs, sequence, missed }: Edge): void {
    const atMs = Number(timeNs) / NS_PER_MS;
    const level = { line, active, atMs, missed, isFirst: sequence === 0 };
    for (const listener of this.#rawListeners) listener(level);
  }

  /**
   * Notes that a kept line is watched, once the edges that the kernel
   * has kept are committed: a process that ends earlier leaves a gap.
   */
  async #resumed(line: string, watched: WatchedLine): Promise<void> {
    await this.#queue.idle();
    const isWatched = this.#watches.get(line)?.line === watched;
    if (isWatched && this.#queue.oldest === undefined) this.#unwatched.began(line, false);
  }

  /**
   * Handles the failure of a line, as when its chip is removed, or when it differs
   * from its edges, of which some were swallowed since `rightNs`. It is requested
   * again, and tried again where that fails; the other lines go on.
   */
  #lose(line: string, error: Error, rightNs?: bigint): void {
    this.#dependencies.log.error({ line, err: error }, "line lost");
    this.#watches.delete(line);
    this.#unwatched.ended(line, rightNs === undefined ? undefined : this.#momentOf(rightNs));
    if (rightNs === undefined) this.#failures.set(line, problemOf(error));
    else this.#swallowed.add(line);
    void this.reconcile();
  }

  #momentOf(timeNs: bigint): BootMoment {
    return { bootId: this.#dependencies.bootId, monotonicMs: Number(timeNs) / NS_PER_MS };
  }

  #take(wiring: Wiring, request: number, edge: Edge, unseen?: SightingGap): void {
    const { clock, trust, log, bootId } = this.#dependencies;
    const { line, deviceId, actuatorId, activeLow } = wiring;
    const { lostSinceNs } = edge;
    const sighting: Sighting = {
      line,
      deviceId,
      actuatorId,
      activeLow,
      active: edge.active,
      timeMs: wallMsOf(clock, edge.timeNs),
      monotonicNs: edge.timeNs,
      source: { bootId, request, sequence: edge.sequence },
      provisional: !trust.trusted(),
      missed: edge.missed,
      ...(lostSinceNs === undefined
        ? unseen
        : { unwatchedSince: this.#momentOf(lostSinceNs), gapReason: "overflow" }),
    };
    if (edge.missed > 0 || lostSinceNs !== undefined)
      log.error({ line, missed: edge.missed }, "edges lost: kept as a gap");
    const watch = this.#watches.get(line);
    if (watch !== undefined) watch.level = edge.active;
    this.#queue.add(sighting);
    for (const listener of this.#listeners) listener(sighting);
  }
}

/** Since when each wired line is not watched, across any number of processes. */
class UnwatchedLines {
  readonly #dependencies: RecorderDependencies;
  /**
   * By line; null while it is watched. For a line that this process has not tried yet, as the
   * last process stored it; none for a line that is new, of which nothing could be missed.
   */
  readonly #since: Map<string, BootMoment | null>;

  constructor(dependencies: RecorderDependencies) {
    this.#dependencies = dependencies;
    this.#since = new Map(dependencies.reader.unwatched());
  }

  /** As `Recorder.begin`: since the last sign of life of an earlier process, unless that has stored more. */
  begin(lastSign?: BootMoment): void {
    const { reader, writer } = this.#dependencies;
    const lastAlive = lastSign ?? reader.lastAlive();
    if (lastAlive === undefined) return;
    const lines = reader.wirings().map(({ line }) => line);
    for (const line of lines) if (!this.#since.has(line)) this.#since.set(line, lastAlive);
    this.#store(writer.keepUnwatched(lastAlive), lines);
  }

  /** Since when a line is not watched; undefined for one that was never watched, or is watched. */
  since(line: string): BootMoment | undefined {
    return this.#since.get(line) ?? undefined;
  }

  /** Whether a line has been unwatched for so short a time that it has missed nothing. */
  isUnnoticed(line: string): boolean {
    const since = this.since(line);
    return since !== undefined && this.#now.monotonicMs - since.monotonicMs < UNNOTICED_MS;
  }

  /** Call when a line's watch has ended, or could not begin. `since`: from when on it was of no use. */
  ended(line: string, since = this.#now): void {
    if (this.#since.get(line) !== null) return;
    this.#since.set(line, since);
    this.#note(line, since);
  }

  /**
   * Call when a line's watch has begun. `isReported`: a sighting
   * carries `unwatchedSince`, with which the ledger ends the gap.
   */
  began(line: string, isReported: boolean): void {
    const before = this.#since.get(line);
    this.#since.set(line, null);
    if (!isReported && before != null) this.#note(line, null);
  }

  /** Forgets lines that are not wired, as the ledger does. */
  retain(isWired: (line: string) => boolean): void {
    for (const line of this.#since.keys()) if (!isWired(line)) this.#since.delete(line);
  }

  get #now(): BootMoment {
    const { bootId, clock } = this.#dependencies;
    return { bootId, monotonicMs: monotonicMs(clock) };
  }

  #note(line: string, since: BootMoment | null): void {
    this.#store(this.#dependencies.writer.noteUnwatched(line, since), [line]);
  }

  #store(stored: Promise<void>, lines: readonly string[]): void {
    const { log } = this.#dependencies;
    stored.catch((err: unknown) =>
      log.warn({ err, lines }, "the start of a gap could not be stored: these lines' gap may be missing"),
    );
  }
}

/** Why a line is not watched. The text of an error that was not written for people may have paths and codes in it. */
function problemOf(error: unknown): string {
  return error instanceof FlancoError ? withHint(error) : "The line cannot be watched; the log says more.";
}
