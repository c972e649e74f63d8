import { parseDay, parseMonth } from "../../domain/day.ts";
import { type Choices, loadChoices, whoseOf } from "../api/locations.ts";
import type { Letterhead } from "../api/shapes.ts";
import { DialogButton } from "../element/dialog.tsx";
import { SelectField } from "../element/field.tsx";
import { Icon } from "../element/icon.tsx";
import { NothingPanel, NotReadyPanel } from "../element/notice.tsx";
import { Steps } from "../element/steps.tsx";
import { daysBefore, daysUpTo, monthAfter, monthOf } from "../format/day.ts";
import { useGateway } from "../live/gateway.ts";
import { type LoadedPart, useData, useDataOfToday, useLoaded, useToday } from "../live/use-loaded.ts";
import { LocationField } from "../locations/location-fields.tsx";
import { locationsTexts } from "../messages/locations.ts";
import { reportTexts } from "../messages/report.ts";
import { useLanguage, useTexts } from "../messages/use-language.ts";
import { Link, useNavigation, useQuery } from "../navigation.tsx";
import { withQuery } from "../route.ts";
import { LocationComparison, QuietRooms } from "./comparison.tsx";
import { LetterheadDialog } from "./letterhead.tsx";
import { MonthField, PaperView } from "./paper.tsx";
import { ReportSheet } from "./report-sheet.tsx";

export function ReportView() {
  const texts = useTexts(reportTexts);
  const { title: locationsTitle } = useTexts(locationsTexts);
  const { format, self } = useGateway();
  const choices = useLoaded((api) => loadChoices(api, format.compare), "", ["locations"]);
  const known = choices.value;
  const letterhead = useData("/api/letterhead");
  const asked = useAsked(known);
  const hasLocations = known !== undefined && known.locations.length > 0;
  return (
    <PaperView
      title={texts.title}
      span={asked.day ?? asked.month}
      whose={whoseOf(asked.location, self, known?.locations ?? [])}
      letterhead={letterhead.value}
      isPrintable={hasLocations}
    >
      <NotReadyPanel of={choices} />
      {known !== undefined && !hasLocations && (
        <NothingPanel title={texts.noLocations} detail={texts.noLocationsDetail}>
          <Link to="locations">{locationsTitle}</Link>
        </NothingPanel>
      )}
      {hasLocations && <ChosenReport choices={known} asked={asked} head={letterhead} />}
    </PaperView>
  );
}

/** What the address asks for. */
interface ReportQuery {
  readonly month: string;
  /** Undefined: the whole month. */
  readonly day: string | undefined;
  /** Of all locations without one; of the only one there is. */
  readonly location: string | undefined;
}

function useAsked(choices: Choices | undefined): ReportQuery {
  const query = useQuery();
  const today = useToday();
  const newest = monthOf(today);
  const askedDay = query.get("day") ?? "";
  const day = parseDay(askedDay) !== undefined && askedDay <= today ? askedDay : undefined;
  const asked = day === undefined ? (query.get("month") ?? "") : monthOf(day);
  const month = parseMonth(asked) !== undefined && asked <= newest ? asked : newest;
  const [only, ...others] = choices?.locations ?? [];
  const location = query.get("location") || (others.length === 0 ? only : undefined);
  return { month, day, location };
}

interface ChosenReportProps {
  readonly choices: Choices;
  readonly asked: ReportQuery;
  readonly head: LoadedPart<Letterhead>;
}

function ChosenReport({ choices, asked: { month, day, location }, head }: ChosenReportProps) {
  const texts = useTexts(reportTexts);
  const { format, self } = useGateway();
  const { language } = useLanguage();
  const { replace } = useNavigation();
  const today = useToday();
  const newest = monthOf(today);
  const spanTexts = day === undefined ? texts.ofMonth : texts.ofDay;
  const span = day === undefined ? { month } : { day };
  const asksFor = { ...span, location };
  const show = (of: { month: string } | { day: string }) => replace("report", { ...of, location });
  const move = (steps: number) =>
    show(day === undefined ? { month: monthAfter(month, steps) } : { day: daysBefore(day, -steps) });
  const report = useDataOfToday("/api/report", ["record", "void", "time", "gap"], asksFor);
  const letterhead = head.value;
  return (
    <>
      <section class="panel filters row unprinted" aria-label={texts.title}>
        <LocationField
          // All of a single location are that one.
          all={choices.locations.length > 1 ? texts.all : undefined}
          names={choices.locations}
          value={location ?? ""}
          onValue={(name) => replace("report", { ...span, location: name })}
        />
        <div class="report-month">
          <Steps texts={spanTexts} isLast={day === undefined ? month >= newest : day >= today} onStep={move}>
            <MonthField value={month} newest={newest} onValue={(value) => show({ month: value })} />
            <SelectField
              label={texts.day}
              value={day ?? ""}
              choices={[
                { value: "", text: texts.wholeMonth },
                ...daysUpTo(today, month).map((value) => ({ value, text: format.dayName(value, "long") })),
              ]}
              onValue={(value) => show(value === "" ? { month } : { day: value })}
            />
          </Steps>
        </div>
        {day === undefined && (
          <a
            class="button"
            href={withQuery("/api/report/days", { month, location, lang: language })}
            download
          >
            <Icon name="download" />
            {texts.daysTable}
          </a>
        )}
        {self.serves === "gateway" && self.role === "owner" && (
          <DialogButton
            icon="edit"
            isDisabled={letterhead === undefined}
            dialog={letterhead && <LetterheadDialog letterhead={letterhead} onSaved={head.reload} />}
          >
            {texts.letterhead.title}
          </DialogButton>
        )}
      </section>
      <NotReadyPanel of={head.kind === "failed" ? head : report} />
      {report.kind === "ready" && letterhead !== undefined && (
        <ReportSheet
          report={report.value}
          seen={choices.locations}
          letterhead={letterhead}
          isStale={report.isStale}
        />
      )}
      {day === undefined && report.kind === "ready" && <LocationComparison month={month} />}
      {day === undefined && report.kind === "ready" && self.serves === "gateway" && <QuietRooms />}
    </>
  );
}
