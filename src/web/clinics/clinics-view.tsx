import { SECOND_MS } from "../../domain/clock.ts";
import { CLINIC_STATES } from "../../domain/gateway.ts";
import type { Clinic, ClinicComparison } from "../api/shapes.ts";
import { DataTable } from "../element/data-table.tsx";
import { NothingPanel, Notice, NotReadyPanel, Panel } from "../element/notice.tsx";
import type { Day } from "../format/day.ts";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useData } from "../live/use-loaded.ts";
import { clinicsTexts } from "../messages/clinics.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/use-language.ts";
import { useNavigation, useQuery } from "../navigation.tsx";
import { PeriodChoice, PeriodSteps, periodOf } from "../panel/panel-filters.tsx";
import { comparisonOf, comparisonText } from "../panel/period.ts";

/** The place of a clinic's worst trouble among all that there are. */
function worstOf({ states }: Clinic): number {
  return Math.min(...states.map((state) => CLINIC_STATES.indexOf(state)));
}

function namesOf(states: Clinic["states"], texts: (typeof clinicsTexts)["es"]): string {
  return states.map((state) => texts.states[state]).join(", ");
}

/** What each clinic of a company has sold in a period, and the gateways that a person must see to. */
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
  const troubled = (known?.clinics ?? [])
    .filter(({ states }) => !states.includes("good"))
    .sort((a, b) => worstOf(a) - worstOf(b));
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
        <>
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
          {troubled.length > 0 && (
            <section aria-labelledby="troubled-title" class="view column">
              <h2 id="troubled-title">{texts.troubles(troubled.length)}</h2>
              {troubled.map((clinic) => (
                <Trouble key={clinic.name} clinic={clinic} />
              ))}
            </section>
          )}
        </>
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
        { title: texts.equipment, cell: ({ states }) => namesOf(states, texts) },
      ]}
      foot={[texts.all, money(days.revenue), count(days.sales), compared(days.revenue, before.revenue), ""]}
    />
  );
}

function Trouble({ clinic }: { readonly clinic: Clinic }) {
  const texts = useTexts(clinicsTexts);
  const { format, now } = useGateway();
  const { name, states, seenTime, waiting, forkedAt, withheld, untold, clockOffMs } = clinic;
  const { timeZone, currency, ownZone, ownCurrency } = clinic;
  const { count } = format;
  const seen = seenTime === null ? texts.never : format.moment(seenTime, now());
  const what = {
    forked: () => texts.what.forked(count(forkedAt ?? 0), count(withheld)),
    lacking: () => texts.what.lacking(count(untold)),
    silent: () => texts.what.silent(seen),
    full: () => texts.what.full,
    faulty: () => texts.what.faulty,
    old: () => texts.what.old,
    zone_off: () => texts.what.differs(ownZone ?? "", timeZone),
    currency_off: () => texts.what.differs(ownCurrency ?? "", currency),
    clock_off: () => texts.what.clock_off(count(Math.round(Math.abs(clockOffMs) / SECOND_MS))),
    behind: () => texts.what.behind(count(waiting)),
    good: () => "",
  };
  const todo = {
    ...texts.todo,
    forked: texts.todo.forked(name),
    zone_off: texts.todo.zone_off(name),
    good: "",
  };
  return (
    <Notice
      kind={states.includes("forked") || states.includes("lacking") ? "bad" : "warn"}
      title={`${name}: ${namesOf(states, texts)}`}
    >
      {states.map((state) => (
        <p key={state}>
          {what[state]()} {todo[state]}
        </p>
      ))}
    </Notice>
  );
}
