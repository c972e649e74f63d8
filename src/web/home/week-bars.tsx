import type { DayTotal } from "../api/summary.ts";
import type { Format } from "../format/format.ts";
import { useMessages } from "../messages/speech.ts";

interface WeekBarsProps {
  /** Oldest first; the last one is today. */
  readonly days: readonly DayTotal[];
  readonly format: Format;
}

/** One bar a day. A list for whoever hears it: each entry is the day and its exact amount. */
export function WeekBars({ days, format }: WeekBarsProps) {
  const { week: texts } = useMessages();
  const highest = Math.max(...days.map((day) => day.total), 0);
  const names: Readonly<Record<string, string>> = texts.days;
  return (
    <ol class="bars" aria-label={texts.perDay}>
      {days.map((day, index) => {
        const isToday = index === days.length - 1;
        const name = isToday ? texts.today : (names[day.name] ?? day.name);
        return (
          <li
            key={`${index}-${day.name}`}
            class={isToday ? "bar bar-today" : "bar"}
            title={format.money(day.total)}
          >
            <span class="bar-name">{name}</span>
            <span class="bar-value" aria-hidden="true">
              {day.total === 0 ? "–" : format.shortMoney(day.total)}
            </span>
            <span class="aloud">: {format.money(day.total)}</span>
            <span class="bar-room" aria-hidden="true">
              <span class="bar-fill" style={{ height: share(day.total, highest) }} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** A part of the whole height; a total of nothing, or less, has no bar. */
function share(total: number, highest: number): string {
  return highest === 0 ? "0" : `${(Math.max(total, 0) / highest) * 100}%`;
}
