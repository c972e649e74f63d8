import type { Report, ReportRoom } from "../api/report.ts";
import { Nothing } from "../element/nothing.tsx";
import { Notice } from "../element/notice.tsx";
import { useFormat, useVisit } from "../frame/visit.ts";
import { readyValue } from "../live/part.ts";
import { frameTexts } from "../messages/frame.ts";
import { reportTexts } from "../messages/report.ts";
import { useTexts } from "../messages/speech.ts";

interface ReportSheetProps {
  readonly report: Report;
  /** Another report has been asked for; this one still stands. */
  readonly isStale: boolean;
  /** The month's records are archived, all of them or those that were old enough: the figures lack them. */
  readonly isArchived: boolean;
}

/** The report itself: what is on the paper when it is printed. */
export function ReportSheet({ report, isStale, isArchived }: ReportSheetProps) {
  const texts = useTexts(reportTexts);
  const { simulated } = useTexts(frameTexts);
  const { status, format, now } = useVisit();
  const gateway = readyValue(status);
  const { totals, rooms } = report;
  const active = rooms.filter(({ sales }) => sales > 0).length;
  const hasRecords = rooms.length > 0;
  return (
    <article class={isStale ? "panel report report-stale" : "panel report"} aria-busy={isStale}>
      <header class="report-head">
        <div>
          <h2>{texts.heading(report.location)}</h2>
          <p class="report-when">{format.dayName(`${report.month}-01`, "longMonth")}</p>
        </div>
        {gateway?.simulated === true && <p class="report-simulated">{simulated.title}</p>}
      </header>
      <dl class="report-figures">
        <div class="report-main">
          <dt>{texts.revenue}</dt>
          <dd>{format.money(totals.revenue)}</dd>
        </div>
        <div>
          <dt>{texts.sales}</dt>
          <dd>{format.count(totals.sales)}</dd>
        </div>
        <div>
          <dt>{texts.activeRooms}</dt>
          <dd>{format.count(active)}</dd>
        </div>
      </dl>
      {isArchived && <Notice kind="warn" title={texts.archived} />}
      {hasRecords && <RoomTable report={report} />}
      {!hasRecords && !isArchived && <Nothing title={texts.none} detail={texts.noneDetail} />}
      {!isArchived && <Remarks report={report} />}
      <footer class="report-foot">
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
    <table class="report-table">
      <caption class="aloud">{texts.caption}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.room}</th>
          <th scope="col" class="report-device">
            {texts.device}
          </th>
          <th scope="col" class="report-notes">
            {texts.notes}
          </th>
          <th scope="col" class="number">
            {texts.sales}
          </th>
          <th scope="col" class="number">
            {texts.revenue}
          </th>
        </tr>
      </thead>
      <tbody>
        {rooms.map((room) => (
          <tr key={`${room.deviceId}/${room.deviceName}/${room.room}`}>
            <th scope="row">
              {room.room}
              <span class="report-under">{room.deviceName}</span>
              <Notes room={room} style="report-under" />
            </th>
            <td class="report-device">{room.deviceName}</td>
            <td class="report-notes">
              <Notes room={room} />
            </td>
            <td class="number">{format.count(room.sales)}</td>
            <td class="number">{format.money(room.revenue)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{texts.total}</th>
          <td class="report-device" />
          <td class="report-notes" />
          <td class="number">{format.count(totals.sales)}</td>
          <td class="number">{format.money(totals.revenue)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function Notes({
  room: { voided, provisional },
  style,
}: {
  readonly room: ReportRoom;
  readonly style?: string;
}) {
  const texts = useTexts(reportTexts);
  const { count } = useFormat();
  const notes = [
    ...(voided > 0 ? [texts.voided(count(voided), voided === 1)] : []),
    ...(provisional > 0 ? [texts.provisional(count(provisional), provisional === 1)] : []),
  ];
  return notes.length === 0 ? null : <span class={style}>{notes.join(", ")}</span>;
}

/** What whoever reads the figures should know of them. */
function Remarks({ report: { totals, gaps, isComplete } }: { readonly report: Report }) {
  const texts = useTexts(reportTexts);
  const format = useFormat();
  const { voided, provisional } = totals;
  const isClean = voided === 0 && provisional === 0 && gaps.length === 0;
  return (
    <section class="report-remarks">
      <h3>{texts.remarks}</h3>
      <ul>
        {!isComplete && <li>{texts.running}</li>}
        {isClean && <li>{texts.clean}</li>}
        {voided > 0 && <li>{texts.voidedTotal(format.count(voided), voided === 1)}</li>}
        {provisional > 0 && <li>{texts.provisionalTotal(format.count(provisional), provisional === 1)}</li>}
        {gaps.map((gap) => (
          <li key={`${gap.line}/${gap.fromTimeMs}`}>
            {texts.gap(
              gap.line,
              format.dateTime(gap.fromTimeMs),
              format.dateTime(gap.toTimeMs),
              gap.lostSales,
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
