import type { Format } from "../format/format.ts";
import type { NewsEvent } from "../live/news.ts";
import type { frameTexts } from "../messages/frame.ts";

/** More than this at once is told as a count: nobody can follow a list that is read aloud. */
const MAX_SINGLE = 3;

/** What a screen reader says of the events that came within a moment; empty when there is nothing to say. */
export function announcementOf(
  events: readonly NewsEvent[],
  { news }: Pick<typeof frameTexts.es, "news">,
  format: Pick<Format, "money">,
): string {
  const texts: string[] = [];
  let sales = 0;
  let off = 0;
  for (const event of events) {
    if (event.kind === "record") {
      sales += 1;
      texts.push(news.sale(event.sale.room, format.money(event.sale.valor)));
    } else if (event.kind === "actuator" && !event.change.on) {
      off += 1;
      texts.push(news.off(event.change.room));
    }
  }
  return texts.length <= MAX_SINGLE ? texts.join(" ") : news.many(sales, off);
}
