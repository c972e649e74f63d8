import type { AcceptanceReport } from "../../src/contract/commission.ts";
import type { ProgramOutput } from "../guest/told.ts";
import type { StateAfterStep } from "./report.ts";

/** What each step of the technician's day came to. */
export interface Reports {
  readonly install: ProgramOutput & StateAfterStep;
  readonly "first user": object;
  readonly "wire eight lines": object;
  readonly commission: {
    readonly commissioned: readonly RoomVerdicts[];
    readonly counts: AcceptanceReport["counts"];
  };
  readonly "first sales": SoldRooms;
  readonly report: unknown;
  readonly doctor: { readonly exitCode: number | null };
  readonly bundle: { readonly bytes: number };
  readonly "back up to a disk": {
    readonly tls: Tls;
    /** What `flanco backup-disk` says of a new disk. */
    readonly prepared: string;
    /** What a backup says once the disk was pulled out and put in again. */
    readonly again: string;
  };
  readonly "install the second gateway": StateAfterStep;
  readonly move: StateAfterStep & {
    readonly restored: { readonly records: number; readonly certificates: string };
    /** What `flanco backup-disk` says of the disk with the clinic's backups. */
    readonly taken: string;
    readonly tls: Tls;
    readonly wiring: readonly unknown[];
  };
  readonly "sales after the move": SoldRooms;
  /** What `flanco simulate` made of a trace of two switchings. */
  readonly simulate: {
    readonly bounces: readonly {
      readonly line: string;
      readonly mostEdges: number;
      readonly debounceMs: number;
    }[];
  };
}

export interface RoomVerdicts {
  readonly room: string;
  /** Each verdict, until the room was ticked off. */
  readonly verdicts: readonly string[];
}

/** The rooms that have a sale of one switching. */
interface SoldRooms {
  readonly rooms: readonly string[];
}

interface Tls {
  readonly authority: { readonly fingerprint: readonly string[] };
}

/** Contacts that are not as they should be, by their room. */
export const BOUNCING = ["102", "106"] as const;
export const INVERTED = "104";
export const SILENT = "108";
