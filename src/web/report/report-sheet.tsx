import { useState } from "preact/hooks";
import { whoseOf } from "../api/locations.ts";
import type { Letterhead, Report } from "../api/shapes.ts";
import { BarChart } from "../chart/bar-chart.tsx";
import { DataTable } from "../element/data-table.tsx";
import { DialogButton } from "../element/dialog.tsx";
import { Nothing } from "../element/notice.tsx";
import type { Day } from "../format/day.ts";
import { useFormat, useGateway } from "../live/gateway.ts";
import { byHandTexts } from "../messages/by-hand.ts";
import { reportTexts } from "../messages/report.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { AddSale } from "../records/add-sale.tsx";
import { LaterCorrections } from "../settlement/corrections.tsx";
import { type Incident, incidentsOf, lackingOf, missingOf, type ToldGap } from "./incidents.ts";
import { type Figure, Figures, NetTable, RoomName, Seal, Sheet, SheetTable, Signatures } from "./sheet.tsx";

interface ReportSheetProps {
  readonly report: Report;
  /** The locations that the member sees. */
  readonly seen: readonly string[];
  readonly letterhead: Letterhead;
  /** Another report has been asked for; this one still stands. */
  readonly isStale: boolean;
}

/** The report itself: what is on the paper when it is printed. */
export function ReportSheet({ report, seen, letterhead, isStale }: ReportSheetProps) {
  const texts = useTexts(reportTexts);
  const spanTexts = report.day === null ? texts.ofMonth : texts.ofDay;
  const { self, status, format, now } = useGateway();
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
  const when =
    report.day === null
      ? format.dayName(`${report.month}-01`, "longMonth")
      : format.dayName(report.day, "full");
  return (
    <Sheet
      letterhead={letterhead}
      title={texts.heading(whoseOf(report.location, self, seen) ?? texts.all)}
      when={when}
      isStale={isStale}
    >
      <Figures figures={figures} main={texts.revenue} />
      {(totals.byHand > 0 || totals.refunds > 0 || totals.voided > 0) && (
        <NetTable
          title={texts.toNet}
          sums={{
            ...totals,
            byHandValue: totals.byHandTotal,
            voidedValue: totals.voidedTotal,
            net: totals.revenue,
          }}
        />
      )}
      {report.location === null && sums.length > 1 && <LocationTable report={report} then={then} />}
      {hasRecords && report.day === null && <ReportDays report={report} then={then} />}
      {locations.map((location) => (
        <section key={location} class="report-part report-rooms">
          <h3>{locations.length === 1 ? texts.rooms : texts.roomsOf(location)}</h3>
          <RoomTable
            report={report}
            rooms={rooms.filter((room) => room.location === location)}
            total={locations.length === 1 ? totals : (sums.find(({ name }) => name === location) ?? null)}
          />
        </section>
      ))}
      {!hasRecords && <Nothing title={spanTexts.none} detail={spanTexts.noneDetail} />}
      {self.serves === "gateway" && report.day === null && <LaterCorrections report={report} />}
      <Remarks report={report} />
      <Seal hash={report.head} texts={texts} />
      <div class="paper-only">
        <Signatures
          signers={[
            [texts.forCompany, letterhead.company],
            [texts.forClinic, report.location ?? ""],
          ]}
        />
      </div>
      <footer class="foot row fine">
        <span>{texts.made(format.dateTime(now()))}</span>
        {gateway !== undefined && <span>{texts.zone(gateway.timeZone)}</span>}
        <span>{texts.noInvoice}</span>
      </footer>
    </Sheet>
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
    <SheetTable
      title={texts.byLocation}
      // Three numbers leave a name no room on a phone.
      class="table-cards"
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
  );
}

interface RoomTableProps {
  readonly report: Pick<Report, "from" | "to">;
  readonly rooms: Report["rooms"];
  /** Null where it is not known. */
  readonly total: { readonly sales: number; readonly revenue: number } | null;
}

function RoomTable({ report: { from, to }, rooms, total }: RoomTableProps) {
  const texts = useTexts(reportTexts);
  const format = useFormat();
  const pricesText = (prices: Report["rooms"][number]["prices"]) =>
    prices === null ? "" : [...new Set([prices.least, prices.most])].map(format.money).join(" – ");
  // What was paid beyond the report's time: until then there is nothing to sell.
  const paidNote = ({ paidUntil }: Report["rooms"][number]) =>
    paidUntil !== null && format.day(paidUntil) > to && texts.paidUntil(format.dateTime(paidUntil));
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
          cell: (of) => (
            <RoomName
              room={
                <Link
                  to="records"
                  query={{ from, to, location: of.location, device: of.deviceId, room: of.room }}
                >
                  {of.room}
                </Link>
              }
              of={of}
              note={paidNote(of)}
            />
          ),
        },
        {
          title: texts.price,
          isNumber: true,
          class: "report-device",
          cell: ({ prices }) => pricesText(prices),
        },
        { title: texts.sales, isNumber: true, cell: (room) => format.count(room.sales) },
        { title: texts.revenue, isNumber: true, cell: (room) => format.money(room.revenue) },
      ]}
      {...(total !== null && {
        foot: [texts.total, "", format.count(total.sales), format.money(total.revenue)],
      })}
    />
  );
}

/** What limits the figures: voided records, uncertain times, gaps. */
function Remarks({ report: { day, others, totals, gaps, complete } }: Pick<ReportSheetProps, "report">) {
  const texts = useTexts(reportTexts);
  const format = useFormat();
  const { voided, provisional } = totals;
  const isClean = voided === 0 && provisional === 0 && gaps.length === 0;
  return (
    <section class="report-remarks">
      <h3>{texts.remarks}</h3>
      <ul class="prose">
        {!complete && <li>{(day === null ? texts.ofMonth : texts.ofDay).running}</li>}
        {others !== null && <li>{texts.others(format.count(others.sales), format.money(others.revenue))}</li>}
        {isClean && <li>{texts.clean}</li>}
        {voided > 0 && <li>{texts.voidedTotal(format.count(voided))}</li>}
        {provisional > 0 && <li>{texts.provisionalTotal(format.count(provisional))}</li>}
        <GapItems gaps={gaps} />
      </ul>
    </section>
  );
}

/** So many are told one by one; a month with more has the rest as a number. */
const MAX_INCIDENTS = 10;

interface GapItemsProps {
  readonly gaps: readonly ToldGap[];
  /** How many more there are, which are not given. */
  readonly more?: number;
}

/** What was not seen of a month, as the items of a list: how often and how long in all, then one by one. */
export function GapItems({ gaps, more = 0 }: GapItemsProps) {
  const texts = useTexts(reportTexts);
  const { count, duration } = useFormat();
  const incidents = incidentsOf(gaps);
  const lostMs = incidents.reduce((sum, { fromTime, toTime }) => sum + toTime - fromTime, 0);
  const untold = Math.max(0, incidents.length - MAX_INCIDENTS) + more;
  return (
    <>
      {incidents.length > 1 && <li>{texts.incidents(count(incidents.length + more), duration(lostMs))}</li>}
      <IncidentItems incidents={incidents.slice(0, MAX_INCIDENTS)} />
      {untold > 0 && <li>{texts.moreIncidents(count(untold))}</li>}
    </>
  );
}

/** The items of a list: when each was, how long, and which rooms. */
export function IncidentItems({ incidents }: { readonly incidents: readonly Incident[] }) {
  const texts = useTexts(reportTexts);
  const { gap: gapTexts } = useTexts(byHandTexts);
  const { status, format, self } = useGateway();
  const mayAdd = self.role === "owner" && self.serves === "gateway";
  const roomOfLine = new Map((status.value?.lastEdges ?? []).map(({ line, room }) => [line, room]));
  return incidents.map(({ fromTime, toTime, lines, missedRises, isOutage, gaps: told }) => {
    const keptRooms = new Map(told.map((gap) => [gap.line, "room" in gap ? gap.room : null]));
    const roomsOf = (some: readonly string[]) =>
      some
        .map((line) => keptRooms.get(line) ?? roomOfLine.get(line) ?? texts.line(line))
        .sort(format.compare)
        .join(", ");
    // What a settlement keeps of a gap stays as it was, and nothing is added to it.
    const gaps = told.filter((gap) => "number" in gap);
    const added = gaps.reduce((sum, gap) => sum + (gap.added ?? 0), 0);
    const missing = gaps.reduce((sum, gap) => sum + missingOf(gap), 0);
    const wired = gaps.map(({ line }) => line).filter((line) => roomOfLine.has(line));
    return (
      <li key={`${fromTime}/${lines[0]}`}>
        {texts.incident(
          format.dateTime(fromTime),
          format.duration(toTime - fromTime),
          roomsOf(lines),
          missedRises === null ? null : format.count(missedRises),
          isOutage,
        )}{" "}
        {added > 0 && gapTexts.added(format.count(added))}
        {mayAdd && wired.length > 0 && (missedRises === null || missing > 0) && (
          <span class="unprinted">
            <DialogButton kind="quiet" dialog={<AddSale gaps={lackingOf(gaps)} />}>
              {missing > 0
                ? gapTexts.missing(format.count(missing))
                : gapTexts.perhaps(roomsOf([...new Set(wired)]))}
            </DialogButton>
          </span>
        )}
      </li>
    );
  });
}

type ReportDay = Report["days"][number];

/** The days of the month beside those of the month before: as bars, and in two tables of half a month each. */
function ReportDays({ report, then }: LocationTableProps) {
  const texts = useTexts(reportTexts);
  const { format, now } = useGateway();
  const [chosen, setChosen] = useState(-1);
  const today = format.day(now());
  const { days, totals, before, location } = report;
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
      <div class="report-month-days">
        <div class="report-days fields">
          <DayTable days={past.slice(0, half)} location={location} />
          {past.length > half && <DayTable days={past.slice(half)} location={location} />}
        </div>
        <p class="report-total row spread strong">
          <span>{texts.total}</span>
          <span>
            {texts.salesOf(format.count(totals.sales))} · {format.money(totals.revenue)}
            {before !== null && (
              <span class="soft"> · {`${texts.ofMonth.before}: ${format.money(before.revenue)}`}</span>
            )}
          </span>
        </p>
      </div>
    </section>
  );
}

function DayTable({ days, location }: { readonly days: readonly ReportDay[] } & Pick<Report, "location">) {
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
          cell: ({ day }) => (
            <Link to="records" query={{ from: day, to: day, location: location ?? "" }}>
              {`${format.dayName(day, "weekday")} ${Number(day.slice(-2))}`}
            </Link>
          ),
        },
        { title: texts.sales, isNumber: true, cell: ({ sales }) => format.count(sales) },
        { title: texts.revenue, isNumber: true, cell: ({ revenue }) => format.money(revenue) },
        { title: texts.ofMonth.before, isNumber: true, cell: ({ before }) => format.money(before) },
      ]}
    />
  );
}
