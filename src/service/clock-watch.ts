import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import {
  type Clock,
  type ClockTrust,
  EARLIEST_MS,
  HOUR_MS,
  MINUTE_MS,
  monotonicMs,
  NS_PER_MS,
} from "../domain/clock.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";

const LOOK_MS = 1_000;
/** A wall clock that moved this far from the monotonic one was set; by less it is only adjusted. */
const JUMP_MS = 1_000;
/** How often a sign of life is written. A crash loses at most this much of it. */
const SIGN_MS = MINUTE_MS;
/** How often the ledger takes it over: where the file of the signs is lost, a gap begins by so much too early. */
const NOTE_MS = HOUR_MS;
const PURGE_MS = HOUR_MS;

export interface ClockWatchDependencies {
  readonly clock: Clock;
  readonly bootId: string;
  /**
   * Whether the clock was set from outside, and is trusted from then on. `always`: the
   * machine keeps its own time, which is trusted unless it is before the program existed.
   */
  readonly synchronized: SynchronizationCheck | "always";
  readonly writer: Pick<LedgerWriter, "noteBoot" | "settleTimes" | "purge">;
  readonly reader: Pick<LedgerReader, "boots" | "unsettledBoots">;
  readonly log: Log;
  /** The monotonic time up to which every edge is committed (`Recorder.committedMs`): the last sign of life. */
  readonly committedMs: () => number;
  /** Writes a sign of life durably, beside the ledger. */
  readonly sign: (aliveMs: number) => Promise<void>;
  /** Called when the stored boots have changed: the ages of sessions follow from them. */
  readonly onBoots: () => void;
}

/**
 * Watches the wall clock: whether it is trusted, and what follows when it becomes so. Trust once given lasts
 * for the boot, over restarts of the process, and with it the wall time of the boot's monotonic zero: a
 * later setting of the clock, right or wrong, changes neither. Only `always` follows each setting.
 */
export class ClockWatch implements ClockTrust {
  readonly #dependencies: ClockWatchDependencies;
  /** Wall time of monotonic zero, as trusted; null: not trusted. */
  #zeroMs: number | null = null;
  /** The same by a later setting of the clock, if that differs by a minute or more; else null. */
  #setZeroMs: number | null = null;
  /** Monotonic time at which this process first saw it trusted. */
  #trustedAtMs: number | null = null;
  /** Wall time of monotonic zero by the clock itself, at the last look. */
  #offsetMs = 0;
  #noted:
    | { readonly zeroMs: number | null; readonly setZeroMs: number | null; readonly atMs: number }
    | undefined;
  #signedAtMs = 0;
  /** Whether the records of earlier boots were given their times. */
  #resumed = false;
  #settled = false;
  #committedMs = 0;
  #purgedAtMs = Number.NEGATIVE_INFINITY;
  #failing = false;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;

  constructor(dependencies: ClockWatchDependencies) {
    this.#dependencies = dependencies;
  }

  /** Looks at the clock, and stores this boot in the ledger, now or when the ledger takes writes again. */
  async open(): Promise<void> {
    const { bootId, reader, synchronized, log } = this.#dependencies;
    this.#offsetMs = this.#offset();
    if (synchronized !== "always") {
      this.#zeroMs = reader.boots().find((boot) => boot.bootId === bootId)?.zeroMs ?? null;
    }
    this.#judge();
    this.#committedMs = this.#dependencies.committedMs();
    await this.#attempt(() => this.#saveBoot());
    if (!this.trusted()) {
      log.warn({}, "the clock is not trusted yet: sales are kept, and moved once the network has set it");
    }
    this.checkClock();
    this.#timer = setInterval(() => this.checkClock(), LOOK_MS).unref();
  }

  /** Stops looking, once the work under way is done. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
    this.#noted = undefined;
    this.#committedMs = this.#dependencies.committedMs();
    await this.#attempt(() => this.#saveBoot());
  }

  trusted(): boolean {
    return this.#zeroMs !== null;
  }

  /** Since when the network has set it, as far as this process has seen, in Unix milliseconds; null where it has not. */
  trustedSinceMs(): number | null {
    if (this.#trustedAtMs === null || this.#dependencies.synchronized === "always") return null;
    return this.#dependencies.clock.nowMs() - (this.#nowMs() - this.#trustedAtMs);
  }

  /** Checks the clock. Called every second; writes that the ledger refused are tried again then. */
  checkClock(): void {
    const { log } = this.#dependencies;
    const offsetMs = this.#offset();
    const jumpMs = offsetMs - this.#offsetMs;
    if (Math.abs(jumpMs) >= JUMP_MS) {
      this.#offsetMs = offsetMs;
      log.warn({ seconds: Math.round(jumpMs / 1000) }, "the wall clock was set");
    }
    this.#judge();
    this.#committedMs = this.#dependencies.committedMs();
    this.#working ??= this.#attempt(() => this.#work()).finally(() => {
      this.#working = undefined;
    });
  }

  /** Resolves once the work that is under way is done. */
  async idle(): Promise<void> {
    await this.#working;
  }

  #judge(): void {
    const { clock, synchronized, log } = this.#dependencies;
    const isWrong = clock.nowMs() < EARLIEST_MS;
    if (synchronized === "always") {
      this.#zeroMs = isWrong ? null : this.#offsetMs;
    } else if (this.#zeroMs === null && !isWrong && synchronized()) {
      this.#offsetMs = this.#offset();
      this.#zeroMs = this.#offsetMs;
      log.info({}, "the clock is trusted: the network, or a clock chip, has set it");
    }
    if (this.#zeroMs === null) return;
    this.#trustedAtMs ??= this.#nowMs();
    const isAnother = Math.abs(this.#offsetMs - this.#zeroMs) >= MINUTE_MS;
    this.#setZeroMs = isAnother ? this.#offsetMs : null;
  }

  /** Takes over the zero by which an operator has corrected the times of sales. */
  corrected(bootId: string, zeroMs: number): void {
    if (bootId !== this.#dependencies.bootId) return;
    this.#zeroMs = zeroMs;
    this.#judge();
  }

  async #work(): Promise<void> {
    const { bootId, writer, reader, log } = this.#dependencies;
    const noted = this.#noted;
    const isKnown = noted?.zeroMs === this.#zeroMs && noted.setZeroMs === this.#setZeroMs;
    if (!isKnown || this.#nowMs() - noted.atMs >= NOTE_MS) await this.#saveBoot();
    if (!this.#resumed) {
      for (const boot of reader.unsettledBoots()) await settleTimes(writer, boot.bootId, boot.zeroMs);
      this.#resumed = true;
    }
    // The zero is stored first: from then on the writer gives sightings from before it their times.
    const zeroMs = this.#noted?.zeroMs ?? null;
    if (zeroMs !== null && !this.#settled) {
      const moved = await settleTimes(writer, bootId, zeroMs);
      this.#settled = true;
      if (moved > 0) log.info({ moved }, "records were given their time");
    }
    if (this.#nowMs() - this.#purgedAtMs >= PURGE_MS) {
      await purge(writer);
      this.#purgedAtMs = this.#nowMs();
    }
    // Only now: the last process's sign is needed until this one's boot is in the ledger.
    if (this.#nowMs() - this.#signedAtMs >= SIGN_MS) await this.#sign();
  }

  async #saveBoot(): Promise<void> {
    const { bootId, writer, onBoots } = this.#dependencies;
    const [zeroMs, setZeroMs] = [this.#zeroMs, this.#setZeroMs];
    await writer.noteBoot(bootId, zeroMs, this.#committedMs, setZeroMs);
    this.#noted = { zeroMs, setZeroMs, atMs: this.#nowMs() };
    this.#signedAtMs = this.#nowMs();
    onBoots();
  }

  /**
   * A sign that its file does not take goes to the ledger: so gaps stay as exact,
   * and a disk that fails is found within a minute, also while nothing is sold.
   */
  async #sign(): Promise<void> {
    try {
      await this.#dependencies.sign(this.#committedMs);
      this.#signedAtMs = this.#nowMs();
    } catch (error) {
      this.#dependencies.log.warn({ err: error }, "the sign of life goes to the ledger: its file takes none");
      await this.#saveBoot();
    }
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) {
        this.#dependencies.log.error({ err: error }, "the state of the clock could not be stored");
      }
      this.#failing = true;
    }
  }

  #nowMs(): number {
    return monotonicMs(this.#dependencies.clock);
  }

  /** Wall time of monotonic zero as the clock has it, in whole milliseconds. */
  #offset(): number {
    const { clock } = this.#dependencies;
    return Math.round(clock.nowMs() - Number(clock.monotonicNs()) / NS_PER_MS);
  }
}

/** Gives every provisional record of a boot its time, and gives how many these were. */
export async function settleTimes(
  writer: Pick<LedgerWriter, "settleTimes">,
  bootId: string,
  zeroMs: number | null,
): Promise<number> {
  for (let settled = 0; ; ) {
    const { moved, more } = await writer.settleTimes(bootId, zeroMs);
    settled += moved;
    if (!more) return settled;
  }
}

/** Removes all expired sessions and keys (`LedgerCommands.purge`), and gives how many these were. */
export async function purge(writer: Pick<LedgerWriter, "purge">): Promise<number> {
  for (let purged = 0; ; ) {
    const removed = await writer.purge();
    if (removed === 0) return purged;
    purged += removed;
  }
}

/**
 * Files that exist once the clock was set from outside in this boot: systemd-timesyncd(8)'s, by the network, and that
 * of a card, by a clock chip which the network had set before (packaging/card/usr/lib/flanco-card/rtc).
 */
const MARKS: readonly string[] = ["/run/systemd/timesync/synchronized", "/run/flanco-clock"];

/** Whether something has set the wall clock from a source outside since the machine was started. */
export type SynchronizationCheck = () => boolean;

/** How often systemd-timedated is asked, and how long it may take to answer: it is started for the question. */
const ASK_EVERY_MS = MINUTE_MS;
/**
 * When it is first asked: not while the service starts,
 * because starting a program takes a twentieth of that time.
 */
const FIRST_ASKED_MS = LOOK_MS;
const ANSWER_MS = 20_000;
const TIMEDATECTL = ["show", "--property=NTPSynchronized", "--value"];

/**
 * Looks for the marks at each call, and asks systemd-timedated for other time daemons
 * (chrony, ntpd). It does not ask the kernel by adjtimex(2), which the unit's ProtectClock= refuses.
 */
export function synchronizedBySystem(marks = MARKS): SynchronizationCheck {
  const timedated = askTimedated();
  return () => marks.some((file) => existsSync(file)) || timedated();
}

/**
 * Whether `program` (timedatectl(1); another one in tests) has answered yes. It is asked after a second,
 * and then at most once a minute while the answer is no. A call never waits: it gives the last answer.
 */
export function askTimedated(
  program = "timedatectl",
  nowMs: () => number = () => performance.now(),
): SynchronizationCheck {
  let isYes = false;
  let isAsking = false;
  let askedMs = nowMs() + FIRST_ASKED_MS - ASK_EVERY_MS;
  return () => {
    if (isYes || isAsking || nowMs() - askedMs < ASK_EVERY_MS) return isYes;
    isAsking = true;
    askedMs = nowMs();
    // The program needs no variable of this process but PATH.
    const options = { timeout: ANSWER_MS, env: { PATH: process.env["PATH"] } };
    execFile(program, TIMEDATECTL, options, (_error, stdout) => {
      isAsking = false;
      isYes = stdout.trim() === "yes";
    });
    return false;
  };
}

/** Whether systemd-timedated knows no program that sets the clock from the network, and nothing else has set it. */
export async function hasNoTimeProgram(): Promise<boolean> {
  const properties = ["show", "--property=CanNTP", "--property=NTPSynchronized"];
  const answer = promisify(execFile)("timedatectl", properties, { timeout: ANSWER_MS });
  const { stdout } = await answer.catch(() => ({ stdout: "" }));
  return stdout.includes("CanNTP=no") && stdout.includes("NTPSynchronized=no");
}
