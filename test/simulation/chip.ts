import { GPIO_V2_GET_LINE_IOCTL, GPIO_V2_LINE_SET_CONFIG_IOCTL } from "../../src/gpio/uapi.ts";
import { FakeKeeper, FakeKernel } from "../gpio/fake-kernel.ts";

export const LINES = ["A", "B", "C"] as const;

/** A change of a line's level, as it truly was. */
export interface TrueEdge {
  readonly line: string;
  /** The physical level after it. */
  readonly high: boolean;
  readonly atUs: number;
  readonly bootId: string;
  readonly monotonicNs: bigint;
  /** The request that the kernel had open then; undefined: none was. */
  readonly request: ChipRequest | undefined;
  /** Nobody can know of it but by a gap: not requested, dropped by the kernel, or gone with a process or the power. */
  isLossy: boolean;
  /** Its commit was undone by a restore. */
  isErased: boolean;
}

export interface ChipRequest {
  readonly line: string;
  readonly fromUs: number;
  sequence: number;
  isOpen: boolean;
  /** Whether the kernel was asked for edges. */
  hasEdges: boolean;
  /** In the kernel's buffer. */
  readonly unread: TrueEdge[];
}

/** A chip whose lines the history switches: the kernel's buffer with its bound, and its count of each request's edges. */
export class SimulatedChip extends FakeKernel {
  readonly edges: TrueEdge[] = [];
  readonly requests: ChipRequest[] = [];
  readonly keeper = new FakeKeeper(this);
  readonly #bufferEvents: number;
  readonly #high = LINES.map(() => false);
  readonly #now: () => { readonly us: number; readonly bootId: string; readonly monotonicNs: bigint };

  constructor(bufferEvents: number, now: SimulatedChip["now"]) {
    super(LINES);
    this.#bufferEvents = bufferEvents;
    this.#now = now;
  }

  get now() {
    return this.#now;
  }

  isHigh(line: string): boolean {
    return this.#high[LINES.indexOf(line as "A")] === true;
  }

  /** `isSwallowed`: the hardware does not report it. */
  toggle(offset: number, isSwallowed = false): void {
    const { us, bootId, monotonicNs } = this.#now();
    const line = this.line(offset);
    const high = !this.#high[offset];
    this.#high[offset] = high;
    const request = this.#openRequest(offset);
    const isReported = request?.hasEdges === true && !isSwallowed;
    const edge: TrueEdge = {
      line: line.name,
      high,
      atUs: us,
      bootId,
      monotonicNs,
      request,
      isLossy: !isReported,
      isErased: false,
    };
    this.edges.push(edge);
    if (request !== undefined) line.level = high;
    if (request === undefined || !isReported) return;
    this.#noteRead();
    if (line.events.length >= this.#bufferEvents) {
      line.events.shift();
      const dropped = request.unread.shift();
      if (dropped !== undefined) dropped.isLossy = true;
    }
    request.sequence += 1;
    request.unread.push(edge);
    this.occur(offset, high, request.sequence, monotonicNs);
  }

  /** Wakes the reader of each line that has events. */
  wakeAll(): boolean {
    let woken = false;
    this.lines.forEach((line, offset) => {
      if (line.events.length === 0 || this.#openRequest(offset) === undefined) return;
      const before = line.events.length;
      this.wake(offset);
      woken ||= line.events.length < before;
    });
    this.#noteRead();
    return woken;
  }

  /** The process is gone. Without power, so are the kept lines. */
  end(power: "on" | "off"): void {
    if (power === "off") for (const name of this.keeper.names) this.keeper.forget(name);
    this.kill(this.keeper.descriptors);
    this.#noteRead();
  }

  override ioctl(fd: number, code: number, argument: Uint8Array): void {
    super.ioctl(fd, code, argument);
    if (code === GPIO_V2_LINE_SET_CONFIG_IOCTL) {
      const line = this.lineOf(fd);
      const request = line && this.#openRequest(this.lines.indexOf(line));
      if (request !== undefined) request.hasEdges = true;
    }
    if (code !== GPIO_V2_GET_LINE_IOCTL) return;
    const fields = new DataView(argument.buffer, argument.byteOffset, argument.byteLength);
    const offset = fields.getUint32(0, true);
    const line = this.line(offset);
    line.level = this.#high[offset] === true;
    this.requests.push({
      line: line.name,
      fromUs: this.#now().us,
      sequence: 0,
      isOpen: true,
      hasEdges: false,
      unread: [],
    });
  }

  override close(fd: number): void {
    super.close(fd);
    for (const request of this.requests) {
      const line = this.lines.find(({ name }) => name === request.line);
      if (line?.used === false) request.isOpen = false;
    }
  }

  #openRequest(offset: number): ChipRequest | undefined {
    return this.requests.findLast(({ line, isOpen }) => isOpen && line === this.line(offset).name);
  }

  #noteRead(): void {
    this.lines.forEach((line, offset) => {
      const unread = this.#openRequest(offset)?.unread ?? [];
      unread.splice(0, unread.length - line.events.length);
    });
  }
}
