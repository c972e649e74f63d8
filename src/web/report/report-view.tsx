import { loadArchivedMonths } from "../api/archives.ts";
import { type Choices, loadChoices } from "../api/choices.ts";
import { loadReport } from "../api/report.ts";
import { Button } from "../element/button.tsx";
import { Link } from "../element/link.tsx";
import { Nothing, Unread } from "../element/nothing.tsx";
import { SelectField } from "../element/select-field.tsx";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useVisit } from "../frame/visit.ts";
import { readyValue } from "../live/part.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { placesTexts } from "../messages/places.ts";
import { reportTexts } from "../messages/report.ts";
import { useTexts } from "../messages/speech.ts";
import { useNavigation, useQuery } from "../navigation.ts";
import { addressOf } from "../route.ts";
import { isMonth, type Month, monthAfter, monthOf, monthsUpTo } from "./month.ts";
import { ReportSheet } from "./report-sheet.tsx";

/** What one location brought in one month, to be printed. */
export function ReportView() {
  const texts = useTexts(reportTexts);
  const { title: placesTitle } = useTexts(placesTexts);
  const { compare } = useFormat();
  const choices = useLoaded((api) => loadChoices(api, compare), "", ["places"]);
  const known = readyValue(choices.part);
  return (
    <ViewFrame
      title={texts.title}
      actions={
        known !== undefined &&
        known.locations.length > 0 && (
          <Button kind="main" icon="print" onPress={() => print()}>
            {texts.print}
          </Button>
        )
      }
    >
      {choices.part.kind === "failed" && (
        <section class="panel">
          <Unread text={texts.choicesFailed} onRetry={choices.reload} />
        </section>
      )}
      {known !== undefined && known.locations.length === 0 && (
        <section class="panel">
          <Nothing title={texts.noPlaces} detail={texts.noPlacesDetail}>
            <Link to={addressOf("places")}>{placesTitle}</Link>
          </Nothing>
        </section>
      )}
      {known !== undefined && known.locations.length > 0 && <ChosenReport choices={known} />}
    </ViewFrame>
  );
}

function ChosenReport({ choices }: { readonly choices: Choices }) {
  const texts = useTexts(reportTexts);
  const { format, now } = useVisit();
  const { replace } = useNavigation();
  const query = useQuery();
  const newest = monthOf(format.day(now()));
  const asked = query.get("month") ?? "";
  const month = isMonth(asked) && asked <= newest ? asked : newest;
  const location = query.get("location") ?? choices.locations[0] ?? "";
  const locations = choices.locations.includes(location)
    ? choices.locations
    : [location, ...choices.locations];
  const show = (next: { month?: Month; location?: string }) =>
    replace(addressOf("report", { month, location, ...next }));
  const { part, isStale, reload } = useLoaded(
    // Side by side: a month that is archived is none without sales, and is never shown as one.
    async (api) => {
      const [report, archived] = await Promise.all([
        loadReport(api, month, location),
        loadArchivedMonths(api),
      ]);
      return { report, isArchived: archived.includes(report.month) };
    },
    JSON.stringify([month, location]),
    ["record", "void", "time", "gap"],
  );
  return (
    <>
      <section class="panel report-choice" aria-label={texts.title}>
        <SelectField
          label={texts.location}
          value={location}
          choices={locations.map((name) => ({ value: name, text: name }))}
          onValue={(name) => show({ location: name })}
        />
        <div class="report-month">
          <Button
            kind="quiet"
            icon="back"
            label={texts.before}
            onPress={() => show({ month: monthAfter(month, -1) })}
          />
          <SelectField
            label={texts.month}
            value={month}
            choices={monthsUpTo(newest, month).map((value) => ({
              value,
              text: format.dayName(`${value}-01`, "longMonth"),
            }))}
            onValue={(value) => show({ month: value })}
          />
          <Button
            kind="quiet"
            icon="forward"
            label={texts.after}
            isDisabled={month >= newest}
            onPress={() => show({ month: monthAfter(month, 1) })}
          />
        </div>
      </section>
      {part.kind === "failed" && (
        <section class="panel">
          <Unread text={texts.failed} onRetry={reload} />
        </section>
      )}
      {part.kind === "waiting" && <section class="panel report" aria-busy="true" />}
      {part.kind === "ready" && <ReportSheet {...part.value} isStale={isStale} />}
    </>
  );
}
