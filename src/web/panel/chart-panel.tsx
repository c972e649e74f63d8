import { useState } from "preact/hooks";
import type { ChartEntry, Summary, SummaryFilter } from "../api/summary.ts";
import { type Bar, BarChart } from "../chart/bar-chart.tsx";
import { Button } from "../element/button.tsx";
import { DataTable } from "../element/data-table.tsx";
import { Link } from "../element/link.tsx";
import { Nothing } from "../element/nothing.tsx";
import { useFormat } from "../frame/visit.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/speech.ts";
import { addressOf } from "../route.ts";
import { entryIndexOf, lastDayOf } from "./chart-days.ts";

interface ChartPanelProps {
  readonly summary: Summary;
  readonly filter: SummaryFilter;
  readonly onClearFilter: () => void;
}

/** Revenue per day or month, as bars or as a table; the exact values of one of them stand above. */
export function ChartPanel({ summary, filter, onClearFilter }: ChartPanelProps) {
  const texts = useTexts(panelTexts);
  const [isTable, setTable] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const isEmpty = summary.totals.sales === 0;
  const isFiltered = filter.location !== undefined || filter.device !== undefined;
  const chosenIndex = summary.chart.findIndex((entry) => entry.start === chosen);
  const index = chosenIndex < 0 ? entryIndexOf(summary.chart, summary.to) : chosenIndex;
  return (
    <section class="panel chart-panel" aria-labelledby="chart-title">
      <div class="panel-head">
        <h2 id="chart-title">{texts.chart[summary.period]}</h2>
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
            isFiltered ? texts.noneFiltered : summary.period === "week" ? texts.noneWeek : texts.noneYear
          }
        >
          {isFiltered && <Button onPress={onClearFilter}>{texts.clearFilter}</Button>}
        </Nothing>
      ) : isTable ? (
        <ChartTable summary={summary} />
      ) : (
        <Bars
          summary={summary}
          filter={filter}
          chosen={index}
          onChoose={(next) => setChosen(summary.chart[next]?.start ?? null)}
        />
      )}
    </section>
  );
}

interface BarsProps {
  readonly summary: Summary;
  readonly filter: SummaryFilter;
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
}

function Bars({ summary, filter, chosen, onChoose }: BarsProps) {
  const texts = useTexts(panelTexts);
  const format = useFormat();
  const { period, chart, to } = summary;
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
        <Chosen entry={entry} summary={summary} filter={filter} isAhead={chosen > now} />
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
  readonly entry: ChartEntry;
  readonly summary: Summary;
  readonly filter: SummaryFilter;
  readonly isAhead: boolean;
}

/** The exact values of one bar, and the way to its records. */
function Chosen({ entry, summary, filter, isAhead }: ChosenProps) {
  const texts = useTexts(panelTexts);
  const format = useFormat();
  const isWeek = summary.period === "week";
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

function ChartTable({ summary }: { readonly summary: Summary }) {
  const texts = useTexts(panelTexts);
  const format = useFormat();
  const isWeek = summary.period === "week";
  const now = entryIndexOf(summary.chart, summary.to);
  return (
    <DataTable
      caption={texts.chart[summary.period]}
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
      rows={summary.chart.slice(0, now + 1)}
      keyOf={(entry) => entry.start}
      foot={[texts.chart.total, format.count(summary.totals.sales), format.money(summary.totals.revenue)]}
    />
  );
}
