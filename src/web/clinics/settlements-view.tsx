import { parseMonth } from "../../domain/day.ts";
import type { ClinicMonth } from "../api/shapes.ts";
import { DataTable } from "../element/data-table.tsx";
import { Icon } from "../element/icon.tsx";
import { NothingPanel, Notice, NotReadyPanel, Panel } from "../element/notice.tsx";
import { Steps } from "../element/steps.tsx";
import { monthAfter, monthOf } from "../format/day.ts";
import type { Format } from "../format/format.ts";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat } from "../live/gateway.ts";
import { useData, useToday } from "../live/use-loaded.ts";
import { LocationField } from "../locations/location-fields.tsx";
import { clinicsTexts } from "../messages/clinics.ts";
import { reportTexts } from "../messages/report.ts";
import { settlementTexts } from "../messages/settlement.ts";
import { useLanguage, useTexts } from "../messages/use-language.ts";
import { Link, useNavigation, useQuery } from "../navigation.tsx";
import { MonthField, PaperView } from "../report/paper.tsx";
import { namesOf, SettlementSheet } from "../settlement/settlement-sheet.tsx";
import { type TextColumn, tableFile } from "./table-file.ts";

type Texts = typeof clinicsTexts.es;
type Row = ClinicMonth["clinics"][number];
type Totals = NonNullable<NonNullable<Row["settlement"]>["figures"]>["totals"];

/** What the clinics of a company have settled: a month of all, or one settlement in full. */
export function ClinicSettlementsView() {
  const query = useQuery();
  const [id, name] = [query.get("id"), query.get("clinic")];
  return id === null ? <SettledMonth /> : <ClinicSettlement id={id} clinic={name ?? ""} />;
}

/** One clinic's settlement as its gateway has it, to be printed. */
function ClinicSettlement({ id, clinic }: { readonly id: string; readonly clinic: string }) {
  const texts = useTexts(clinicsTexts);
  const paper = useTexts(reportTexts);
  const { title: kind } = useTexts(settlementTexts);
  const { replace } = useNavigation();
  const location = useQuery().get("location") || null;
  const settlement = useData("/api/clinic/settlement", [], { id });
  const letterhead = useData("/api/letterhead");
  const content = settlement.value?.content;
  const month = content?.month ?? "";
  const names = namesOf(content);
  return (
    <PaperView
      title={clinic || kind}
      kind={kind}
      span={month}
      whose={location ?? clinic}
      letterhead={letterhead.value}
      isPrintable={content !== undefined}
      actions={
        <Link to="settlements" query={{ month }} class="button">
          <Icon name="back" />
          {texts.all}
        </Link>
      }
    >
      {names.length > 1 && (
        <section class="panel filters row unprinted" aria-label={kind}>
          <LocationField
            all={paper.all}
            names={names}
            value={location ?? ""}
            onValue={(value) => replace("settlements", { id, clinic, location: value })}
          />
        </section>
      )}
      <NotReadyPanel of={settlement} />
      {content !== undefined && settlement.value !== undefined && letterhead.value !== undefined && (
        <SettlementSheet
          content={content}
          head={settlement.value}
          letterhead={letterhead.value}
          location={location}
        />
      )}
    </PaperView>
  );
}

/** What each clinic has settled of a month, and who has not closed it. */
function SettledMonth() {
  const texts = useTexts(clinicsTexts);
  const report = useTexts(reportTexts);
  const settlement = useTexts(settlementTexts);
  const { language } = useLanguage();
  const format = useFormat();
  const { replace } = useNavigation();
  const newest = monthAfter(monthOf(useToday()), -1);
  const asked = useQuery().get("month") ?? "";
  const month = parseMonth(asked) !== undefined && asked <= newest ? asked : newest;
  const show = (of: string) => replace("settlements", { month: of });
  const settled = useData("/api/clinic/settlements", [], { month });
  const known = settled.value;
  const rows = known?.clinics ?? [];
  const columns = (money: (amount: number) => string) =>
    columnsOf(texts, [report, settlement], format, money);
  const differing = rows.filter(isOff);
  const counted = rows.filter(({ settlement }) => settlement?.isReplaced === false);
  return (
    <ViewFrame
      title={texts.settlements.title}
      intro={texts.settlements.intro}
      actions={
        <a
          class="button"
          href={tableFile(rows, columns(format.typedMoney), language)}
          download={`${texts.settlements.title} ${month}.csv`}
        >
          <Icon name="download" />
          {texts.gateways.download}
        </a>
      }
    >
      <section class="panel filters row unprinted" aria-label={report.month}>
        <div class="report-month">
          <Steps
            texts={report.ofMonth}
            isLast={month >= newest}
            onStep={(step) => show(monthAfter(month, step))}
          >
            <MonthField value={month} newest={newest} onValue={show} />
          </Steps>
        </div>
      </section>
      <NotReadyPanel of={settled} />
      {known !== undefined && rows.length === 0 && (
        <NothingPanel title={texts.none} detail={texts.noneDetail} />
      )}
      {differing.length > 0 && (
        <Notice kind="bad" title={texts.settlements.differs(differing.map(({ name }) => name).join(", "))}>
          {texts.settlements.differsTodo}
        </Notice>
      )}
      {rows.length > 0 && (
        <Panel
          isStale={settled.isStale}
          title={texts.settlements.closed(
            format.count(counted.length),
            format.count(new Set(rows.map(({ name }) => name)).size),
          )}
        >
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what moves must be reached by keys. */}
          <section class="table-wide" tabIndex={0} aria-label={texts.settlements.title}>
            <DataTable
              caption={texts.settlements.title}
              rows={rows}
              keyOf={({ name, settlement }) => `${name} ${settlement?.id ?? ""}`}
              columns={columns(format.money).map(({ text, ...column }) => ({ ...column, cell: text }))}
              actions={({ name, settlement }) =>
                settlement && (
                  <Link
                    to="settlements"
                    query={{ id: String(settlement.id), clinic: name }}
                    label={`${texts.settlements.openAction}: ${name}`}
                  >
                    {texts.settlements.openAction}
                  </Link>
                )
              }
              foot={columns(format.money).map(({ sum }, index) => (index === 0 ? texts.all : sum?.(rows)))}
            />
          </section>
        </Panel>
      )}
    </ViewFrame>
  );
}

/** Whether the database has other figures than were settled; of what counts no more it does not matter. */
function isOff({ settlement }: Row): boolean {
  const differs = settlement?.isReplaced ? null : settlement?.differs;
  return differs != null && (differs.sales !== 0 || differs.revenue !== 0);
}

interface SummedColumn extends TextColumn<Row> {
  readonly sum?: (rows: readonly Row[]) => string;
}

function columnsOf(
  { clinic, settlements: texts }: Texts,
  [report, paper]: readonly [typeof reportTexts.es, typeof settlementTexts.es],
  format: Format,
  money: (amount: number) => string,
): readonly SummedColumn[] {
  const stateText = ({ settlement, waiting, now }: Row) => {
    const closed = settlement?.figures && texts.closedOn(format.dateTime(settlement.figures.closed));
    const parts = [
      settlement === null ? (now?.sales === 0 ? texts.nothing : texts.open) : (closed ?? texts.newer),
      ...(settlement?.isReplaced ? [texts.replaced] : []),
      ...(waiting === 0 ? [] : [texts.waiting(format.count(waiting))]),
    ];
    return parts.join(", ");
  };
  /** A column of numbers; the sum leaves out what a restored ledger has replaced. */
  const number = (title: string, text: (value: number) => string, of: (row: Row) => number | undefined) => ({
    title,
    isNumber: true,
    text: (row: Row) => {
      const value = of(row);
      return value === undefined ? "" : text(value);
    },
    sum: (rows: readonly Row[]) =>
      text(rows.reduce((sum, row) => sum + (row.settlement?.isReplaced ? 0 : (of(row) ?? 0)), 0)),
  });
  const figure = (title: string, of: (totals: Totals) => number, text = money) =>
    number(title, text, ({ settlement }) =>
      settlement?.figures ? of(settlement.figures.totals) : undefined,
    );
  return [
    { title: clinic, isName: true, class: "short", text: ({ name }) => name },
    { title: report.month, text: stateText },
    figure(report.sales, (totals) => totals.sales, format.count),
    figure(paper.grossShort, ({ gross }) => gross),
    figure(paper.refundedShort, ({ refunded }) => 0 - refunded),
    figure(paper.netShort, ({ net }) => net),
    figure(paper.corrections, ({ corrected }) => corrected.net),
    figure(paper.figures.clinic, ({ due }) => due.clinic),
    figure(paper.figures.company, ({ due }) => due.company),
    number(texts.now, money, ({ now }) => now?.revenue),
    number(paper.difference, money, ({ settlement }) => settlement?.differs?.revenue),
  ];
}
