import { useFormat } from "../live/gateway.ts";
import { reportTexts } from "../messages/report.ts";
import { useTexts } from "../messages/use-language.ts";
import type { Incident } from "./incidents.ts";

interface IncidentItemsProps {
  readonly incidents: readonly Incident[];
  /** Line to the room that it is; a line that is wired nowhere any more is absent. */
  readonly roomOfLine: ReadonlyMap<string, string>;
}

/** The items of a list: when each was, how long, and which rooms. */
export function IncidentItems({ incidents, roomOfLine }: IncidentItemsProps) {
  const texts = useTexts(reportTexts);
  const format = useFormat();
  const roomsOf = (lines: readonly string[]) =>
    lines
      .map((line) => roomOfLine.get(line) ?? texts.line(line))
      .sort(format.compare)
      .join(", ");
  return incidents.map(({ fromTime, toTime, lines, missedRises }) => (
    <li key={`${fromTime}/${lines[0]}`}>
      {texts.incident(
        format.dateTime(fromTime),
        format.duration(toTime - fromTime),
        roomsOf(lines),
        missedRises,
      )}
    </li>
  ));
}
