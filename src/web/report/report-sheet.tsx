import { useState } from "preact/hooks";
import type { Letterhead, Report } from "../api/shapes.ts";
import { BarChart } from "../chart/bar-chart.tsx";
import { DataTable } from "../element/data-table.tsx";
import { Nothing } from "../element/notice.tsx";
import type { Day } from "../format/day.ts";
import { useFormat, useGateway } from "../live/gateway.ts";
import { reportTexts } from "../messages/report.ts";
import { useTexts } from "../messages/use-language.ts";
import { type Incident, incidentsOf } from "./incidents.ts";
import { type Figure, Figures, LetterheadBlock, Seal } from "./sheet.tsx";

interface ReportSheetProps {
  readonly report: Report;
  readonly letterhead: Letterhead;
  /** Another report has been asked for; this one still stands. */
  readonly isStale: boolean;
}

/** The report itself: what is on the paper when it is printed. */
export function ReportSheet({ report, letterhead, isStale }: ReportSheetProps) {
  const texts = useTexts(reportTexts);
  const spanTexts = report.day === null ? texts.ofMonth : texts.ofDay;
  const { status, format, now } = useGateway();
  const gateway = status.value;
  const { totals, rooms, locations: sums, before } = report;
  const day = (of: Day) => format.dayName(of, "short");
  const active = rooms.filter(({ sales }) => sales > 0).length;
  const hasRecords = rooms.length > 0;
  const locations = [...new Set(rooms.map(({ location }) => location))];
  const figures: Figure[] = [
    [texts.revenue, format.money(totals.revenue)],
    [texts.sales, format.count(totals.sales)],
    [texts.activeRooms, format.count(active)],
  ];
  const beforeText = report.complete ? spanTexts.beforeDays : spanTexts.beforeSoFar;
  const then = before === null ? spanTexts.before : beforeText(day(before.from), day(before.to));
  if (before !== null) figures.push([then, format.money(before.revenue)]);
  return (
    <article class={isStale ? "panel report is-stale" : "panel report"} aria-busy={isStale}>
      <LetterheadBlock letterhead={letterhead} />
      <header class="report-head">
        <h2 class="big">{texts.heading(report.location ?? texts.all)}</h2>
        <p class="report-when soft capital" aria-live="polite">
          {report.day === null
            ? format.dayName(`${report.month}-01`, "longMonth")
            : format.dayName(report.day, "full")}
        </p>
      </header>
      <Figures figures={figures} main={texts.revenue} />
      {report.location === null && sums.length > 1 && <LocationTable report={report} then={then} />}
      {hasRecords && report.day === null && <ReportDays days={report.days} then={then} />}
      {locations.map((location) => (
        <section key={location} class="report-part">
          <h3>{locations.length === 1 ? texts.rooms : texts.roomsOf(location)}</h3>
          <RoomTable
            rooms={rooms.filter((room) => room.location === location)}
            total={locations.length === 1 ? totals : (sums.find(({ name }) => name === location) ?? null)}
          />
        </section>
      ))}
      {!hasRecords && <Nothing title={spanTexts.none} detail={spanTexts.noneDetail} />}
      <Remarks report={report} />
      <Seal hash={report.head} texts={texts} />
      <footer class="foot row fine">
        <span>{texts.made(format.dateTime(now()))}</span>
        {gateway !== undefined && <span>{texts.zone(gateway.timeZone)}</span>}
      </footer>
    </article>
  );
}

interface LocationTableProps {
  readonly report: Report;
  /** What it is compared with. */
  readonly then: string;
}

function LocationTable({ report: { locations, otherLocations, totals, before }, then }: LocationTableProps) {
  const texts = useTexts(reportTexts);
  const { count, money } = useFormat();
  return (
    <section class="report-part">
      <h3>{texts.byLocation}</h3>
      <DataTable
        // Three numbers leave a name no room on a phone.
        class="report-table table-cards"
        caption={texts.byLocation}
        rows={[
          ...locations.map((one) => ({ ...one, key: `location ${one.name}` })),
          ...(otherLocations === null
            ? []
            : [{ ...otherLocations, key: "others", name: texts.otherLocations }]),
        ]}
        keyOf={({ key }) => key}
        columns={[
          { title: texts.location, isName: true, cell: ({ name }) => name },
          { title: texts.sales, isNumber: true, cell: ({ sales }) => count(sales) },
          { title: texts.revenue, isNumber: true, cell: ({ revenue }) => money(revenue) },
          { title: then, isNumber: true, cell: (one) => money(one.before) },
        ]}
        foot={[texts.total, count(totals.sales), money(totals.revenue), money(before?.revenue ?? 0)]}
      />
    </section>
  );
}

interface RoomTableProps {
  readonly rooms: Report["rooms"];
  /** Null where it is not known. */
  readonly total: { readonly sales: number; readonly revenue: number } | null;
}

function RoomTable({ rooms, total }: RoomTableProps) {
  const texts = useTexts(reportTexts);
  const format = useFormat();
  const notesOf = ({ voided, provisional }: Report["rooms"][number]) => [
    ...(voided > 0 ? [texts.voided(format.count(voided))] : []),
    ...(provisional > 0 ? [texts.provisional(format.count(provisional))] : []),
  ];
  return (
    <DataTable
      class="report-table"
      caption={texts.caption}
      rows={rooms}
      keyOf={(room) => `${room.deviceId}/${room.deviceName}/${room.room}`}
      columns={[
        {
          title: texts.room,
          isName: true,
          cell: (room) => (
            <>
              {room.room} <span class="fine">{[room.deviceName, ...notesOf(room)].join(" · ")}</span>
            </>
          ),
        },
        { title: texts.sales, isNumber: true, cell: (room) => format.count(room.sales) },
        { title: texts.revenue, isNumber: true, cell: (room) => format.money(room.revenue) },
      ]}
      {...(total !== null && {
        foot: [texts.total, format.count(total.sales), format.money(total.revenue)],
      })}
    />
  );
}

/** So many are told one by one; a month with more has the rest as a number. */
const MAX_INCIDENTS = 10;

/** What limits the figures: voided records, uncertain times, gaps. */
function Remarks({ report: { day, others, totals, gaps, complete } }: Pick<ReportSheetProps, "report">) {
  const texts = useTexts(reportTexts);
  const format = useFormat();
  const { voided, provisional } = totals;
  const isClean = voided === 0 && provisional === 0 && gaps.length === 0;
  const incidents = incidentsOf(gaps);
  const unwatchedMs = incidents.reduce((sum, { fromTime, toTime }) => sum + toTime - fromTime, 0);
  return (
    <section class="report-remarks">
      <h3>{texts.remarks}</h3>
      <ul class="prose">
        {!complete && <li>{(day === null ? texts.ofMonth : texts.ofDay).running}</li>}
        {others !== null && <li>{texts.others(format.count(others.sales), format.money(others.revenue))}</li>}
        {isClean && <li>{texts.clean}</li>}
        {voided > 0 && <li>{texts.voidedTotal(format.count(voided))}</li>}
        {provisional > 0 && <li>{texts.provisionalTotal(format.count(provisional))}</li>}
        {incidents.length > 1 && (
          <li>{texts.incidents(format.count(incidents.length), format.duration(unwatchedMs))}</li>
        )}
        <IncidentItems incidents={incidents.slice(0, MAX_INCIDENTS)} />
        {incidents.length > MAX_INCIDENTS && (
          <li>{texts.moreIncidents(format.count(incidents.length - MAX_INCIDENTS))}</li>
        )}
      </ul>
    </section>
  );
}

/** The items of a list: when each was, how long, and which rooms. */
export function IncidentItems({ incidents }: { readonly incidents: readonly Incident[] }) {
  const texts = useTexts(reportTexts);
  const { status, format } = useGateway();
  const roomOfLine = new Map((status.value?.lastEdges ?? []).map(({ line, room }) => [line, room]));
  const roomsOf = (lines: readonly string[]) =>
    lines
      .map((line) => roomOfLine.get(line) ?? texts.line(line))
      .sort(format.compare)
      .join(", ");
  return incidents.map(({ fromTime, toTime, lines, missedRises, isOutage }) => (
    <li key={`${fromTime}/${lines[0]}`}>
      {texts.incident(
        format.dateTime(fromTime),
        format.duration(toTime - fromTime),
        roomsOf(lines),
        missedRises === null ? null : format.count(missedRises),
        isOutage,
      )}
    </li>
  ));
}

type ReportDay = Report["days"][number];

/** The days of the month beside those of the month before: as bars, and in two tables of half a month each. */
function ReportDays({ days, then }: Pick<Report, "days"> & Pick<LocationTableProps, "then">) {
  const texts = useTexts(reportTexts);
  const { format, now } = useGateway();
  const [chosen, setChosen] = useState(-1);
  const today = format.day(now());
  const past = days.filter(({ day }) => day <= today);
  const half = Math.ceil(past.length / 2);
  return (
    <section class="report-part">
      <h3>{texts.days}</h3>
      <BarChart
        label={texts.days}
        bars={days.map(({ day, revenue, before }) => ({
          key: day,
          name: String(Number(day.slice(-2))),
          text: `${format.dayName(day, "long")}: ${format.money(revenue)}`,
          value: revenue,
          valueText: format.shortMoney(revenue),
          before,
          isNow: day === today,
          isAhead: day > today,
        }))}
        chosen={chosen === -1 ? days.findIndex(({ day }) => day === today) : chosen}
        onChoose={setChosen}
        tickText={format.shortMoney}
      />
      <p class="chart-legend fine">{then}</p>
      <div class="report-days fields">
        <DayTable days={past.slice(0, half)} />
        {past.length > half && <DayTable days={past.slice(half)} />}
      </div>
    </section>
  );
}

function DayTable({ days }: { readonly days: readonly ReportDay[] }) {
  const texts = useTexts(reportTexts);
  const format = useFormat();
  return (
    <DataTable
      class="report-table"
      caption={texts.days}
      rows={days}
      keyOf={({ day }) => day}
      columns={[
        {
          title: texts.day,
          isName: true,
          class: "whole",
          cell: ({ day }) => `${format.dayName(day, "weekday")} ${Number(day.slice(-2))}`,
        },
        { title: texts.sales, isNumber: true, cell: ({ sales }) => format.count(sales) },
        { title: texts.revenue, isNumber: true, cell: ({ revenue }) => format.money(revenue) },
        { title: texts.ofMonth.before, isNumber: true, cell: ({ before }) => format.money(before) },
      ]}
    />
  );
}
