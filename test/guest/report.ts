import type { Said } from "./told.ts";

/** A record's row, as the ledger's file holds it. Times in the units of their names. */
export interface LedgerRow {
  readonly room: string;
  readonly valorMicros: number;
  readonly origin: "posted" | "edge" | "found_at_start";
  readonly createdMs: number;
  readonly endedMs: number | null;
  readonly boot: number | null;
  readonly line: string | null;
  readonly request: number | null;
  readonly sequence: number | null;
  readonly monotonicNs: number | null;
}

/** `missed` is null for an outage. */
export interface Gap {
  readonly line: string;
  readonly missed: number | null;
  readonly reason: string;
}

/** When a line was not watched, in wall time. */
export interface Outage {
  readonly line: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** One level set by hand, with the guest's clocks just before and just after. */
export interface Drive {
  readonly room: string;
  readonly high: boolean;
  readonly beforeNs: number;
  readonly afterNs: number;
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Records of the lines' rooms, those from before the step left out. */
type Rooms = Readonly<Record<string, readonly LedgerRow[]>>;

/** What each step of the proof came to. */
export interface Reports {
  /** The drivers' conformance suite. */
  readonly conformance: Said;
  /** Every edge driven so that the driver under test must see it, and what the ledger and the API made of them. */
  readonly paced: {
    readonly drives: readonly Drive[];
    /** What the kernel counted on the lines meanwhile. */
    readonly interrupts: number;
    readonly rows: readonly LedgerRow[];
    readonly actuators: readonly { readonly id: string; readonly value: boolean }[];
    readonly summary: { readonly totalSales: number; readonly totalRevenue: number };
  };
  /** More edges on one line than the kernel's buffer holds, while the program was stopped. */
  readonly burst: {
    readonly driven: number;
    readonly interrupts: number;
    /** The burst's records alone. */
    readonly rows: readonly LedgerRow[];
    readonly gaps: readonly Gap[];
    readonly apiGaps: readonly Gap[];
  };
  /** The program killed between high and low and between low and high. */
  readonly killed: {
    /** Wall time at the kill, and when the program was up again. */
    readonly awayFromMs: number;
    readonly awayToMs: number;
    /** After the start, and after every line went low. */
    readonly restarted: Rooms;
    readonly last: Rooms;
  };
  /** The program told to end with edges just driven: there is no report of one that did not (END_MS of inside/service.ts). */
  readonly ended: {
    readonly exitCode: number | null;
    /** What the file held when the program was gone, and after the next start. */
    readonly committed: Rooms;
    readonly restarted: Rooms;
  };
  /** `flanco verify` on the finished ledger. */
  readonly verified: Said;
}

/** Rooms of the eight lines, by the line's offset. */
export const ROOMS = ["101", "102", "103", "104", "105", "106", "107", "108"] as const;

/** Price of a sale in the room of a line, in units: each room has its own. */
export function valorOf(offset: number): number {
  return 10.25 + offset;
}

/** The name by which a line is kept. */
export function lineName(offset: number): string {
  return `RELAY${offset}`;
}

/** How a line is named when it is wired: by name and by chip and offset in turn, as technicians do. */
export function typedName(offset: number): string {
  return offset % 2 === 0 ? lineName(offset) : `gpiochip0:${offset}`;
}
