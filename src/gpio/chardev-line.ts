import type { Clock } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import type { Edge, LineInfo, WatchedLine } from "../domain/line.ts";
import { formatLine } from "./address.ts";
import { Delivery } from "./delivery.ts";
import type { LineDescriptor } from "./descriptor.ts";
import { EdgeSequence } from "./sequence.ts";
import type { Cancel } from "./timers.ts";
import type { LineEventStruct } from "./uapi.ts";

/** Between an edge and its event in the buffer lies the kernel's interrupt thread: far under this. */
const EVENT_LATENCY_NS = 5_000_000n;

export interface ChardevLineParts {
  readonly line: LineInfo;
  readonly descriptor: LineDescriptor;
  /** The last edge that the ledger has, of a line that was watched before; null for a new request. */
  readonly resumeAfter: number | null;
  /** Called once, when the line is released for good. */
  readonly forget: () => void;
  readonly clock: Clock;
  readonly onEdge: (edge: Edge) => void;
  readonly onFailure: (error: Error) => void;
  /** Called once, when the line is closed or has failed. */
  readonly onEnd: () => void;
}

/** One requested line: reads its events as they come, until it is closed or its chip goes. */
export class ChardevLine implements WatchedLine {
  readonly chip: string;
  readonly offset: number;
  readonly #parts: ChardevLineParts;
  readonly #sequence: EdgeSequence;
  readonly #delivery: Delivery;
  readonly #cancels: Cancel[] = [];
  #initiallyActive = false;
  #levelReadNs = 0n;
  #ended = false;

  constructor(parts: ChardevLineParts) {
    this.#parts = parts;
    this.chip = parts.line.chip;
    this.offset = parts.line.offset;
    this.#sequence = new EdgeSequence(parts.resumeAfter ?? 0);
    this.#delivery = new Delivery(parts.onEdge);
  }

  get initiallyActive(): boolean {
    return this.#initiallyActive;
  }

  get resumed(): boolean {
    return this.#parts.resumeAfter !== null;
  }

  /**
   * Reads the initial level and begins to listen. `onNodeChange` watches the chip's device node: kernels
   * before 6.6 do not wake a reader of a line whose chip is removed.
   */
  start(onNodeChange: (callback: () => void) => Cancel): void {
    const { descriptor, resumeAfter } = this.#parts;
    try {
      const recovered = resumeAfter === null ? [] : descriptor.recover(resumeAfter);
      const level = descriptor.level();
      this.#levelReadNs = this.#parts.clock.monotonicNs();
      const events = [...recovered, ...descriptor.take()];
      const [first] = events;
      this.#initiallyActive = first === undefined ? level : !first.rising;
      for (const event of events) this.#take(event);
      this.#cancels.push(
        descriptor.onReadable((state) => (state === "failed" ? this.#fail(null) : this.#read())),
        onNodeChange(() => this.#check()),
      );
    } catch (error) {
      this.#release();
      throw error;
    }
    this.#delivery.startSoon();
  }

  async close(): Promise<void> {
    this.#readOut();
    if (!this.#ended) this.#release();
  }

  /** Ends this process's part in the line. Where it is kept, the kernel goes on buffering its edges. */
  leave(): void {
    this.#readOut();
    if (!this.#ended) this.#letGo();
  }

  /** What the kernel has buffered by this moment is read, and delivered, before the line is let go. */
  #readOut(): void {
    if (this.#ended) return;
    this.#read();
    if (!this.#ended) this.#delivery.end();
  }

  #read(): void {
    let events: readonly LineEventStruct[];
    try {
      events = this.#parts.descriptor.take();
    } catch (error) {
      this.#fail(error);
      return;
    }
    for (const event of events) this.#take(event);
  }

  #take(event: LineEventStruct): void {
    const edge = this.#sequence.next(event);
    if (!this.#isTold(edge)) this.#delivery.push(edge);
  }

  /**
   * An edge just before the level was read can reach the buffer just after it was drained. The initial
   * level tells of it already: delivered as well, one rise would count as two. Of a line that is resumed
   * no initial level is told.
   */
  #isTold(edge: Edge): boolean {
    return (
      !this.resumed &&
      edge.sequence === 1 &&
      edge.active === this.#initiallyActive &&
      edge.timeNs <= this.#levelReadNs + EVENT_LATENCY_NS
    );
  }

  #check(): void {
    try {
      this.#parts.descriptor.level();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(cause: unknown): void {
    if (this.#ended) return;
    this.#delivery.end();
    this.#release();
    this.#parts.onFailure(
      new FlancoError("unavailable", `${formatLine(this)} is lost: its chip was removed.`, {
        hint: "Reconnect the chip, then restart flanco.",
        cause,
      }),
    );
  }

  #release(): void {
    this.#parts.forget();
    this.#letGo();
  }

  #letGo(): void {
    this.#ended = true;
    for (const cancel of this.#cancels) cancel();
    this.#parts.descriptor.close();
    this.#parts.onEnd();
  }
}
