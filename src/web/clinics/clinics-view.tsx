import type { ClinicComparison } from "../api/shapes.ts";
import { DataTable } from "../element/data-table.tsx";
import { NothingPanel, NotReadyPanel, Panel } from "../element/notice.tsx";
import type { Day } from "../format/day.ts";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useData } from "../live/use-loaded.ts";
import { clinicsTexts, statesText } from "../messages/clinics.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import { useNavigation, useQuery } from "../navigation.tsx";
import { PeriodChoice, PeriodSteps, periodOf } from "../panel/panel-filters.tsx";
import { comparisonOf, comparisonText } from "../panel/period.ts";

/** What each clinic of a company has sold in a period. */
export function ClinicsView() {
  const texts = useTexts(clinicsTexts);
  const panel = useTexts(panelTexts);
  const format = useFormat();
  const { now } = useGateway();
  const dayText = (day: Day) => format.dayNameBy(format.day(now()), day, "long");
  const { replace } = useNavigation();
  const query = useQuery();
  const period = periodOf(query.get("period") ?? "");
  const asked = { period, at: query.get("at") ?? undefined };
  const comparison = useData("/api/clinic", [], asked);
  const show = (of: string, at?: string) => replace("clinics", { period: of, at });
  const known = comparison.value;
  return (
    <ViewFrame
      title={texts.title}
      intro={texts.intro}
      actions={<PeriodChoice period={period} onPeriod={(of) => show(of)} />}
    >
      <NotReadyPanel of={comparison} />
      {known !== undefined && known.clinics.length === 0 && (
        <NothingPanel title={texts.none} detail={texts.noneDetail} />
      )}
      {known !== undefined && known.clinics.length > 0 && (
        <Panel
          isStale={comparison.isStale}
          title={panel.days(dayText(known.days.from), dayText(known.days.to))}
          beside={
            <span>
              <PeriodSteps shown={{ period, ...known.days }} onStep={(at) => show(period, at)} />
            </span>
          }
        >
          <ClinicTable known={known} />
        </Panel>
      )}
    </ViewFrame>
  );
}

function ClinicTable({ known: { days, before, clinics } }: { readonly known: ClinicComparison }) {
  const texts = useTexts(clinicsTexts);
  const panel = useTexts(panelTexts);
  const format = useFormat();
  const { money, count } = format;
  const compared = (now: number, then: number) => {
    const text = comparisonText(comparisonOf(now, then), panel.compare, format);
    return (
      <span class="lines">
        {money(then)}
        {text !== "" && <span class="fine">{text}</span>}
      </span>
    );
  };
  return (
    <DataTable
      caption={texts.title}
      rows={clinics}
      keyOf={({ name }) => name}
      columns={[
        { title: texts.clinic, isName: true, cell: ({ name }) => name },
        { title: panel.revenue, isNumber: true, cell: ({ revenue }) => money(revenue) },
        { title: panel.sales, isNumber: true, cell: ({ sales }) => count(sales) },
        {
          title: texts.before(format.dayName(before.from, "short"), format.dayName(before.to, "short")),
          isNumber: true,
          cell: (clinic) => compared(clinic.revenue, clinic.before.revenue),
        },
        { title: texts.equipment, cell: ({ states }) => statesText(states, texts) },
      ]}
      foot={[texts.all, money(days.revenue), count(days.sales), compared(days.revenue, before.revenue), ""]}
    />
  );
}
