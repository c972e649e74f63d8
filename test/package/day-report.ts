import type { AcceptanceReport } from "../../src/contract/commission.ts";
import type { Said } from "../guest/told.ts";
import type { After } from "./report.ts";

/** What each step of the technician's day came to. */
export interface Reports {
  readonly install: Said & After;
  readonly "first user": object;
  readonly "wire eight lines": object;
  readonly commission: {
    readonly commissioned: readonly Commissioned[];
    readonly counts: AcceptanceReport["counts"];
  };
  readonly "first sales": Sold;
  readonly report: unknown;
  readonly doctor: { readonly exitCode: number | null };
  readonly bundle: { readonly bytes: number };
  readonly "back up to a disk": { readonly tls: Tls };
  readonly "install the second gateway": After;
  readonly move: After & {
    readonly restored: { readonly records: number; readonly certificates: string };
    readonly tls: Tls;
    readonly wiring: readonly unknown[];
  };
  readonly "sales after the move": Sold;
  /** What `flanco simulate` made of a trace of two switchings. */
  readonly simulate: {
    readonly bounces: readonly {
      readonly line: string;
      readonly mostEdges: number;
      readonly debounceMs: number;
    }[];
  };
}

export interface Commissioned {
  readonly room: string;
  /** Each verdict, until the room was ticked off. */
  readonly verdicts: readonly string[];
}

/** The rooms that have a sale of one switching. */
interface Sold {
  readonly rooms: readonly string[];
}

interface Tls {
  readonly authority: { readonly fingerprint: readonly string[] };
}

/** Contacts that are not as they should be, by their room. */
export const BOUNCING = ["102", "106"] as const;
export const INVERTED = "104";
export const SILENT = "108";
