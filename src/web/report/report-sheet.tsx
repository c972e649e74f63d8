import type { Report } from "../api/shapes.ts";
import { DataTable } from "../element/data-table.tsx";
import { Nothing } from "../element/notice.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { frameTexts } from "../messages/frame.ts";
import { reportTexts } from "../messages/report.ts";
import { useTexts } from "../messages/use-language.ts";
import { incidentsOf } from "./incidents.ts";

interface ReportSheetProps {
  readonly report: Report;
  /** Another report has been asked for; this one still stands. */
  readonly isStale: boolean;
  /** Line to the room that it is; a line that is wired nowhere any more is absent. */
  readonly roomOfLine: ReadonlyMap<string, string>;
}

/** The report itself: what is on the paper when it is printed. */
export function ReportSheet({ report, isStale, roomOfLine }: ReportSheetProps) {
  const texts = useTexts(reportTexts);
  const { simulated } = useTexts(frameTexts);
  const { status, format, now } = useGateway();
  const gateway = readyValue(status);
  const { totals, rooms } = report;
  const active = rooms.filter(({ sales }) => sales > 0).length;
  const hasRecords = rooms.length > 0;
  return (
    <article class={isStale ? "panel report is-stale" : "panel report"} aria-busy={isStale}>
      <header class="report-head">
        <div>
          <h2>{texts.heading(report.location)}</h2>
          <p class="report-when">{format.dayName(`${report.month}-01`, "longMonth")}</p>
        </div>
        {gateway?.simulated === true && <p class="report-simulated">{simulated.title}</p>}
      </header>
      <dl class="report-figures">
        <div class="report-main">
          <dt class="fine">{texts.revenue}</dt>
          <dd>{format.money(totals.revenue)}</dd>
        </div>
        <div>
          <dt class="fine">{texts.sales}</dt>
          <dd>{format.count(totals.sales)}</dd>
        </div>
        <div>
          <dt class="fine">{texts.activeRooms}</dt>
          <dd>{format.count(active)}</dd>
        </div>
      </dl>
      {hasRecords && <RoomTable report={report} />}
      {!hasRecords && <Nothing title={texts.none} detail={texts.noneDetail} />}
      <Remarks report={report} roomOfLine={roomOfLine} />
      <footer class="report-foot fine">
        <span>{texts.made(format.dateTime(now()))}</span>
        {gateway !== undefined && <span>{texts.zone(gateway.timeZone)}</span>}
      </footer>
    </article>
  );
}

function RoomTable({ report: { rooms, totals } }: { readonly report: Report }) {
  const texts = useTexts(reportTexts);
  const format = useFormat();
  return (
    <DataTable
      class="report-table"
      caption={texts.caption}
      rows={rooms}
      keyOf={(room) => `${room.deviceId}/${room.deviceName}/${room.room}`}
      columns={[
        {
          key: "room",
          title: texts.room,
          isName: true,
          cell: (room) => (
            <>
              {room.room}
              <span class="report-under">{room.deviceName}</span>
              <Notes room={room} style="report-under" />
            </>
          ),
        },
        { key: "device", title: texts.device, class: "report-device", cell: (room) => room.deviceName },
        {
          key: "notes",
          title: texts.notes,
          class: "report-notes",
          cell: (room) => <Notes room={room} style="fine" />,
        },
        { key: "sales", title: texts.sales, isNumber: true, cell: (room) => format.count(room.sales) },
        { key: "revenue", title: texts.revenue, isNumber: true, cell: (room) => format.money(room.revenue) },
      ]}
      foot={[texts.total, null, null, format.count(totals.sales), format.money(totals.revenue)]}
    />
  );
}

interface NotesProps {
  readonly room: Report["rooms"][number];
  readonly style: string;
}

function Notes({ room: { voided, provisional }, style }: NotesProps) {
  const texts = useTexts(reportTexts);
  const { count } = useFormat();
  const notes = [
    ...(voided > 0 ? [texts.voided(count(voided), voided === 1)] : []),
    ...(provisional > 0 ? [texts.provisional(count(provisional), provisional === 1)] : []),
  ];
  return notes.length === 0 ? null : <span class={style}>{notes.join(", ")}</span>;
}

/** So many are told one by one; a month with more has the rest as a number. */
const MAX_INCIDENTS = 10;

/** What limits the figures: voided records, uncertain times, gaps. */
function Remarks({
  report: { others, totals, gaps, complete },
  roomOfLine,
}: Pick<ReportSheetProps, "report" | "roomOfLine">) {
  const texts = useTexts(reportTexts);
  const format = useFormat();
  const { voided, provisional } = totals;
  const isClean = voided === 0 && provisional === 0 && gaps.length === 0;
  const incidents = incidentsOf(gaps);
  const unwatchedMs = incidents.reduce((sum, { fromTime, toTime }) => sum + toTime - fromTime, 0);
  const placesOf = (lines: readonly string[]) =>
    lines
      .map((line) => roomOfLine.get(line) ?? texts.line(line))
      .sort(format.compare)
      .join(", ");
  return (
    <section class="report-remarks">
      <h3>{texts.remarks}</h3>
      <ul>
        {!complete && <li>{texts.running}</li>}
        {others !== null && <li>{texts.others(format.count(others.sales), format.money(others.revenue))}</li>}
        {isClean && <li>{texts.clean}</li>}
        {voided > 0 && <li>{texts.voidedTotal(format.count(voided), voided === 1)}</li>}
        {provisional > 0 && <li>{texts.provisionalTotal(format.count(provisional), provisional === 1)}</li>}
        {incidents.length > 1 && (
          <li>{texts.incidents(format.count(incidents.length), format.duration(unwatchedMs))}</li>
        )}
        {incidents.slice(0, MAX_INCIDENTS).map(({ fromTime, toTime, lines, missedRises }) => (
          <li key={`${fromTime}/${lines[0]}`}>
            {texts.incident(
              format.dateTime(fromTime),
              format.duration(toTime - fromTime),
              placesOf(lines),
              missedRises,
            )}
          </li>
        ))}
        {incidents.length > MAX_INCIDENTS && (
          <li>{texts.moreIncidents(format.count(incidents.length - MAX_INCIDENTS))}</li>
        )}
      </ul>
    </section>
  );
}
