import type { Format } from "../format/format.ts";
import type { recordsTexts } from "../messages/records.ts";
import type { RecordFilter } from "./filter.ts";

/** What the lists leave out of what a filter asks for, in words; undefined where they leave out nothing. */
export function archivedText(
  archived: readonly string[],
  { from, to }: Pick<RecordFilter, "from" | "to">,
  texts: Pick<typeof recordsTexts.es, "archived">,
  { dayName }: Pick<Format, "dayName">,
): string | undefined {
  const asked = archived.filter(
    (month) => (from === "" || month >= monthOf(from)) && (to === "" || month <= monthOf(to)),
  );
  const [first] = asked;
  const last = asked.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const name = (month: string) => dayName(`${month}-01`, "longMonth");
  return texts.archived(name(first), name(last), first === last);
}

function monthOf(day: string): string {
  return day.slice(0, "2026-03".length);
}
