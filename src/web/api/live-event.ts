import { flag, number, numberOrNull, object, text } from "./read.ts";
import { liveSaleOf, type Sale } from "./sale.ts";

/** A room that was switched. */
export interface RoomChange {
  readonly deviceId: string;
  readonly room: string;
  readonly on: boolean;
  readonly timeMs: number;
}

/** A stretch in which a line's edges were lost. */
export interface LostEdges {
  readonly line: string;
  readonly fromTimeMs: number;
  readonly toTimeMs: number;
  /** How many sales have no record for it; null for an outage: nobody knows. */
  readonly lostSales: number | null;
}

/** What the server tells while it happens. `hello` says that all that comes after the position `at` will be told. */
export type LiveEvent =
  | { readonly kind: "hello"; readonly at: string }
  | { readonly kind: "record"; readonly sale: Sale }
  | { readonly kind: "void"; readonly recordId: number; readonly reason: string }
  | { readonly kind: "time"; readonly recordId: number; readonly timeMs: number }
  | { readonly kind: "actuator"; readonly change: RoomChange }
  | { readonly kind: "places" }
  | { readonly kind: "gap"; readonly lost: LostEdges };

export const LIVE_EVENT_NAMES = ["hello", "record", "void", "time", "actuator", "places", "gap"] as const;
export type LiveEventName = (typeof LIVE_EVENT_NAMES)[number];

/** Reads one server-sent event. Throws a TypeError or SyntaxError on data of another shape. */
export function liveEventOf(name: LiveEventName, json: string): LiveEvent {
  if (name === "places") return { kind: name };
  const data = object(JSON.parse(json), name);
  if (name === "hello") return { kind: "hello", at: text(data, "at") };
  if (name === "record") return { kind: "record", sale: liveSaleOf(data) };
  if (name === "void") {
    const reason = text(object(data["voided"], "voided"), "reason");
    return { kind: "void", recordId: number(data, "recordId"), reason };
  }
  if (name === "time") {
    return { kind: "time", recordId: number(data, "recordId"), timeMs: number(data, "timeMs") };
  }
  if (name === "gap") {
    return {
      kind: "gap",
      lost: {
        line: text(data, "line"),
        fromTimeMs: number(data, "fromTime"),
        toTimeMs: number(data, "toTime"),
        lostSales: numberOrNull(data, "missedRises"),
      },
    };
  }
  return {
    kind: "actuator",
    change: {
      deviceId: text(data, "deviceId"),
      room: text(data, "actuatorId"),
      on: flag(data, "value"),
      timeMs: number(data, "time"),
    },
  };
}
