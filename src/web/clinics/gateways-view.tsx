import { SECOND_MS } from "../../domain/clock.ts";
import { CLINIC_STATES } from "../../domain/gateway.ts";
import type { Language } from "../../domain/language.ts";
import type { ClinicGateway } from "../api/shapes.ts";
import { DataTable } from "../element/data-table.tsx";
import { Segments, TextField } from "../element/field.tsx";
import { Icon } from "../element/icon.tsx";
import { Nothing, NothingPanel, Notice, NotReadyPanel, Panel } from "../element/notice.tsx";
import type { Format } from "../format/format.ts";
import { ViewFrame } from "../frame/view.tsx";
import { useGateway } from "../live/gateway.ts";
import { useData } from "../live/use-loaded.ts";
import { clinicsTexts, statesText } from "../messages/clinics.ts";
import { useLanguage, useTexts } from "../messages/use-language.ts";
import { useNavigation, useQuery } from "../navigation.tsx";
import { type TextColumn, tableFile } from "./table-file.ts";

type Texts = typeof clinicsTexts.es;

/** The gateway of each clinic of a company: those that a person must see to first, each with what to do. */
export function GatewaysView() {
  const texts = useTexts(clinicsTexts);
  const { language } = useLanguage();
  const { format, now } = useGateway();
  const { replace } = useNavigation();
  const query = useQuery();
  const [only, search] = [query.get("only") ?? "", query.get("search") ?? ""];
  const show = (part: { only?: string; search?: string }) => replace("gateways", { only, search, ...part });
  const gateways = useData("/api/gateway", []);
  const known = gateways.value;
  const shown = inOrder(known ?? [], format).filter(
    (gateway) => (only === "" || !isWell(gateway)) && fits(gateway, search),
  );
  const troubled = shown.filter((gateway) => !isWell(gateway));
  const columns = columnsOf(texts, format, language, (timeMs) => format.moment(timeMs, now()));
  const file = tableFile(shown, columnsOf(texts, format, language, format.dateTime), language);
  return (
    <ViewFrame
      title={texts.gateways.title}
      intro={texts.gateways.intro}
      actions={
        <a class="button" href={file} download="flanco-gateways.csv">
          <Icon name="download" />
          {texts.gateways.download}
        </a>
      }
    >
      <NotReadyPanel of={gateways} />
      {known?.length === 0 && <NothingPanel title={texts.none} detail={texts.noneDetail} />}
      {known !== undefined && known.length > 0 && (
        <>
          <section class="panel filters row unprinted" aria-label={texts.gateways.shown}>
            <Segments
              label={texts.gateways.shown}
              value={only}
              choices={[
                { value: "", text: texts.gateways.all },
                { value: "troubled", text: texts.gateways.troubled },
              ]}
              onValue={(value) => show({ only: value })}
            />
            <TextField
              label={texts.gateways.search}
              value={search}
              onValue={(value) => show({ search: value })}
            />
          </section>
          <Panel isStale={gateways.isStale} title={texts.gateways.listed(shown.length)}>
            {shown.length === 0 ? (
              <Nothing title={texts.gateways.nothing} />
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what moves must be reached by keys.
              <section class="table-wide" tabIndex={0} aria-label={texts.gateways.title}>
                <DataTable
                  caption={texts.gateways.title}
                  rows={shown}
                  keyOf={({ name }) => name}
                  columns={columns.map(({ text, ...column }) => ({ ...column, cell: text }))}
                />
              </section>
            )}
          </Panel>
          {troubled.length > 0 && (
            <section aria-labelledby="troubled-title" class="view column">
              <h2 id="troubled-title">{texts.troubles(troubled.length)}</h2>
              {troubled.map((gateway) => (
                <Trouble key={gateway.name} gateway={gateway} />
              ))}
            </section>
          )}
        </>
      )}
    </ViewFrame>
  );
}

function isWell({ states }: ClinicGateway): boolean {
  return states.every((state) => state === "good" || state === "behind");
}

/** The place of a gateway's worst trouble among all that there are. */
function worstOf({ states }: ClinicGateway): number {
  return Math.min(...states.map((state) => CLINIC_STATES.indexOf(state)));
}

function inOrder(gateways: readonly ClinicGateway[], { compare }: Format): readonly ClinicGateway[] {
  return [...gateways].sort((a, b) => worstOf(a) - worstOf(b) || compare(a.name, b.name));
}

function fits({ name, told }: ClinicGateway, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return name.includes(wanted) || told?.version.startsWith(wanted) === true;
}

function faultsOf({ told }: ClinicGateway, language: Language) {
  return (told?.faults ?? []).map(({ texts, count }) => {
    const { what, todo } = texts[language];
    return { what: count === 1 ? what : `${what} (${count})`, todo };
  });
}

/** The columns of table and spreadsheet. */
function columnsOf(
  texts: Texts,
  format: Format,
  language: Language,
  moment: (timeMs: number) => string,
): readonly TextColumn<ClinicGateway>[] {
  const { gateways } = texts;
  const timeText = (timeMs: number | null | undefined) => (timeMs == null ? "" : moment(timeMs));
  const diskText = ({ told }: ClinicGateway) => {
    if (told === null || told.disk === null) return "";
    const { freeBytes, totalBytes, lifeUsedPercent } = told.disk;
    const room = gateways.room(format.bytes(freeBytes), format.bytes(totalBytes));
    return lifeUsedPercent === null
      ? room
      : `${room}, ${gateways.worn(format.percent(lifeUsedPercent / 100))}`;
  };
  const clockText = ({ told, seenTime, clockOffMs }: ClinicGateway) => {
    if (seenTime === null) return "";
    const off = `${Math.round(clockOffMs / SECOND_MS)} s`;
    return told?.clockTrusted === false ? `${off}, ${gateways.untrusted}` : off;
  };
  return [
    { title: texts.clinic, isName: true, class: "short", text: ({ name }) => name },
    { title: texts.equipment, text: ({ states }) => statesText(states, texts) },
    {
      title: gateways.seen,
      class: "short",
      text: ({ seenTime }) => timeText(seenTime) || texts.never,
    },
    { title: gateways.waiting, isNumber: true, text: ({ waiting }) => format.count(waiting) },
    { title: gateways.clock, text: clockText },
    { title: gateways.version, text: ({ told }) => told?.version ?? "" },
    { title: gateways.certificate, text: ({ told }) => timeText(told?.certificateEndsTime) },
    { title: gateways.disk, text: diskText },
    { title: gateways.backup, text: ({ told }) => timeText(told?.backupTime) },
    { title: gateways.remote, text: ({ told }) => timeText(told?.remoteBackupTime) },
    {
      title: gateways.faults,
      text: (gateway) =>
        faultsOf(gateway, language)
          .map(({ what }) => what)
          .join(" "),
    },
  ];
}

function Trouble({ gateway }: { readonly gateway: ClinicGateway }) {
  const texts = useTexts(clinicsTexts);
  const { language } = useLanguage();
  const { format, now } = useGateway();
  const { name, states, seenTime, waiting, forkedAt, withheld, untold, clockOffMs } = gateway;
  const { timeZone, currency, ownZone, ownCurrency } = gateway;
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
      title={`${name}: ${statesText(states, texts)}`}
    >
      {states.map((state) => (
        <p key={state}>
          {what[state]()} {todo[state]}
        </p>
      ))}
      {faultsOf(gateway, language).map(({ what, todo }) => (
        <p key={what}>
          {what} {todo}
        </p>
      ))}
    </Notice>
  );
}
