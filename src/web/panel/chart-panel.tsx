import { useState } from "preact/hooks";
import type { OverviewFilter } from "../api/overview.ts";
import type { Overview } from "../api/shapes.ts";
import { type Bar, BarChart } from "../chart/bar-chart.tsx";
import { Button } from "../element/button.tsx";
import { DataTable } from "../element/data-table.tsx";
import { Nothing } from "../element/notice.tsx";
import { useFormat } from "../live/gateway.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { addressOf } from "../route.ts";
import { entryIndexOf, lastDayOf } from "./chart-days.ts";

interface ChartPanelProps {
  readonly overview: Overview;
  readonly filter: OverviewFilter;
  readonly onClearFilter: () => void;
}

/** Revenue per day or month, as bars or as a table; the exact values of one of them stand above. */
export function ChartPanel({ overview, filter, onClearFilter }: ChartPanelProps) {
  const texts = useTexts(panelTexts);
  const [isTable, setTable] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const isEmpty = overview.sales === 0;
  const isFiltered = filter.location !== undefined || filter.device !== undefined;
  const chosenIndex = overview.chart.findIndex((entry) => entry.start === chosen);
  const index = chosenIndex < 0 ? entryIndexOf(overview.chart, overview.to) : chosenIndex;
  return (
    <section class="panel chart-panel" aria-labelledby="chart-title">
      <div class="panel-head">
        <h2 id="chart-title">{texts.chart[overview.period]}</h2>
        {!isEmpty && (
          <Button kind="quiet" icon={isTable ? "panel" : "table"} onPress={() => setTable(!isTable)}>
            {isTable ? texts.chart.asChart : texts.chart.asTable}
          </Button>
        )}
      </div>
      {isEmpty ? (
        <Nothing
          title={texts.none}
          detail={
            isFiltered ? texts.noneFiltered : overview.period === "week" ? texts.noneWeek : texts.noneYear
          }
        >
          {isFiltered && <Button onPress={onClearFilter}>{texts.clearFilter}</Button>}
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
    </section>
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
  const format = useFormat();
  const { period, chart, to } = overview;
  const now = entryIndexOf(chart, to);
  const bars = chart.map((entry, index): Bar => {
    const sales = texts.salesCount(entry.sales, format.count(entry.sales));
    const full = format.dayName(entry.start, period === "week" ? "long" : "longMonth");
    return {
      key: entry.start,
      name:
        period === "year"
          ? format.dayName(entry.start, "month")
          : index === now
            ? texts.chart.today
            : format.dayName(entry.start, "weekday"),
      text: index > now ? texts.chart.ahead(full) : texts.chart.bar(full, format.money(entry.revenue), sales),
      value: entry.revenue,
      valueText: entry.sales === 0 ? "" : format.shortMoney(entry.revenue),
      isNow: index === now,
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
  const isWeek = overview.period === "week";
  const name = format.dayName(entry.start, isWeek ? "long" : "longMonth");
  const days = { from: entry.start, to: isWeek ? entry.start : lastDayOf(entry.start) };
  return (
    <p class="chart-chosen">
      <span class="chart-chosen-name">{isAhead ? texts.chart.ahead(name) : name}</span>
      {!isAhead && (
        <>
          <b>{format.money(entry.revenue)}</b>
          <span>{texts.salesCount(entry.sales, format.count(entry.sales))}</span>
          <Link to={addressOf("records", { ...days, location: filter.location, device: filter.device })}>
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
  const isWeek = overview.period === "week";
  const now = entryIndexOf(overview.chart, overview.to);
  return (
    <DataTable
      caption={texts.chart[overview.period]}
      columns={[
        {
          key: "start",
          title: isWeek ? texts.chart.day : texts.chart.month,
          isName: true,
          cell: (entry) => format.dayName(entry.start, isWeek ? "long" : "longMonth"),
        },
        { key: "sales", title: texts.sales, isNumber: true, cell: (entry) => format.count(entry.sales) },
        {
          key: "revenue",
          title: texts.revenue,
          isNumber: true,
          cell: (entry) => format.money(entry.revenue),
        },
      ]}
      rows={overview.chart.slice(0, now + 1)}
      keyOf={(entry) => entry.start}
      foot={[texts.chart.total, format.count(overview.sales), format.money(overview.revenue)]}
    />
  );
}
