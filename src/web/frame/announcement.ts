import type { Format } from "../format/format.ts";
import type { LiveEvent } from "../live/events.ts";
import type { frameTexts } from "../messages/frame.ts";

/** More changes than these are read aloud as a count: a long list cannot be followed by ear. */
const MAX_SINGLE = 3;

/** The text for screen readers about a batch of events; empty when there is nothing to say. */
export function announcementOf(
  events: readonly LiveEvent[],
  { news }: Pick<typeof frameTexts.es, "news">,
  format: Pick<Format, "money">,
): string {
  const texts: string[] = [];
  let sales = 0;
  let off = 0;
  for (const event of events) {
    if (event.kind === "record" && event.data.refundOf === null) {
      sales += 1;
      texts.push(news.sale(event.data.habitacion, format.money(event.data.valor)));
    } else if (event.kind === "actuator" && !event.data.value) {
      off += 1;
      texts.push(news.off(event.data.actuatorId));
    }
  }
  return texts.length <= MAX_SINGLE ? texts.join(" ") : news.many(String(sales), String(off));
}
