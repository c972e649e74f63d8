import type { BootMoment } from "../../src/domain/boot.ts";
import { VirtualTime } from "../../src/domain/clock.ts";
import { FlancoError } from "../../src/domain/error.ts";
import type { SightingResult } from "../../src/domain/ledger.ts";
import type { ChipInfo, Edge, LineDriver, LineRequest, WatchedLine } from "../../src/domain/line.ts";
import type { Log } from "../../src/domain/log.ts";
import type { LastSighting, Sighting } from "../../src/domain/sale.ts";
import type { Wiring } from "../../src/domain/wiring.ts";
import { Recorder, type RecorderDependencies } from "../../src/gpio/recorder.ts";

export const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A wiring of a line to a room of the same name. */
export function wiring(line: string, overrides: Partial<Wiring> = {}): Wiring {
  return {
    line,
    userId: "u",
    deviceId: "d",
    dId: "7234",
    deviceName: "Pasillo A",
    actuatorId: line,
    valorMicros: 1,
    activeLow: false,
    bias: "as-is",
    debounceMs: 0,
    rearmMs: 0,
    paidMinutes: 0,
    ...overrides,
  };
}

/** A driver whose edges the test gives, and that notes what is asked of it. */
export class HandDriver implements LineDriver {
  readonly name = "chardev";
  readonly asked: string[] = [];
  readonly held = new Set<string>();
  readonly edges = new Map<string, (edge: Edge) => void>();
  /** What was asked of each line last. */
  readonly requests = new Map<string, LineRequest>();
  /** Lines that go on with the request that the ledger saw last, when it saw one. */
  readonly kept = new Set<string>();
  readonly others: string[][] = [];
  closed = false;
  readonly losses = new Map<string, (error: Error, rightNs?: bigint) => void>();
  /** Runs before a line is requested. */
  beforeWatch: () => void = () => {};
  /** What asking for a line fails with. */
  failure: Error | undefined;

  forgetOthers(lines: readonly string[]): void {
    this.others.push([...lines]);
  }

  async open(): Promise<void> {}
  async close(): Promise<void> {
    this.closed = true;
  }

  /** How often all lines were looked at. */
  looks = 0;
  async detect(): Promise<readonly ChipInfo[]> {
    this.looks += 1;
    const lines = ["A", "B", "C"].map((name, offset) => ({
      chip: "gpiochip0",
      offset,
      name,
      holder: this.held.has(name) ? "other-program" : null,
    }));
    return [{ name: "gpiochip0", label: "hand", lines }];
  }

  async read(line: string): Promise<boolean> {
    this.asked.push(`read ${line}`);
    return true;
  }

  async watch(request: LineRequest): Promise<WatchedLine> {
    this.asked.push(`watch ${request.line}`);
    this.requests.set(request.line, request);
    this.beforeWatch();
    if (this.failure !== undefined) throw this.failure;
    if (this.held.has(request.line))
      throw new FlancoError("conflict", `${request.line} is in use by "other-program"`);
    return {
      address: `gpiochip0:${["A", "B", "C"].indexOf(request.line.at(-1) ?? "")}`,
      initiallyActive: false,
      resumed: this.kept.has(request.line) && request.keep?.seen !== null,
      listen: (onEdge, onFailure) => {
        this.edges.set(request.line, onEdge);
        this.losses.set(request.line, onFailure);
      },
      close: async () => {
        this.asked.push(`release ${request.line}`);
        this.edges.delete(request.line);
      },
    };
  }
}

type RecorderWriter = RecorderDependencies["writer"];

/** A ledger that notes what it takes in, and can refuse. */
export class HandLedger implements RecorderWriter {
  readonly taken: Sighting[] = [];
  refusals = 0;
  /** What is awaited before levels are taken in. */
  beforeTakeIn: () => Promise<void> = async () => {};
  async takeIn(sightings: readonly Sighting[]): Promise<readonly SightingResult[]> {
    await this.beforeTakeIn();
    if (this.refusals > 0) {
      this.refusals -= 1;
      throw new FlancoError("unavailable", "full");
    }
    this.taken.push(...sightings);
    return sightings.map(() => ({ meaning: "nothing", recordId: null }));
  }

  /** The lines of which it was told since when they are not watched; null: all that are wired. */
  readonly unwatched: (string | null)[] = [];
  async noteUnwatched(line: string): Promise<void> {
    this.unwatched.push(line);
  }

  async keepUnwatched(): Promise<void> {
    this.unwatched.push(null);
  }

  edgesOf(line: string): number[] {
    return this.taken
      .filter((sighting) => sighting.line === line)
      .map((sighting) => sighting.source.sequence);
  }
}

/** A recorder between a driver and a ledger that the test has in its hands. Two lines, A and B, are wired. */
export class RecorderRig {
  readonly driver = new HandDriver();
  readonly ledger = new HandLedger();
  wired: readonly Wiring[] = [wiring("A"), wiring("B")];
  /** How often the wirings were read. */
  wiringReads = 0;
  /** How often it was read what the ledger saw last of a line. */
  lastReads = 0;
  /** What the ledger saw last of any line. */
  last: LastSighting | undefined;
  /** The last sign of life of an earlier process. */
  lastAlive: BootMoment | undefined;
  readonly reader = {
    wirings: () => {
      this.wiringReads += 1;
      return this.wired;
    },
    lastSighting: () => {
      this.lastReads += 1;
      return this.last;
    },
    lastAlive: () => this.lastAlive,
    lastRequest: () => 0,
    unwatched: () => new Map(),
  } satisfies RecorderDependencies["reader"];
  recorder = this.make();

  close(): Promise<void> {
    return this.recorder.close();
  }

  make(overrides: Partial<RecorderDependencies> = {}): Recorder {
    return new Recorder({
      driver: this.driver,
      writer: this.ledger,
      reader: this.reader,
      trust: { trusted: () => true },
      clock: { nowMs: () => 5_000, monotonicNs: () => 3_000_000_000n },
      timers: new VirtualTime(),
      log: SILENT,
      bootId: "boot",
      ...overrides,
    });
  }
}

/** High at odd numbers, half a second before the clock that the recorder has. */
export function edge(sequence: number, missed = 0): Edge {
  return { active: sequence % 2 === 1, timeNs: 2_500_000_000n, sequence, missed };
}
