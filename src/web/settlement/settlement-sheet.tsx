import { whoseOf } from "../api/locations.ts";
import type { Letterhead, Settlement, SettlementHead } from "../api/shapes.ts";
import { Nothing } from "../element/notice.tsx";
import type { Format } from "../format/format.ts";
import { useFormat, useGateway } from "../live/gateway.ts";
import { reportTexts } from "../messages/report.ts";
import { settlementTexts } from "../messages/settlement.ts";
import { useTexts } from "../messages/use-language.ts";
import { GapItems } from "../report/report-sheet.tsx";
import { Figures, NetTable, RoomName, Seal, Sheet, SheetTable, Signatures } from "../report/sheet.tsx";
import { CorrectionTable } from "./corrections.tsx";

/** Those whose part can be shown alone. */
export function namesOf(content: Settlement | undefined): readonly string[] {
  return (content?.locations ?? []).map(({ name }) => name).filter((name) => name !== "");
}

interface SettlementSheetProps {
  readonly content: Settlement;
  /** Its entry; null for a month that is not closed. */
  readonly head: SettlementHead | null;
  readonly letterhead: Letterhead;
  /** The only location that it shows; null for all of them. */
  readonly location: string | null;
  /** Another one has been asked for; this one still stands. */
  readonly isStale?: boolean;
}

type Place = Settlement["locations"][number];

/** The settlement itself: what both sign once it is printed. */
export function SettlementSheet({ content, head, location, ...of }: SettlementSheetProps) {
  const texts = useTexts(settlementTexts);
  const { all, forCompany, forClinic, zone } = useTexts(reportTexts);
  const { format, self } = useGateway();
  const { money } = format;
  const { month, locations, rooms, totals, timeZone } = content;
  const isShown = (name: string | null) => location === null || name === location;
  const shown = locations.filter(({ name }) => isShown(name));
  const [first, ...others] = shown;
  const only = others.length === 0 ? first : undefined;
  const { due, ...sums } = only ?? totals;
  const monthName = format.dayName(`${month}-01`, "longMonth");
  const note =
    head === null ? (
      <p class="notice is-warn strong">{texts.draft(monthName)}</p>
    ) : (
      <p class="soft">
        {texts.number(String(head.number))} ·{" "}
        {texts.closedBy(format.dateTime(head.time), head.who ?? (head.from || texts.itself))}
      </p>
    );
  const sheet = {
    ...of,
    title: texts.heading(whoseOf(location, self, namesOf(content)) ?? all),
    when: monthName,
    note,
  };
  // The figures of all are not those of a location that has none.
  if (location !== null && only === undefined) {
    return (
      <Sheet {...sheet}>
        <Nothing title={texts.nothingHere} />
      </Sheet>
    );
  }
  const parts = [
    [texts.figures.clinic, due.clinic],
    [texts.figures.company, due.company],
  ] as const;
  const terms = only?.terms ?? null;
  const rate = terms === null ? "" : ` (${format.count(terms.vat)} %)`;
  const clinicPart = only === undefined ? "" : `: ${termsText(terms, texts, format)}`;
  const rest: readonly (readonly [name: string, amount: number | null | undefined])[] = [
    [texts.corrected, sums.corrected.net || null],
    [texts.figures.due, due.net],
    [texts.base, due.base],
    [texts.vat(rate), due.vat],
    [`${texts.figures.clinic}${clinicPart}`, due.clinic],
    [texts.figures.company, due.company],
    [texts.counted, only?.counted],
    [texts.difference, only?.difference],
  ];
  return (
    <Sheet {...sheet}>
      <Figures
        figures={[[texts.figures.due, due.net] as const, ...parts].map(([name, sum]) => [name, money(sum)])}
        main={texts.figures.due}
      />
      <NetTable
        title={texts.sum}
        sums={sums}
        rest={rest.flatMap(([name, amount]) => (amount == null ? [] : [[name, amount] as const]))}
      />
      {shown.length > 1 && <PlaceTable places={shown} />}
      {shown.map(({ name }) => (
        <RoomTable
          key={name}
          location={name || texts.others}
          rooms={rooms.filter((room) => room.location === name)}
        />
      ))}
      <Corrections content={content} isShown={isShown} />
      <Remarks content={content} isShown={isShown} provisional={sums.provisional} />
      {head !== null && <Seal hash={head.hash} texts={texts} command="--settlement" />}
      {head !== null && (
        <Signatures
          signers={[
            [forCompany, terms?.companySigner || of.letterhead.company],
            [forClinic, terms?.clinicSigner || (location ?? "")],
          ]}
        />
      )}
      <footer class="foot row fine">
        <span>{texts.rounding}</span>
        <span>{zone(timeZone)}</span>
      </footer>
    </Sheet>
  );
}

function termsText(
  terms: Place["terms"],
  { terms: texts }: typeof settlementTexts.es,
  { count, money }: Pick<Format, "count" | "money">,
): string {
  if (terms === null) return texts.none;
  if (terms.kind === "canon") return texts.canon(money(terms.amount));
  const share = count(terms.share);
  return terms.kind === "share" ? texts.share(share) : texts.minimum(share, money(terms.amount));
}

function PlaceTable({ places }: { readonly places: readonly Place[] }) {
  const texts = useTexts(settlementTexts);
  const { byLocation, location, sales } = useTexts(reportTexts);
  const { count, money } = useFormat();
  return (
    <SheetTable
      title={byLocation}
      class="table-cards"
      rows={places}
      keyOf={({ name }) => name}
      columns={[
        { title: location, isName: true, cell: ({ name }) => name || texts.others },
        { title: sales, isNumber: true, cell: (place) => count(place.sales) },
        { title: texts.figures.due, isNumber: true, cell: ({ due }) => money(due.net) },
        { title: texts.figures.clinic, isNumber: true, cell: ({ due }) => money(due.clinic) },
        { title: texts.figures.company, isNumber: true, cell: ({ due }) => money(due.company) },
      ]}
    />
  );
}

function RoomTable({ location, rooms }: { readonly location: string; readonly rooms: Settlement["rooms"] }) {
  const texts = useTexts(settlementTexts);
  const { room, roomsOf, sales } = useTexts(reportTexts);
  const { count, money } = useFormat();
  if (rooms.length === 0) return null;
  const isCorrected = rooms.some(({ corrected }) => corrected !== 0);
  const number = (title: string, of: (room: Settlement["rooms"][number]) => number, style?: string) => ({
    title,
    isNumber: true,
    ...(style !== undefined && { class: style }),
    cell: (room: Settlement["rooms"][number]) => (of(room) === 0 ? "–" : money(of(room))),
  });
  return (
    <SheetTable
      title={roomsOf(location)}
      rows={rooms}
      keyOf={({ deviceId, room }) => `${deviceId} ${room}`}
      columns={[
        { title: room, isName: true, cell: (of) => <RoomName room={of.room} of={of} /> },
        {
          title: texts.numbers,
          // Not on a phone, where the table has no room for it.
          class: "report-device",
          cell: ({ first, last }) => (first === 0 ? "–" : `${count(first)}–${count(last)}`),
        },
        { title: sales, isNumber: true, cell: (of) => count(of.sales) },
        number(texts.grossShort, ({ gross }) => gross, "report-device"),
        number(texts.refundedShort, ({ refunded }) => 0 - refunded, "report-device"),
        number(texts.netShort, ({ net }) => net),
        ...(isCorrected ? [number(texts.correctedShort, ({ corrected }) => corrected)] : []),
      ]}
    />
  );
}

interface PartProps {
  readonly content: Settlement;
  /** Whether what is of a location is shown. */
  readonly isShown: (name: string | null) => boolean;
}

function Corrections({ content: { corrections, moreCorrections }, isShown }: PartProps) {
  const texts = useTexts(settlementTexts);
  const { count } = useFormat();
  const shown = corrections.filter(({ location }) => isShown(location));
  if (shown.length === 0) return null;
  return (
    <>
      <CorrectionTable title={texts.corrections} intro={texts.correctionsIntro} rows={shown} />
      {moreCorrections > 0 && <p>{texts.moreCorrections(count(moreCorrections))}</p>}
    </>
  );
}

interface RemarksProps extends PartProps {
  /** How many sales have no trusted time. */
  readonly provisional: number;
}

function Remarks({ content: { numbers, moreGaps, ...content }, isShown, provisional }: RemarksProps) {
  const texts = useTexts(settlementTexts);
  const { remarks } = useTexts(reportTexts);
  const { count } = useFormat();
  const gaps = content.gaps.filter(({ location }) => location === null || isShown(location));
  return (
    <section class="report-remarks">
      <h3>{remarks}</h3>
      <ul class="prose">
        {numbers !== null && (
          <li>
            {texts.numbersText(
              count(numbers.first),
              count(numbers.last),
              count(numbers.last - numbers.first + 1),
              count(numbers.others),
              count(numbers.missing),
            )}
          </li>
        )}
        {provisional > 0 && <li>{texts.provisional(count(provisional))}</li>}
        {gaps.length === 0 && <li>{texts.noGaps}</li>}
        <GapItems gaps={gaps} more={moreGaps} />
      </ul>
    </section>
  );
}
