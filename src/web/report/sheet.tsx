import type { ComponentChildren } from "preact";
import type { Letterhead, Report, Settlement } from "../api/shapes.ts";
import { DataTable, type DataTableProps } from "../element/data-table.tsx";
import { Qr } from "../element/qr.tsx";
import { useFormat } from "../live/gateway.ts";
import { reportTexts } from "../messages/report.ts";
import { settlementTexts } from "../messages/settlement.ts";
import { useTexts } from "../messages/use-language.ts";

interface SheetProps {
  readonly letterhead: Letterhead;
  readonly title: string;
  /** The month or the day that it is of. */
  readonly when: string;
  /** Under the title. */
  readonly note?: ComponentChildren;
  /** Another one has been asked for; this one still stands. */
  readonly isStale?: boolean;
  readonly children: ComponentChildren;
}

/** What is on the paper when it is printed: a report, a settlement. */
export function Sheet({ letterhead, title, when, note, isStale = false, children }: SheetProps) {
  return (
    <article class={isStale ? "panel report is-stale" : "panel report"} aria-busy={isStale}>
      <LetterheadBlock letterhead={letterhead} />
      <header class="report-head">
        <h2 class="big">{title}</h2>
        <p class="report-when soft capital" aria-live="polite">
          {when}
        </p>
        {note}
      </header>
      {children}
    </article>
  );
}

/** What stands at the head of a sheet; nothing where nothing is set. */
export function LetterheadBlock({
  letterhead: { company, taxNumber, address, logo },
}: {
  readonly letterhead: Letterhead;
}) {
  const sender = [company, taxNumber, address].filter((text) => text !== "");
  if (sender.length === 0 && logo === "") return null;
  return (
    <div class="letterhead beside">
      {logo !== "" && <img class="letterhead-logo" src={logo} alt={company} />}
      <address class="lines">
        {sender.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </address>
    </div>
  );
}

interface SheetTableProps<R> extends Omit<DataTableProps<R>, "caption"> {
  readonly title: string;
  /** Under the title. */
  readonly intro?: string;
}

/** A part of a sheet that is a table. */
export function SheetTable<R>({ title, intro, class: style = "", ...table }: SheetTableProps<R>) {
  return (
    <section class="report-part">
      <h3>{title}</h3>
      {intro !== undefined && <p>{intro}</p>}
      <DataTable class={`report-table ${style}`} caption={title} {...table} />
    </section>
  );
}

interface RoomNameProps {
  readonly room: ComponentChildren;
  readonly of: Pick<Report["rooms"][number], "deviceName" | "byHand" | "refunds" | "voided" | "provisional">;
  readonly note?: string | false;
}

/** A room in a table, beside its device and what is to be known of its sales. */
export function RoomName({ room, of, note = false }: RoomNameProps) {
  const texts = useTexts(reportTexts);
  const { count } = useFormat();
  const notes = [
    of.deviceName,
    ...NOTED.map((name) => of[name] > 0 && texts.notes[name](count(of[name]))),
    note,
  ];
  return (
    <>
      {room} <span class="fine">{notes.filter(Boolean).join(" · ")}</span>
    </>
  );
}

const NOTED = ["byHand", "refunds", "voided", "provisional"] as const;

interface NetTableProps {
  readonly title: string;
  readonly sums: Pick<
    Settlement["totals"],
    "sales" | "gross" | "byHand" | "byHandValue" | "refunds" | "refunded" | "voided" | "voidedValue" | "net"
  >;
  /** What follows from the net sum. */
  readonly rest?: readonly (readonly [name: string, amount: number])[];
}

/** How a net sum comes about, line by line. */
export function NetTable({ title, sums, rest = [] }: NetTableProps) {
  const texts = useTexts(settlementTexts);
  const { count, money } = useFormat();
  const { byHand, refunds, voided } = sums;
  const rows: readonly (readonly [name: string, amount: number] | false)[] = [
    [texts.gross(count(sums.sales)), sums.gross],
    byHand > 0 && [texts.byHand(count(byHand)), sums.byHandValue],
    refunds > 0 && [texts.refunded(count(refunds)), -sums.refunded],
    voided > 0 && [texts.voided(count(voided)), sums.voidedValue],
    [texts.net, sums.net],
    ...rest,
  ];
  return (
    <SheetTable
      title={title}
      class="report-net"
      rows={rows.filter((row) => row !== false)}
      keyOf={([name]) => name}
      rowClass={([name]) => (name === texts.net || name === texts.figures.due ? "strong" : undefined)}
      columns={[
        { title: texts.concept, isName: true, cell: ([name]) => name },
        { title: texts.amount, isNumber: true, cell: ([, amount]) => money(amount) },
      ]}
    />
  );
}

/** A name and what stands under it. */
export type Figure = readonly [name: string, value: string];

/** The figures of a sheet; the main one is the largest. */
export function Figures({ figures, main }: { readonly figures: readonly Figure[]; readonly main: string }) {
  return (
    <dl class="report-figures row">
      {figures.map(([name, value]) => (
        <div key={name} class={name === main ? "report-main" : undefined}>
          <dt class="fine">{name}</dt>
          <dd style={{ "--characters": value.length }}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface SealProps {
  /** Of the ledger, in hexadecimal. */
  readonly hash: string;
  readonly texts: { readonly seal: string; readonly sealed: string };
  /** What `flanco verify` finds it by. */
  readonly command?: "--head" | "--settlement";
}

/** The fingerprint by which a sheet can be checked later. */
export function Seal({ hash, texts, command = "--head" }: SealProps) {
  return (
    <div class="report-seal beside fine">
      <Qr text={`flanco verify ${command} ${hash}`} label={texts.seal} />
      <p>
        {texts.sealed} <code>{hash}</code>
      </p>
    </div>
  );
}

/** The place where each signs: as whom, and the name, empty where it is written by hand. */
export function Signatures({ signers }: { readonly signers: readonly Figure[] }) {
  const texts = useTexts(reportTexts);
  return (
    <div class="signatures fields">
      {signers.map(([label, name]) => (
        <div key={label}>
          <p class="fine">{label}</p>
          <p class="words">{name}</p>
          <p class="signature-line fine">{texts.signDate}</p>
        </div>
      ))}
    </div>
  );
}
