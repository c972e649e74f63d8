import { randomUUID } from "node:crypto";
import type { SettlementContent } from "../contract/settlement.ts";
import { contentOf } from "../contract/settlement-text.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { Clock } from "../domain/clock.ts";
import { dateFromDay, firstDayOf, formatDay, parseMonth } from "../domain/day.ts";
import { withHint } from "../domain/error.ts";
import { type Fault, toldFault } from "../domain/fault.ts";
import { bilingual, type Language, LOCALES } from "../domain/language.ts";
import type { Notice } from "../domain/notice.ts";
import type { Overview, Sales } from "../domain/overview.ts";
import type { StoredSettlement } from "../domain/settlement.ts";
import type { Currency } from "../domain/status.ts";

/** The most rooms that one notice names. */
const MAX_ROOMS = 30;
const A_DAY = { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" } as const;
const A_MONTH = { month: "long", year: "numeric", timeZone: "UTC" } as const;

export interface SilentRoom {
  readonly room: string;
  readonly deviceName: string;
  /** Days without a sale. */
  readonly days: number;
}

/** A fault with the room that it concerns, where it concerns one. */
export interface PlacedFault extends Fault {
  readonly room?: { readonly name: string; readonly deviceName: string } | undefined;
}

export type OneOrMore<T> = readonly [T, ...T[]];

export interface NoticeWriterOptions {
  readonly language: Language;
  readonly timeZone: string;
  readonly currency: Currency;
  /** The name of this gateway. */
  readonly gateway: () => string;
  readonly clock: Pick<Clock, "nowMs">;
}

/** Writes the texts of notices, in the language of the settings. */
export class NoticeWriter {
  readonly #options: NoticeWriterOptions;

  constructor(options: NoticeWriterOptions) {
    this.#options = options;
  }

  /** One notice of faults of one code that began, or are over, together. */
  faults(kind: "fault_begun" | "fault_over", faults: OneOrMore<PlacedFault>): Notice {
    const texts = this.#texts;
    const [first] = faults;
    const { todo } = this.#textsOf(first);
    const { what, list, sinceMs } = this.#describeAll(faults);
    const since = this.#moment(sinceMs);
    const lines =
      kind === "fault_begun"
        ? [...(todo === "" ? [] : [todo]), texts.since(since), texts.forTechnician(withHint(first))]
        : [
            texts.overText(since, this.#moment(this.#options.clock.nowMs())),
            texts.forTechnician(first.message),
          ];
    return this.#make(kind, texts[kind](faults.length, what), faultDetails(faults), [...list, ...lines]);
  }

  roomsSilent(rooms: readonly SilentRoom[]): Notice {
    const texts = this.#texts;
    const shown = rooms.slice(0, MAX_ROOMS);
    const subject = texts.silentSubject(rooms.length, rooms[0]?.room ?? "");
    const named = shown.map(({ room }) => room).join(", ");
    return this.#make("rooms_silent", subject, { count: rooms.length, rooms: named }, [
      texts.silentText,
      ...shown.map(({ room, deviceName, days }) => texts.silentRoom(room, deviceName, days)),
      ...(rooms.length > shown.length ? [texts.more(rooms.length - shown.length)] : []),
      texts.silentTodo,
    ]);
  }

  /** The summary of a day or a whole month. `company` names the account where the gateway has several. */
  summary(
    kind: "daily_summary" | "monthly_summary",
    overview: Overview,
    faults: number,
    company: string,
  ): Notice {
    const texts = this.#texts;
    const isDaily = kind === "daily_summary";
    const sold = this.#sold(overview);
    const when = isDaily
      ? texts.daily(this.#date(overview.to, A_DAY), sold)
      : texts.monthly(this.#date(overview.to, A_MONTH), sold);
    const others =
      overview.otherLocations === null ? [] : [{ ...overview.otherLocations, name: texts.otherLocations }];
    const details = {
      from: formatDay(overview.from),
      to: formatDay(overview.to),
      sales: overview.count,
      revenue: valorFromMicros(overview.totalMicros),
      currency: this.#options.currency.code,
      faults,
    };
    return this.#make(kind, company === "" ? when : `${company}: ${when}`, details, [
      texts.total(sold),
      (isDaily ? texts.dayBefore : texts.monthBefore)(this.#sold(overview.before)),
      ...[...overview.locations, ...others].map((one) => texts.location(one.name, this.#sold(one))),
      texts.openFaults(faults),
    ]);
  }

  /** A month's settlement. `page` is the page's address; null without one. */
  monthClosed(settlement: StoredSettlement, company: string, page: string | null): Notice {
    const texts = this.#texts;
    const { number, hash } = settlement;
    const { month, totals, locations } = contentOf(settlement);
    const { due, sales } = totals;
    const name = this.#date(firstDayOf(parseMonth(month) ?? 0), A_MONTH);
    const subject = texts.closed(name, this.#money(due.net));
    const link = page === null ? "" : `${page}/liquidacion?month=${month}`;
    const details = {
      ...{ month, number, hash, sales, link },
      ...{ net: due.net, clinic: due.clinic, company: due.company, corrected: totals.corrected.net },
      currency: this.#options.currency.code,
    };
    const parts = (one: SettlementContent["totals"]) =>
      texts.closedParts(
        texts.sales(one.sales, this.#count(one.sales)),
        this.#money(one.due.net),
        this.#money(one.due.clinic),
        this.#money(one.due.company),
      );
    const places = locations.length > 1 ? locations.slice(0, MAX_ROOMS) : [];
    return this.#make("month_closed", company === "" ? subject : `${company}: ${subject}`, details, [
      parts(totals),
      ...places.map((one) => `- ${one.name || texts.otherLocations}: ${parts(one)}`),
      ...(totals.corrected.net === 0 ? [] : [texts.closedCorrected(this.#money(totals.corrected.net))]),
      texts.closedSeal(String(number), hash),
      ...(link === "" ? [] : [link]),
    ]);
  }

  test(): Notice {
    const texts = this.#texts;
    return this.#make("test", texts.testSubject, {}, [texts.testText(this.#options.gateway())]);
  }

  get #texts() {
    return noticeTexts[this.#options.language];
  }

  #make(kind: Notice["kind"], subject: string, details: Notice["details"], lines: readonly string[]): Notice {
    const { language, clock } = this.#options;
    const gateway = this.#options.gateway();
    // A name with a line break must not write lines of its own.
    const written = lines.map((line) => line.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, " "));
    const text = `${written.join("\n")}\n\n${this.#texts.sentBy(gateway)}\n`;
    const own = {
      id: randomUUID(),
      kind,
      madeMs: clock.nowMs(),
      language,
      details: { ...details, gateway },
    };
    // A name with a line break must not make a second header.
    return { ...own, subject: `${subject.replaceAll(/\s+/g, " ")}`, text };
  }

  /** The first fault in a sentence, all of them in a list, and since when. */
  #describeAll(faults: OneOrMore<PlacedFault>) {
    const texts = this.#texts;
    const [what = "", ...others] = faults.slice(0, MAX_ROOMS).map((fault) => {
      const { what } = this.#textsOf(fault);
      return fault.room === undefined ? what : texts.inRoom(what, fault.room.name, fault.room.deviceName);
    });
    const rest = faults.length - 1 - others.length;
    const list =
      others.length === 0
        ? [what]
        : [...[what, ...others].map((one) => `- ${one}`), ...(rest === 0 ? [] : [texts.more(rest)])];
    return { what, list, sinceMs: Math.min(...faults.map(({ sinceMs }) => sinceMs)) };
  }

  #textsOf(fault: Fault) {
    const { language, timeZone } = this.#options;
    return toldFault(fault, timeZone).texts[language];
  }

  #sold({ count, totalMicros }: Sales) {
    const money = this.#money(valorFromMicros(totalMicros));
    return { sales: this.#texts.sales(count, this.#count(count)), money };
  }

  #money(amount: number): string {
    const { code, decimals } = this.#options.currency;
    const style = { style: "currency", currency: code, minimumFractionDigits: decimals } as const;
    return new Intl.NumberFormat(LOCALES[this.#options.language], style).format(amount);
  }

  #count(count: number): string {
    return new Intl.NumberFormat(LOCALES[this.#options.language]).format(count);
  }

  #moment(timeMs: number): string {
    const { timeZone } = this.#options;
    const style = { dateStyle: "medium", timeStyle: "short", timeZone } as const;
    return new Intl.DateTimeFormat(LOCALES[this.#options.language], style).format(timeMs);
  }

  #date(day: number, style: Intl.DateTimeFormatOptions): string {
    return new Intl.DateTimeFormat(LOCALES[this.#options.language], style).format(dateFromDay(day));
  }
}

/** The first fault's, with how many there are and their rooms. */
function faultDetails(faults: OneOrMore<PlacedFault>): Notice["details"] {
  const [{ code, sinceMs, details }] = faults;
  const rooms = faults.slice(0, MAX_ROOMS).flatMap(({ room }) => (room === undefined ? [] : [room.name]));
  return {
    ...details,
    code,
    since: new Date(sinceMs).toISOString(),
    count: faults.length,
    ...(rooms.length > 0 && { rooms: rooms.join(", ") }),
  };
}

/** Sales and revenue, formatted in the language: `12 ventas`, `54,00 €`. */
interface SummaryText {
  readonly sales: string;
  readonly money: string;
}

/** The texts of notices. */
const noticeTexts = bilingual({
  fault_begun: (count: number, what: string) =>
    count === 1
      ? [`Aviso: ${what}`, `Attention: ${what}`]
      : [`Aviso (${count} casos): ${what}`, `Attention (${count} cases): ${what}`],
  fault_over: (count: number, what: string) =>
    count === 1
      ? [`Resuelto: ${what}`, `Over: ${what}`]
      : [`Resuelto (${count} casos): ${what}`, `Over (${count} cases): ${what}`],
  inRoom: (what: string, room: string, device: string) => [
    `${what} Habitación ${room}, ${device}.`,
    `${what} Room ${room}, ${device}.`,
  ],
  since: (moment: string) => [`Desde ${moment}.`, `Since ${moment}.`],
  overText: (since: string, until: string) => [
    `Empezó: ${since}. Ya no se observa: ${until}.`,
    `It began: ${since}. No longer seen: ${until}.`,
  ],
  forTechnician: (text: string) => [`Para el técnico (en inglés): ${text}`, `For the technician: ${text}`],
  silentSubject: (count: number, room: string) =>
    count === 1
      ? [`La habitación ${room} no vende`, `Room ${room} sells nothing`]
      : [`${count} habitaciones no venden`, `${count} rooms sell nothing`],
  silentText: ["Sin ventas, en contra de su costumbre:", "Without sales, against their habit:"],
  silentRoom: (room: string, device: string, days: number) => [
    `- habitación ${room}, ${device}: ${days} días`,
    `- room ${room}, ${device}: ${days} days`,
  ],
  more: (count: number) => [`- y ${count} más`, `- and ${count} more`],
  silentTodo: [
    "Compruebe si la habitación está en uso. Si lo está, mire en la página si su línea cambia al encender el televisor.",
    "Check whether the room is in use. If it is, see on the page whether its line changes when the television is switched on.",
  ],
  daily: (day: string, { sales, money }: SummaryText) => [
    `Resumen del ${day}: ${sales}, ${money}`,
    `Summary of ${day}: ${sales}, ${money}`,
  ],
  monthly: (month: string, { sales, money }: SummaryText) => [
    `Resumen de ${month}: ${sales}, ${money}`,
    `Summary of ${month}: ${sales}, ${money}`,
  ],
  sales: (count: number, text: string) =>
    count === 1 ? ["1 venta", "1 sale"] : [`${text} ventas`, `${text} sales`],
  total: ({ sales, money }: SummaryText) => [`Total: ${sales}, ${money}.`, `Total: ${sales}, ${money}.`],
  dayBefore: ({ sales, money }: SummaryText) => [
    `El día anterior: ${sales}, ${money}.`,
    `The day before: ${sales}, ${money}.`,
  ],
  monthBefore: ({ sales, money }: SummaryText) => [
    `El mes anterior: ${sales}, ${money}.`,
    `The month before: ${sales}, ${money}.`,
  ],
  location: (name: string, { sales, money }: SummaryText) => [
    `- ${name}: ${sales}, ${money}`,
    `- ${name}: ${sales}, ${money}`,
  ],
  closed: (month: string, net: string) => [
    `Mes cerrado: ${month}, a liquidar ${net}`,
    `Month closed: ${month}, to settle ${net}`,
  ],
  closedParts: (sales: string, net: string, clinic: string, company: string) => [
    `${sales}, a liquidar ${net}: clínica ${clinic}, empresa ${company}.`,
    `${sales}, to settle ${net}: clinic ${clinic}, company ${company}.`,
  ],
  closedCorrected: (amount: string) => [
    `Incluye la regularización de meses ya cerrados: ${amount}.`,
    `Corrections of months that were closed before are in it: ${amount}.`,
  ],
  closedSeal: (number: string, hash: string) => [
    `Apunte ${number} del libro de ventas, huella ${hash}.`,
    `Entry ${number} of the ledger, fingerprint ${hash}.`,
  ],
  otherLocations: ["las demás", "the others"],
  openFaults: (count: number) =>
    count === 0
      ? ["Ningún aviso está pendiente.", "Nothing needs attention."]
      : count === 1
        ? ["1 aviso está pendiente: véalo en la página.", "1 thing needs attention: see it on the page."]
        : [
            `${count} avisos están pendientes: véalos en la página.`,
            `${count} things need attention: see them on the page.`,
          ],
  testSubject: ["Mensaje de prueba de flanco", "Test message of flanco"],
  testText: (gateway: string) => [
    `Si lee esto, los avisos del equipo ${gateway} llegan hasta usted. No hay que hacer nada.`,
    `If you read this, notices of the gateway ${gateway} reach you. Nothing is to be done.`,
  ],
  sentBy: (gateway: string) => [`Enviado por flanco en ${gateway}.`, `Sent by flanco on ${gateway}.`],
});
