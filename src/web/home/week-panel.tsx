import type { Device } from "../api/device.ts";
import type { Week } from "../api/summary.ts";
import type { Format } from "../format/format.ts";
import { useMessages } from "../messages/speech.ts";
import { Nothing, Unread } from "./nothing.tsx";
import type { Part } from "./state.ts";
import { WeekBars } from "./week-bars.tsx";

interface WeekPanelProps {
  readonly part: Part<Week | null>;
  readonly devices: readonly Device[];
  readonly format: Format;
  readonly onRetry: () => void;
}

/** What the last seven days brought, and how many rooms are on. */
export function WeekPanel({ part, devices, format, onRetry }: WeekPanelProps) {
  const { week: texts } = useMessages();
  return (
    <section class="panel week" aria-labelledby="week-title">
      <h2 id="week-title">{texts.title}</h2>
      {part.kind === "failed" && <Unread text={texts.failed} onRetry={onRetry} />}
      {part.kind === "ready" && part.value === null && (
        <Nothing title={texts.none} detail={texts.noneDetail} />
      )}
      {part.kind === "ready" && part.value !== null && (
        <div class="week-body">
          <WeekFigures week={part.value} devices={devices} format={format} />
          <WeekBars days={part.value.days} format={format} />
        </div>
      )}
    </section>
  );
}

interface WeekFiguresProps {
  readonly week: Week;
  readonly devices: readonly Device[];
  readonly format: Format;
}

function WeekFigures({ week, devices, format }: WeekFiguresProps) {
  const { week: texts } = useMessages();
  const rooms = devices.flatMap((device) => device.rooms);
  const on = rooms.filter((room) => room.on).length;
  return (
    <dl class="figures">
      <div class="figure figure-main">
        <dt>{texts.revenue}</dt>
        <dd>{format.money(week.revenue)}</dd>
      </div>
      <div class="figure">
        <dt>{texts.sales}</dt>
        <dd>{format.count(week.sales)}</dd>
      </div>
      {rooms.length > 0 && (
        <div class="figure">
          <dt>{texts.roomsOn}</dt>
          <dd>{texts.of(format.count(on), format.count(rooms.length))}</dd>
        </div>
      )}
    </dl>
  );
}
