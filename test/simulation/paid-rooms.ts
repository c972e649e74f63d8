import type { Sighting } from "../../src/domain/sale.ts";

const US_PER_MS = 1_000;
const MS_PER_MINUTE = 60_000;

/** Something that happens in a boot at a monotonic moment. `timeMs`: by a wall clock that was trusted then; else null. */
export interface RoomMoment {
  readonly bootId: string;
  readonly upUs: number;
  readonly timeMs: number | null;
}

export function roomMomentOf({ source, monotonicNs, provisional, timeMs }: Sighting): RoomMoment {
  return {
    bootId: source.bootId,
    upUs: Number(monotonicNs) / US_PER_MS,
    timeMs: provisional ? null : timeMs,
  };
}

interface PaidSale extends RoomMoment {
  readonly key: string;
  readonly paidMs: number;
  /** `waits`: it may be none, which the clock of its boot will tell; `unknown`: it may be none, for good. */
  state: "counts" | "waits" | "unknown";
}

/** What each room was paid by, the newest last. A sale that is void, or of which the room was left, is taken out. */
export class PaidRooms {
  readonly #rooms = new Map<string, PaidSale[]>();
  readonly #zeroOf: (bootId: string) => number | null;
  readonly #onVoid: (key: string) => void;

  constructor(zeroOf: (bootId: string) => number | null, onVoid: (key: string) => void) {
    this.#zeroOf = zeroOf;
    this.#onVoid = onVoid;
  }

  /** The room is on: gives the sale that this belongs to by paid time, or of which kind a new one would be. */
  look(room: string, at: RoomMoment): { readonly key: string } | PaidSale["state"] {
    const isTimed = this.#wallOf(at) !== null;
    const waiting = this.#of(room).filter(({ state }) => state === "waits");
    if (waiting.some(({ bootId }) => isTimed || bootId !== at.bootId)) this.#decideAll(room, waiting);
    const { counted, since } = this.#sinceCounted(room);
    if (counted !== undefined && this.#isPaid(counted, at) === true) return counted;
    const waits = since.findLast(({ state }) => state === "waits");
    if (waits !== undefined && this.#isPaid(waits, at) !== false) return "waits";
    const unknown = since.findLast(({ state }) => state === "unknown");
    if (unknown !== undefined && this.#isPaid(unknown, at) === true) return unknown;
    if (counted !== undefined && this.#isPaid(counted, at) === undefined) {
      return !isTimed && this.#wallOf(counted) !== null ? "waits" : "unknown";
    }
    return unknown !== undefined && this.#isPaid(unknown, at) === undefined ? "unknown" : "counts";
  }

  /** A rise goes on with that sale: what is in doubt since lies before it, in the same paid time. */
  goOn(room: string, key: string): void {
    const all = this.#of(room);
    const at = all.findIndex((sale) => sale.key === key);
    if (all[at]?.state !== "counts") return;
    for (const sale of all.splice(at + 1)) this.#onVoid(sale.key);
  }

  sell(room: string, key: string, at: RoomMoment, state: PaidSale["state"], paidMinutes: number): void {
    if (paidMinutes === 0 && state === "counts") return;
    this.#of(room).push({ ...at, key, state, paidMs: paidMinutes * MS_PER_MINUTE });
  }

  /** Nothing more will be learned of the times of a boot. */
  decide(bootId: string): void {
    for (const [room, all] of this.#rooms) {
      const waiting = all.filter((sale) => sale.state === "waits" && sale.bootId === bootId);
      this.#decideAll(room, waiting);
    }
  }

  void(key: string): void {
    for (const [room, all] of this.#rooms) {
      const left = all.filter((sale) => sale.key !== key);
      this.#rooms.set(room, left);
    }
  }

  /** Gives whether that could be done. */
  move(from: string, to: string, at: RoomMoment): boolean {
    const paid = this.look(from, at);
    if (typeof paid === "string" || typeof this.look(to, at) !== "string") return false;
    this.goOn(from, paid.key);
    const sale = this.#of(from).find(({ key }) => key === paid.key);
    if (sale === undefined) return false;
    this.#rooms.set(from, []);
    this.#of(to).push({ ...sale, state: "counts" });
    return true;
  }

  #of(room: string): PaidSale[] {
    const known = this.#rooms.get(room) ?? [];
    this.#rooms.set(room, known);
    return known;
  }

  #sinceCounted(
    room: string,
    before?: PaidSale,
  ): { counted: PaidSale | undefined; since: readonly PaidSale[] } {
    const all = this.#of(room);
    const earlier = before === undefined ? all : all.slice(0, all.indexOf(before));
    const at = earlier.findLastIndex(({ state }) => state === "counts");
    return { counted: earlier[at], since: earlier.slice(at + 1) };
  }

  #decideAll(room: string, waiting: readonly PaidSale[]): void {
    for (const sale of waiting) {
      const { counted, since } = this.#sinceCounted(room, sale);
      const before = since.findLast(({ state }) => state === "unknown");
      const [byCounted, byBefore] = [counted, before].map(
        (one) => one !== undefined && this.#isPaid(one, sale),
      );
      if (byCounted === true || byBefore === true) {
        const gone = byCounted === true ? [...since, sale] : [sale];
        for (const { key } of gone) {
          this.#onVoid(key);
          this.void(key);
        }
      } else sale.state = byCounted === undefined || byBefore === undefined ? "unknown" : "counts";
    }
  }

  /** Undefined where it cannot be known. */
  #isPaid(sale: PaidSale, at: RoomMoment): boolean | undefined {
    const [soldMs, atMs] = [this.#wallOf(sale), this.#wallOf(at)];
    const sinceMs =
      sale.bootId === at.bootId
        ? (at.upUs - sale.upUs) / US_PER_MS
        : soldMs !== null && atMs !== null
          ? atMs - soldMs
          : undefined;
    if (sinceMs !== undefined) return sinceMs >= 0 && sinceMs < sale.paidMs;
    return at.upUs / US_PER_MS >= sale.paidMs ? false : undefined;
  }

  #wallOf({ bootId, upUs, timeMs }: RoomMoment): number | null {
    const zeroMs = this.#zeroOf(bootId);
    return timeMs ?? (zeroMs === null ? null : zeroMs + upUs / US_PER_MS);
  }
}
