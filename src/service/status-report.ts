import { type Clock, type ClockTrust, monotonicMs } from "../domain/clock.ts";
import { messageOf, withHint } from "../domain/error.ts";
import { faultName, faultsIn, type StatusReading, toldFault } from "../domain/fault.ts";
import type { Id } from "../domain/id.ts";
import type { CostlyReads, LedgerReader } from "../domain/ledger.ts";
import type { LocationLimit } from "../domain/limit.ts";
import type { Lines } from "../domain/line.ts";
import type { Log } from "../domain/log.ts";
import {
  type Currency,
  type Disk,
  type Machine,
  type Status,
  type StatusReader,
  UNKNOWN_MACHINE,
  UNREAD_LEDGER,
} from "../domain/status.ts";

/** How often the disk is looked at, and whether there is a new fault. */
const LOOK_MS = 30_000;
/** A reading of the disk is reused for this long. */
const DISK_AGE_MS = 2_000;

/** The parts of the status that other parts of the service know. */
export type StatusParts = Pick<
  StatusReading,
  "queues" | "lastBackup" | "lasting" | "sinks" | "newerPackage" | "updates" | "gateway" | "otherGateways"
>;

export interface StatusDependencies {
  readonly version: string;
  readonly timeZone: string;
  readonly currency: Currency;
  readonly bootId: string;
  readonly clock: Clock;
  readonly trust: ClockTrust & { trustedSinceMs(): number | null };
  readonly reader: Pick<LedgerReader, "lineTests">;
  readonly costly: Pick<CostlyReads, "ledgerStatus">;
  readonly lines: Pick<Lines, "status">;
  /**
   * These parts at the moment of the call. Lasting faults,
   * such as a full disk, stay in them until they are over.
   */
  readonly parts: () => StatusParts;
  /** Looks at the ledger's disk, however long that takes. */
  readonly readDisk: () => Promise<Disk>;
  /** Reads the sensors of the gateway. Never rejects. */
  readonly readMachine: () => Promise<Machine>;
  /** `Machine.announcedName`. */
  readonly announcedName: () => string | null;
  /** `Machine.syncMs`. */
  readonly syncMs: () => number | null;
  readonly log: Log;
}

/**
 * Makes the status of the appliance, for the API and for commands. It costs
 * some reads by index; the disk, which may take long, is looked at beforehand.
 */
export class StatusReport implements StatusReader {
  readonly #dependencies: StatusDependencies;
  /** When each fault was first seen, in monotonic milliseconds, without the lasting faults of other parts. */
  readonly #since = new Map<string, number>();
  #logged: ReadonlySet<string> = new Set();
  #startedMonotonicMs = 0;
  #disk: Disk | null = null;
  #machine = UNKNOWN_MACHINE;
  #diskReadMs = 0;
  #reading = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: StatusDependencies) {
    this.#dependencies = dependencies;
  }

  /** Begins to count the uptime, and to look at the disk, now and every half minute. Keeps no process running. */
  async open(): Promise<void> {
    this.#startedMonotonicMs = monotonicMs(this.#dependencies.clock);
    this.#timer = setInterval(() => void this.logNewFaults(), LOOK_MS).unref();
    await this.#measureDisk();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Measures the disk, then logs each fault that was not there at the last call. */
  async logNewFaults(): Promise<void> {
    const { log } = this.#dependencies;
    await this.#measureDisk();
    try {
      // Lasting faults are logged by the parts that report them.
      const kept = new Set(this.#dependencies.parts().lasting.map(faultName));
      const found = (await this.status()).faults.filter((fault) => !kept.has(faultName(fault)));
      for (const fault of found) {
        const { code, details } = fault;
        if (!this.#logged.has(faultName(fault))) log.warn({ code, ...details }, withHint(fault));
      }
      this.#logged = new Set(found.map(faultName));
    } catch (error) {
      log.error({ err: error }, "the ledger's status cannot be read");
    }
  }

  async status(userId?: Id, limit: LocationLimit | null = null): Promise<Status> {
    if (monotonicMs(this.#dependencies.clock) - this.#diskReadMs >= DISK_AGE_MS) void this.#measureDisk();
    const reading = await this.#read(userId, limit);
    const { lasting, bootedForMs, unread: _unread, troubles: _troubles, ...status } = reading;
    const seen = new Set<string>();
    const faults = faultsIn(reading, (what) => {
      seen.add(what);
      return status.clock.nowMs - (bootedForMs - this.#firstSeenMs(what, bootedForMs));
    });
    // The status of one user has only some of the faults.
    if (userId === undefined)
      for (const what of this.#since.keys()) if (!seen.has(what)) this.#since.delete(what);
    return { ...status, faults: faults.map((fault) => toldFault(fault, status.timeZone)) };
  }

  async #read(userId: Id | undefined, limit: LocationLimit | null): Promise<StatusReading> {
    const { clock, trust, lines, bootId, version, timeZone, currency } = this.#dependencies;
    const { announcedName, syncMs } = this.#dependencies;
    const nowMs = clock.nowMs();
    const bootedForMs = monotonicMs(clock);
    const uptimeMs = bootedForMs - this.#startedMonotonicMs;
    const { ledger, tests, unread } = await this.#readLedger(nowMs, bootedForMs, userId, limit);
    const { driver, simulated, watched, failures } = lines.status();
    const wired = unread === null ? ledger.lastEdges : [...failures, ...watched.map((line) => ({ line }))];
    const own = new Set(wired.map(({ line }) => line));
    return {
      unread,
      version,
      timeZone,
      currency,
      driver,
      simulated,
      bootedForMs,
      uptimeMs,
      ...ledger,
      startedMs: nowMs - uptimeMs,
      clock: { nowMs, trusted: trust.trusted(), trustedSinceMs: trust.trustedSinceMs(), bootId },
      linesWired: own.size,
      linesWatched: watched.filter((line) => own.has(line)).length,
      lineFailures: failures.filter(({ line }) => own.has(line)),
      tests: tests.map(({ remainingMs, ...test }) => ({
        ...test,
        untilMs: Math.round(nowMs + remainingMs),
      })),
      ...this.#dependencies.parts(),
      disk: this.#disk,
      machine: { ...this.#machine, announcedName: announcedName(), syncMs: syncMs() },
    };
  }

  /** What is wrong with the whole appliance must be told also where the ledger cannot be read. A user's part rejects. */
  async #readLedger(nowMs: number, bootedForMs: number, userId: Id | undefined, limit: LocationLimit | null) {
    const { costly, reader, bootId } = this.#dependencies;
    try {
      const ledger = await costly.ledgerStatus(bootId, nowMs, userId, limit);
      const own = new Set(ledger.lastEdges.map(({ line }) => line));
      const tests = reader
        .lineTests({ bootId, monotonicMs: bootedForMs }, userId)
        .filter(({ line }) => limit === null || own.has(line));
      return { ledger, tests, unread: null };
    } catch (error) {
      if (userId !== undefined) throw error;
      return { ledger: UNREAD_LEDGER, tests: [], unread: messageOf(error) };
    }
  }

  #firstSeenMs(what: string, nowMs: number): number {
    const before = this.#since.get(what);
    if (before !== undefined) return before;
    this.#since.set(what, nowMs);
    return nowMs;
  }

  /** Looks at the disk. While that hangs no second look begins: each would take a thread that reads files. */
  async #measureDisk(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      const { readDisk, readMachine } = this.#dependencies;
      [this.#disk, this.#machine] = await Promise.all([readDisk(), readMachine()]);
    } catch (error) {
      this.#disk = null;
      this.#dependencies.log.error({ err: error }, "the disk cannot be examined");
    } finally {
      this.#diskReadMs = monotonicMs(this.#dependencies.clock);
      this.#reading = false;
    }
  }
}
