import { useState } from "preact/hooks";
import type { Overview } from "../api/shapes.ts";
import { type Bar, BarChart } from "../chart/bar-chart.tsx";
import { Button } from "../element/button.tsx";
import { DataTable } from "../element/data-table.tsx";
import { Nothing, Panel } from "../element/notice.tsx";
import type { Day } from "../format/day.ts";
import { useFormat, useGateway } from "../live/gateway.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { type OverviewFilter, PeriodSteps } from "./panel-filters.tsx";
import { daysText, entryIndexOf, lastDayOf } from "./period.ts";

interface ChartPanelProps {
  readonly overview: Overview;
  readonly filter: OverviewFilter;
  readonly onFilter: (filter: OverviewFilter) => void;
}

/** Revenue per day or month, as bars or as a table; the exact values of one of them stand above. */
export function ChartPanel({ overview, filter, onFilter }: ChartPanelProps) {
  const texts = useTexts(panelTexts);
  const [isTable, setTable] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const isEmpty = overview.sales === 0 && overview.before.sales === 0;
  const isFiltered = filter.location !== "" || filter.device !== "";
  const chosenIndex = overview.chart.findIndex((entry) => entry.start === chosen);
  const index = chosenIndex < 0 ? entryIndexOf(overview.chart, overview.to) : chosenIndex;
  return (
    <Panel
      class="chart-panel"
      title={texts.chart[overview.period]}
      beside={
        <>
          <div class="chart-steps row">
            <PeriodSteps shown={overview} onStep={(at) => onFilter({ ...filter, at })}>
              <ShownPeriod overview={overview} />
            </PeriodSteps>
          </div>
          {!isEmpty && (
            <Button kind="quiet" icon={isTable ? "panel" : "table"} onPress={() => setTable(!isTable)}>
              {isTable ? texts.chart.asChart : texts.chart.asTable}
            </Button>
          )}
        </>
      }
    >
      {isEmpty ? (
        <Nothing title={texts.none} detail={isFiltered ? texts.noneFiltered : texts.noneDetail}>
          {isFiltered && (
            <Button onPress={() => onFilter({ ...filter, location: "", device: "" })}>
              {texts.clearFilter}
            </Button>
          )}
        </Nothing>
      ) : isTable ? (
        <ChartTable overview={overview} />
      ) : (
        <Bars
          overview={overview}
          filter={filter}
          chosen={index}
          onChoose={(next) => setChosen(overview.chart[next]?.start ?? null)}
        />
      )}
    </Panel>
  );
}

/** Whether the last day of a period is still to end. */
export function useIsRunning(to: Day): boolean {
  const { format, now } = useGateway();
  return to >= format.day(now());
}

/** The days that a period is compared with: on every part of the panel the same, under the same name. */
export function useDaysText(days: { readonly from: Day; readonly to: Day }, isRunning: boolean): string {
  const texts = useTexts(panelTexts);
  const { format, now } = useGateway();
  return daysText(days, isRunning, texts, (day) => format.dayNameBy(format.day(now()), day, "short"));
}

/** Which days are shown, with their sum. */
function ShownPeriod({ overview: { period, from, to, revenue } }: Pick<ChartPanelProps, "overview">) {
  const format = useFormat();
  const week = useDaysText({ from, to }, false);
  const name =
    period === "week" ? week : period === "month" ? format.dayName(from, "longMonth") : from.slice(0, 4);
  return (
    <span aria-live="polite">
      {name}: <b>{format.money(revenue)}</b>
    </span>
  );
}

interface BarsProps {
  readonly overview: Overview;
  readonly filter: OverviewFilter;
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
}

function Bars({ overview, filter, chosen, onChoose }: BarsProps) {
  const texts = useTexts(panelTexts);
  const { format, now: nowMs } = useGateway();
  const { period, chart, to, before } = overview;
  const now = entryIndexOf(chart, to);
  const isRunning = useIsRunning(to);
  const then = useDaysText(before, isRunning);
  const today = format.day(nowMs());
  const bars = chart.map((entry, index): Bar => {
    const sales = texts.salesCount(format.count(entry.sales));
    const full =
      period === "year"
        ? format.dayName(entry.start, "longMonth")
        : format.dayNameBy(today, entry.start, "long");
    return {
      key: entry.start,
      name:
        period === "year"
          ? format.dayName(entry.start, "month")
          : period === "month"
            ? String(index + 1)
            : index === now && isRunning
              ? texts.chart.today
              : format.dayName(entry.start, "weekday"),
      text: index > now ? texts.chart.ahead(full) : texts.chart.bar(full, format.money(entry.revenue), sales),
      value: entry.revenue,
      before: entry.before,
      valueText: entry.sales === 0 ? "" : format.shortMoney(entry.revenue),
      isNow: index === now && isRunning,
      isAhead: index > now,
    };
  });
  const entry = chart[chosen];
  return (
    <>
      {entry !== undefined && (
        <Chosen entry={entry} overview={overview} filter={filter} isAhead={chosen > now} />
      )}
      <BarChart
        label={texts.chart[period]}
        bars={bars}
        chosen={chosen}
        onChoose={onChoose}
        tickText={format.shortMoney}
      />
      {before.sales > 0 && (
        <p class="chart-legend fine">{texts.wasThen(then, format.money(before.revenue))}</p>
      )}
    </>
  );
}

interface ChosenProps {
  readonly entry: Overview["chart"][number];
  readonly overview: Overview;
  readonly filter: OverviewFilter;
  readonly isAhead: boolean;
}

function Chosen({ entry, overview, filter, isAhead }: ChosenProps) {
  const texts = useTexts(panelTexts);
  const { format, now } = useGateway();
  const isDays = overview.period !== "year";
  const name = isDays
    ? format.dayNameBy(format.day(now()), entry.start, "long")
    : format.dayName(entry.start, "longMonth");
  const days = { from: entry.start, to: isDays ? entry.start : lastDayOf(entry.start) };
  return (
    <p class="chart-chosen words">
      <span class="soft capital">{isAhead ? texts.chart.ahead(name) : name}</span>
      {!isAhead && (
        <>
          <b class="large">{format.money(entry.revenue)}</b>
          <span class="soft">{texts.salesCount(format.count(entry.sales))}</span>
          <Link to="records" query={{ ...days, location: filter.location, device: filter.device }}>
            {texts.chart.toRecords}
          </Link>
        </>
      )}
    </p>
  );
}

function ChartTable({ overview }: { readonly overview: Overview }) {
  const texts = useTexts(panelTexts);
  const { format, now: nowMs } = useGateway();
  const then = useDaysText(overview.before, useIsRunning(overview.to));
  const today = format.day(nowMs());
  const isDays = overview.period !== "year";
  const now = entryIndexOf(overview.chart, overview.to);
  return (
    <DataTable
      caption={texts.chart[overview.period]}
      columns={[
        {
          title: isDays ? texts.chart.day : texts.month,
          isName: true,
          cell: ({ start }) =>
            isDays ? format.dayNameBy(today, start, "long") : format.dayName(start, "longMonth"),
        },
        { title: texts.sales, isNumber: true, cell: (entry) => format.count(entry.sales) },
        { title: texts.revenue, isNumber: true, cell: (entry) => format.money(entry.revenue) },
        {
          title: then,
          isNumber: true,
          cell: (entry) => format.money(entry.before),
        },
      ]}
      rows={overview.chart.slice(0, now + 1)}
      keyOf={(entry) => entry.start}
      foot={[
        texts.chart.total,
        format.count(overview.sales),
        format.money(overview.revenue),
        format.money(overview.before.revenue),
      ]}
    />
  );
}
