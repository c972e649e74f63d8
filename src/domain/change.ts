import type { PaidStretch } from "./device.ts";
import type { Gap } from "./gap.ts";
import type { Id } from "./id.ts";
import type { RecordVoid, StoredRecord } from "./record.ts";

/** The name of the record's location. */
interface OfRecord {
  readonly userId: Id;
  readonly number: number;
  readonly locationName: string;
}

/** What a commit changed. Published after it. */
export type Change =
  | { readonly kind: "record"; readonly userId: Id; readonly record: StoredRecord }
  | {
      readonly kind: "actuator";
      readonly userId: Id;
      readonly deviceId: Id;
      /** Of its device. */
      readonly locationId: string;
      readonly actuatorId: string;
      readonly value: boolean;
      readonly timeMs: number;
    }
  | {
      readonly kind: "paid";
      readonly userId: Id;
      readonly deviceId: Id;
      /** Of its device. */
      readonly locationId: string;
      readonly actuatorId: string;
      /** Null: the room is free. */
      readonly paid: PaidStretch | null;
    }
  | (OfRecord & { readonly kind: "void"; readonly voided: RecordVoid })
  | (OfRecord & { readonly kind: "time"; readonly timeMs: number })
  /** `locationId`: of the device that the line is wired to; null for a line without one. */
  | { readonly kind: "gap"; readonly userId: Id; readonly locationId: string | null; readonly gap: Gap }
  | { readonly kind: "wiring" }
  | { readonly kind: "tests"; readonly userId: Id }
  | { readonly kind: "commission"; readonly userId: Id }
  | { readonly kind: "locations"; readonly userId: Id }
  /** A month was closed, or terms were set. */
  | { readonly kind: "settlement"; readonly userId: Id }
  | { readonly kind: "sessions"; readonly userId: Id }
  | { readonly kind: "user"; readonly userId: Id };
