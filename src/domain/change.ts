import type { Gap } from "./gap.ts";
import type { Id } from "./id.ts";
import type { RecordVoid, StoredRecord } from "./record.ts";

/** What a commit changed. Published after it. */
export type Change =
  | { readonly kind: "record"; readonly userId: Id; readonly record: StoredRecord }
  | {
      readonly kind: "actuator";
      readonly userId: Id;
      readonly deviceId: Id;
      readonly actuatorId: string;
      readonly value: boolean;
      readonly timeMs: number;
    }
  | { readonly kind: "void"; readonly userId: Id; readonly number: number; readonly voided: RecordVoid }
  | { readonly kind: "time"; readonly userId: Id; readonly number: number; readonly timeMs: number }
  | { readonly kind: "gap"; readonly userId: Id; readonly gap: Gap }
  | { readonly kind: "wiring" }
  | { readonly kind: "tests"; readonly userId: Id }
  | { readonly kind: "commission"; readonly userId: Id }
  | { readonly kind: "locations"; readonly userId: Id }
  | { readonly kind: "sessions"; readonly userId: Id }
  | { readonly kind: "user"; readonly userId: Id };
