import type { PasswordHasher } from "../../src/domain/account.ts";
import { type Clock, NANOSECONDS_PER_MILLISECOND } from "../../src/domain/clock.ts";
import type {
  ChipInfo,
  DrivableLines,
  Lines,
  LinesStatus,
  RawLevel,
  SurveyedChip,
} from "../../src/domain/line.ts";
import type { Log } from "../../src/domain/log.ts";
import { formatLine, resolveLine } from "../../src/gpio/address.ts";

/** Two times that move only when a test says so, and apart from each other, as on a gateway without a clock chip. */
export class SetClock implements Clock {
  #wallMs: number;
  #monotonicMs = 5_000;

  constructor(wallMs: number) {
    this.#wallMs = wallMs;
  }

  nowMs(): number {
    return this.#wallMs;
  }

  monotonicNs(): bigint {
    return BigInt(this.#monotonicMs) * NANOSECONDS_PER_MILLISECOND;
  }

  /** Sets wall time alone, as the network's time does. */
  setWall(wallMs: number): void {
    this.#wallMs = wallMs;
  }

  /** Lets time pass, by both clocks. */
  pass(ms: number): void {
    this.#wallMs += ms;
    this.#monotonicMs += ms;
  }

  /** Lets monotonic time alone pass. */
  advanceMonotonic(ms: number): void {
    this.#monotonicMs += ms;
  }
}

/** Lines of which the test says how they are. */
export class FakeLines implements Lines, DrivableLines {
  state: LinesStatus = { driver: "simulated", simulated: true, wired: [], watched: [], failures: [] };
  allWatched = true;
  /** What asking for a line fails with. */
  refusal: Error | undefined;
  reconciliations = 0;

  status(): LinesStatus {
    return this.state;
  }

  healthy(): boolean {
    return this.allWatched;
  }

  detect(): Promise<readonly ChipInfo[]> {
    return Promise.resolve([]);
  }

  /** What is found. */
  chips: readonly SurveyedChip[] = [];
  /** What a look at a line shows. */
  level = false;

  /** By chip and offset. */
  readonly driven: [string, boolean][] = [];

  set(line: string, high: boolean): void {
    // As the drivers read a line's name.
    this.driven.push([formatLine(resolveLine(line, this.chips)), high]);
  }

  async survey(): Promise<readonly SurveyedChip[]> {
    if (this.refusal !== undefined) throw this.refusal;
    return this.chips;
  }

  async readFree(lines: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
    return new Map(lines.map((line) => [line, this.level]));
  }

  async wire(lines: readonly string[], save: (names: readonly string[]) => Promise<void>): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    await save(lines);
    await this.reconcile();
  }

  async wiredNames(lines: readonly string[]): Promise<readonly string[]> {
    return lines;
  }

  reconcile(): Promise<void> {
    this.reconciliations += 1;
    return Promise.resolve();
  }

  listen(): () => void {
    return () => {};
  }

  readonly #rawListeners = new Set<(level: RawLevel) => void>();

  listenRaw(listener: (level: RawLevel) => void): () => void {
    this.#rawListeners.add(listener);
    return () => void this.#rawListeners.delete(listener);
  }

  /** A wired line comes to a level. */
  move(level: RawLevel): void {
    for (const listener of this.#rawListeners) listener(level);
  }
}

/** Takes every password for a wrong one, at once. */
export const WRONG_PASSWORDS: PasswordHasher = { hash: async () => "", matches: async () => false };

/** Keeps what was logged as errors. */
export class KeptLog implements Log {
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  /** What came with each of them. */
  readonly fields: object[] = [];

  debug(): void {}
  info(): void {}

  warn(_fields: object, message: string): void {
    this.warnings.push(message);
  }

  error(fields: object, message: string): void {
    this.errors.push(message);
    this.fields.push(fields);
  }
}

/** Stands before the ledger: while it has a failure, whatever is asked of the ledger fails with it. */
export class Breaker {
  failure: Error | undefined;
  /** What a test answers in the ledger's place, by method. */
  readonly instead = new Map<string, (...given: never[]) => unknown>();

  /** The target with its methods behind this breaker. */
  guard<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const member: unknown = Reflect.get(object, name, object);
        if (typeof member !== "function") return member;
        return (...given: unknown[]): unknown => {
          if (this.failure !== undefined) throw this.failure;
          return Reflect.apply(this.instead.get(String(name)) ?? member, object, given);
        };
      },
    });
  }
}
