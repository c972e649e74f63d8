import { MINUTE_MS, NS_PER_MS } from "./clock.ts";

/** The longest paid time of a room: 31 days. */
export const MAX_PAID_MINUTES = 44_640;

/** Paid time in milliseconds. */
export function paidMsOf(paidMinutes: number): number {
  return paidMinutes * MINUTE_MS;
}

/** A moment by both clocks. */
export interface ClockedMoment {
  /** Unix milliseconds; null while the wall clock of its boot was never trusted. */
  readonly timeMs: number | null;
  /** Its boot and the monotonic time in it; null where only the wall clock tells, as of a posted sale. */
  readonly monotonic: { readonly bootId: string; readonly ns: bigint } | null;
}

/**
 * Whether a sale may be none, because it may have fallen into paid time: `none` where that is known,
 * `open` until the clock of its boot is set, `lasting` where the time between was never measured.
 */
export type Doubt = "none" | "open" | "lasting";

/** A sale for which its room is paid, from its moment on. */
export interface PaidSale {
  /** Its place in the order in which sales hold for a room. */
  readonly paidId: number;
  readonly recordId: number;
  /** Of its record. */
  readonly number: number;
  readonly paidMs: number;
  readonly moment: ClockedMoment;
  readonly doubt: Doubt;
}

/** What decides whether a room is paid: its last sale without a doubt, and of each doubt the last one since. */
export type RoomPaid = { readonly [D in Doubt]: PaidSale | null };

export const NOTHING_PAID: RoomPaid = { none: null, open: null, lasting: null };

/** What a rise is to its room: the same sale as an earlier one, or a sale, which may be in doubt. */
export type PaidVerdict =
  | { readonly kind: "same_sale"; readonly as: PaidSale }
  | { readonly kind: "sale"; readonly doubt: Doubt };

/**
 * Judges a rise against what is paid of its room. Pure. `isSettling`: nothing more will be learned of its time.
 *
 * After a sale in doubt no rise of the same boot is dropped before the clock is set: if that sale was none, a later rise,
 * beyond the paid time before, is one. Where the clock was never set, such a rise is the same sale as the one in doubt,
 * which stands.
 */
export function judgePaid(paid: RoomPaid, rise: ClockedMoment, isSettling = false): PaidVerdict {
  const [sure, open, lasting] = [paid.none, paid.open, paid.lasting];
  const ofSure = standingOf(sure, rise);
  if (sure !== null && ofSure === "paid") return { kind: "same_sale", as: sure };
  if (!isSettling && standingOf(open, rise) !== "over") return { kind: "sale", doubt: "open" };
  const ofLasting = standingOf(lasting, rise);
  if (lasting !== null && ofLasting === "paid") return { kind: "same_sale", as: lasting };
  const willBeKnown = !isSettling && rise.timeMs === null && sure !== null && sure.moment.timeMs !== null;
  if (ofSure === "unknown" && willBeKnown) return { kind: "sale", doubt: "open" };
  return { kind: "sale", doubt: [ofSure, ofLasting].includes("unknown") ? "lasting" : "none" };
}

/**
 * Whether a moment lies in the paid time of a sale: by monotonic time within one boot, because wall time may have been set
 * meanwhile; over boots by wall time. Where that is not known, a boot that has run for the paid time by itself tells.
 * A moment before the sale is not paid: then the wall clock went back, and nothing may be dropped.
 */
function standingOf(
  sale: PaidSale | null,
  { timeMs, monotonic }: ClockedMoment,
): "paid" | "over" | "unknown" {
  if (sale === null) return "over";
  const { moment, paidMs } = sale;
  if (monotonic !== null && moment.monotonic?.bootId === monotonic.bootId) {
    return isWithin(Number(monotonic.ns - moment.monotonic.ns) / NS_PER_MS, paidMs);
  }
  if (timeMs !== null && moment.timeMs !== null) return isWithin(timeMs - moment.timeMs, paidMs);
  const isLaterBoot = monotonic !== null && moment.monotonic !== null;
  return isLaterBoot && Number(monotonic.ns) / NS_PER_MS >= paidMs ? "over" : "unknown";
}

function isWithin(sinceMs: number, paidMs: number): "paid" | "over" {
  return sinceMs >= 0 && sinceMs < paidMs ? "paid" : "over";
}
