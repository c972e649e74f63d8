import { parseDay } from "../../domain/day.ts";
import { isOfState, RECORD_STATES, type RecordState } from "../../domain/record.ts";
import type { RecordQuery } from "../api/records.ts";
import type { StoredRecord } from "../api/shapes.ts";
import { type Day, daysBefore } from "../format/day.ts";

/** Which records to show. An empty text leaves that part open. */
export interface RecordFilter {
  /** First and last local day, both included. */
  readonly from: Day | "";
  readonly to: Day | "";
  readonly location: string;
  /** A device's id. */
  readonly device: string;
  readonly room: string;
  readonly state: RecordState | "";
  /** In digits. */
  readonly number: string;
}

export const EVERY_RECORD: RecordFilter = {
  ...{ from: "", to: "", location: "", device: "", room: "" },
  ...{ state: "", number: "" },
};

/** What the API is asked for: a room by its whole name where one of `rooms` is called so, else by a part of it. */
export function apiQueryOf(filter: RecordFilter, rooms: readonly string[]): RecordQuery {
  const { room: text, state, ...others } = filter;
  const room = wholeRoom(filter, rooms);
  return {
    ...others,
    ...(state !== "" && { state }),
    ...(room === undefined ? { roomPart: text } : { room }),
  };
}

function wholeRoom({ room }: RecordFilter, rooms: readonly string[]): string | undefined {
  return rooms.find((name) => folded(name) === folded(room));
}

function folded(text: string): string {
  return text.trim().toLowerCase();
}

/** Reads a filter from an address. What makes no sense there is left open. */
export function filterOf(query: URLSearchParams): RecordFilter {
  const text = (name: string) => query.get(name)?.trim() ?? "";
  const day = (name: string) => (parseDay(text(name)) === undefined ? "" : text(name));
  return {
    from: day("from"),
    to: day("to"),
    location: text("location"),
    device: text("device"),
    room: text("room"),
    state: RECORD_STATES.find((state) => state === text("state")) ?? "",
    number: /^\d{1,15}$/.test(text("number")) ? text("number") : "",
  };
}

export function isOpen(filter: RecordFilter): boolean {
  return Object.values(filter).every((part) => part === "");
}

/** Whether a record is among those that the filter asks for; `rooms` as in `apiQueryOf`. */
export function lets(
  filter: RecordFilter,
  rooms: readonly string[],
  record: StoredRecord,
  dayOf: (timeMs: number) => Day,
): boolean {
  const { from, to, location, device, room, state, number } = filter;
  const whole = wholeRoom(filter, rooms);
  const day = dayOf(record.createdTime);
  return (
    (from === "" || day >= from) &&
    (to === "" || day <= to) &&
    (location === "" || record.locationName === location) &&
    (device === "" || record.deviceId === device) &&
    (state === "" || isOfState(record, state)) &&
    (number === "" || record.number === Number(number)) &&
    (whole === undefined ? folded(record.habitacion).includes(folded(room)) : record.habitacion === whole)
  );
}

/** True when the first day comes after the last, so that nothing could be found. */
export function isBackwards({ from, to }: RecordFilter): boolean {
  return from !== "" && to !== "" && from > to;
}

export const QUICK_RANGES = ["all", "today", "week", "month"] as const;
type QuickRange = (typeof QUICK_RANGES)[number];

/** The days of a range that ends today. */
export function quickRange(range: QuickRange, today: Day): Pick<RecordFilter, "from" | "to"> {
  switch (range) {
    case "today":
      return { from: today, to: today };
    case "week":
      return { from: daysBefore(today, 6), to: today };
    case "month":
      return { from: `${today.slice(0, 7)}-01`, to: today };
    case "all":
      return { from: "", to: "" };
  }
}

/** The range that a filter's days are, if they are one. */
export function quickRangeOf({ from, to }: RecordFilter, today: Day): QuickRange | undefined {
  return QUICK_RANGES.find((range) => {
    const days = quickRange(range, today);
    return days.from === from && days.to === to;
  });
}
