import type { Report } from "../api/shapes.ts";
import { Nothing } from "../element/notice.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { frameTexts } from "../messages/frame.ts";
import { reportTexts } from "../messages/report.ts";
import { useTexts } from "../messages/use-language.ts";

interface ReportSheetProps {
  readonly report: Report;
  /** Another report has been asked for; this one still stands. */
  readonly isStale: boolean;
}

/** The report itself: what is on the paper when it is printed. */
export function ReportSheet({ report, isStale }: ReportSheetProps) {
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
      <Remarks report={report} />
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
            <td class="report-notes fine">
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
  readonly room: Report["rooms"][number];
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

/** What limits the figures: voided records, uncertain times, gaps. */
function Remarks({ report: { totals, gaps, complete } }: { readonly report: Report }) {
  const texts = useTexts(reportTexts);
  const format = useFormat();
  const { voided, provisional } = totals;
  const isClean = voided === 0 && provisional === 0 && gaps.length === 0;
  return (
    <section class="report-remarks">
      <h3>{texts.remarks}</h3>
      <ul>
        {!complete && <li>{texts.running}</li>}
        {isClean && <li>{texts.clean}</li>}
        {voided > 0 && <li>{texts.voidedTotal(format.count(voided), voided === 1)}</li>}
        {provisional > 0 && <li>{texts.provisionalTotal(format.count(provisional), provisional === 1)}</li>}
        {gaps.map((gap) => (
          <li key={`${gap.line}/${gap.fromTime}`}>
            {texts.gap(gap.line, format.dateTime(gap.fromTime), format.dateTime(gap.toTime), gap.missedRises)}
          </li>
        ))}
      </ul>
    </section>
  );
}
