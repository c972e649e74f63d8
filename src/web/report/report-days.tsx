import { useState } from "preact/hooks";
import type { Report } from "../api/shapes.ts";
import { BarChart } from "../chart/bar-chart.tsx";
import { DataTable } from "../element/data-table.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { reportTexts } from "../messages/report.ts";
import { useTexts } from "../messages/use-language.ts";

type ReportDay = Report["days"][number];

/** The days of the month beside those of the month before: as bars, and in two tables of half a month each. */
export function ReportDays({ days }: Pick<Report, "days">) {
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
      <p class="chart-legend fine">{texts.ofMonth.before}</p>
      <div class="report-days">
        <DayTable days={past.slice(0, half)} />
        <DayTable days={past.slice(half)} />
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
          key: "day",
          title: texts.day,
          isName: true,
          cell: ({ day }) => `${format.dayName(day, "weekday")} ${Number(day.slice(-2))}`,
        },
        { key: "sales", title: texts.sales, isNumber: true, cell: ({ sales }) => format.count(sales) },
        {
          key: "revenue",
          title: texts.revenue,
          isNumber: true,
          cell: ({ revenue }) => format.money(revenue),
        },
        {
          key: "before",
          title: texts.ofMonth.before,
          isNumber: true,
          cell: ({ before }) => format.money(before),
        },
      ]}
    />
  );
}
