import { parseDay, parseMonth } from "../../domain/day.ts";
import { type Choices, loadChoices } from "../api/locations.ts";
import { Button } from "../element/button.tsx";
import { useDialogs } from "../element/dialog.tsx";
import { SelectField } from "../element/field.tsx";
import { NothingPanel, NotReadyPanel } from "../element/notice.tsx";
import { daysBefore, daysUpTo, monthAfter, monthOf, monthsUpTo } from "../format/day.ts";
import { ViewFrame } from "../frame/view.tsx";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useData, useDataOfToday, useLoaded, useToday } from "../live/use-loaded.ts";
import { withChosen } from "../locations/location-fields.tsx";
import { locationsTexts } from "../messages/locations.ts";
import { reportTexts } from "../messages/report.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link, useNavigation, useQuery } from "../navigation.tsx";
import { LetterheadDialog } from "./letterhead.tsx";
import { ReportSheet } from "./report-sheet.tsx";

export function ReportView() {
  const texts = useTexts(reportTexts);
  const { title: locationsTitle } = useTexts(locationsTexts);
  const { compare } = useFormat();
  const choices = useLoaded((api) => loadChoices(api, compare), "", ["locations"]);
  const known = choices.value;
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
      <NotReadyPanel of={choices} />
      {known !== undefined && known.locations.length === 0 && (
        <NothingPanel title={texts.noLocations} detail={texts.noLocationsDetail}>
          <Link to="locations">{locationsTitle}</Link>
        </NothingPanel>
      )}
      {known !== undefined && known.locations.length > 0 && <ChosenReport choices={known} />}
    </ViewFrame>
  );
}

function ChosenReport({ choices }: { readonly choices: Choices }) {
  const texts = useTexts(reportTexts);
  const { format, self } = useGateway();
  const { replace } = useNavigation();
  const query = useQuery();
  const { open } = useDialogs();
  const today = useToday();
  const newest = monthOf(today);
  const askedDay = query.get("day") ?? "";
  const day = parseDay(askedDay) !== undefined && askedDay <= today ? askedDay : undefined;
  const asked = day === undefined ? (query.get("month") ?? "") : monthOf(day);
  const month = parseMonth(asked) !== undefined && asked <= newest ? asked : newest;
  const spanTexts = day === undefined ? texts.ofMonth : texts.ofDay;
  // Of all locations without one; of the only one there is.
  const location =
    query.get("location") ?? (choices.locations.length === 1 ? choices.locations[0] : undefined);
  const span = day === undefined ? { month } : { day };
  const asksFor = { ...span, location };
  const locations = withChosen(
    texts.all,
    choices.locations.map((name) => ({ value: name, text: name })),
    location ?? "",
  );
  const show = (of: { month: string } | { day: string }) => replace("report", { ...of, location });
  const move = (steps: number) =>
    show(day === undefined ? { month: monthAfter(month, steps) } : { day: daysBefore(day, -steps) });
  const report = useDataOfToday("/api/report", ["record", "void", "time", "gap"], asksFor);
  const head = useData("/api/letterhead");
  const letterhead = head.value;
  return (
    <>
      <section class="panel filters row unprinted" aria-label={texts.title}>
        <SelectField
          label={texts.location}
          value={location ?? ""}
          // All of a single location are that one.
          choices={locations.length > 2 ? locations : locations.slice(1)}
          onValue={(name) => replace("report", { ...span, location: name })}
        />
        <div class="report-month">
          <Button kind="quiet" icon="back" label={spanTexts.before} onPress={() => move(-1)} />
          <SelectField
            label={texts.month}
            value={month}
            choices={monthsUpTo(newest, month).map((value) => ({
              value,
              text: format.dayName(`${value}-01`, "longMonth"),
            }))}
            onValue={(value) => show({ month: value })}
          />
          <SelectField
            label={texts.day}
            value={day ?? ""}
            choices={[
              { value: "", text: texts.wholeMonth },
              ...daysUpTo(today, month).map((value) => ({ value, text: format.dayName(value, "long") })),
            ]}
            onValue={(value) => show(value === "" ? { month } : { day: value })}
          />
          <Button
            kind="quiet"
            icon="forward"
            label={spanTexts.after}
            isDisabled={day === undefined ? month >= newest : day >= today}
            onPress={() => move(1)}
          />
        </div>
        {self.serves === "gateway" && self.role === "owner" && (
          <Button
            icon="edit"
            isDisabled={letterhead === undefined}
            onPress={() =>
              letterhead && open(<LetterheadDialog letterhead={letterhead} onSaved={head.reload} />)
            }
          >
            {texts.letterhead.title}
          </Button>
        )}
      </section>
      <NotReadyPanel of={head.kind === "failed" ? head : report} />
      {report.kind === "ready" && letterhead !== undefined && (
        <ReportSheet report={report.value} letterhead={letterhead} isStale={report.isStale} />
      )}
    </>
  );
}
