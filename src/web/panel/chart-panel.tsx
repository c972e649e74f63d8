import { useState } from "preact/hooks";
import type { Overview } from "../api/shapes.ts";
import { type Bar, BarChart } from "../chart/bar-chart.tsx";
import { Button } from "../element/button.tsx";
import { DataTable } from "../element/data-table.tsx";
import { Nothing, Panel } from "../element/notice.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { type OverviewFilter, PeriodSteps } from "./panel-filters.tsx";
import { entryIndexOf, lastDayOf } from "./period.ts";

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
          <div class="chart-steps">
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

/** Which days are shown, with their sum. */
function ShownPeriod({ overview: { period, from, to, revenue } }: Pick<ChartPanelProps, "overview">) {
  const texts = useTexts(panelTexts);
  const format = useFormat();
  const name =
    period === "week"
      ? texts.days(format.dayName(from, "short"), format.dayName(to, "short"))
      : period === "month"
        ? format.dayName(from, "longMonth")
        : from.slice(0, 4);
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
  const { period, chart, to } = overview;
  const now = entryIndexOf(chart, to);
  const isRunning = to >= format.day(nowMs());
  const bars = chart.map((entry, index): Bar => {
    const sales = texts.salesCount(format.count(entry.sales));
    const full = format.dayName(entry.start, period === "year" ? "longMonth" : "long");
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
      {overview.before.sales > 0 && (
        <p class="chart-legend fine">
          {texts.wasThen(texts.periodBefore[period], format.money(overview.before.revenue))}
        </p>
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
  const format = useFormat();
  const isDays = overview.period !== "year";
  const name = format.dayName(entry.start, isDays ? "long" : "longMonth");
  const days = { from: entry.start, to: isDays ? entry.start : lastDayOf(entry.start) };
  return (
    <p class="chart-chosen words">
      <span class="chart-chosen-name">{isAhead ? texts.chart.ahead(name) : name}</span>
      {!isAhead && (
        <>
          <b>{format.money(entry.revenue)}</b>
          <span>{texts.salesCount(format.count(entry.sales))}</span>
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
  const format = useFormat();
  const isDays = overview.period !== "year";
  const now = entryIndexOf(overview.chart, overview.to);
  return (
    <DataTable
      caption={texts.chart[overview.period]}
      columns={[
        {
          title: isDays ? texts.chart.day : texts.month,
          isName: true,
          cell: (entry) => format.dayName(entry.start, isDays ? "long" : "longMonth"),
        },
        { title: texts.sales, isNumber: true, cell: (entry) => format.count(entry.sales) },
        { title: texts.revenue, isNumber: true, cell: (entry) => format.money(entry.revenue) },
        {
          title: texts.periodBefore[overview.period],
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
