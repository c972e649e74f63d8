import { bilingual } from "../domain/language.ts";

/** As both are written in the language: `12 ventas`, `54,00 €`. */
interface SummaryText {
  readonly sales: string;
  readonly money: string;
}

interface NoticeTexts {
  /** BCP 47, for dates and numbers. */
  readonly locale: string;
  readonly faultBegun: (what: string) => string;
  readonly faultOver: (what: string) => string;
  readonly since: (moment: string) => string;
  readonly overText: (since: string, until: string) => string;
  readonly forTechnician: (text: string) => string;
  readonly silentSubject: (count: number, room: string) => string;
  readonly silentText: string;
  readonly silentRoom: (room: string, device: string, days: number) => string;
  readonly moreRooms: (count: number) => string;
  readonly silentTodo: string;
  readonly daily: (day: string, sold: SummaryText) => string;
  readonly monthly: (month: string, sold: SummaryText) => string;
  readonly sales: (count: number, text: string) => string;
  readonly total: (sold: SummaryText) => string;
  readonly dayBefore: (sold: SummaryText) => string;
  readonly monthBefore: (sold: SummaryText) => string;
  readonly place: (name: string, sold: SummaryText) => string;
  readonly otherPlaces: string;
  readonly openFaults: (count: number) => string;
  readonly testSubject: string;
  readonly testText: (gateway: string) => string;
  readonly sentBy: (gateway: string) => string;
}

const es: NoticeTexts = {
  locale: "es-ES",
  faultBegun: (what) => `Aviso: ${what}`,
  faultOver: (what) => `Resuelto: ${what}`,
  since: (moment) => `Desde ${moment}.`,
  overText: (since, until) => `Empezó: ${since}. Ya no se observa: ${until}.`,
  forTechnician: (text) => `Para el técnico (en inglés): ${text}`,
  silentSubject: (count, room) =>
    count === 1 ? `La habitación ${room} no vende` : `${count} habitaciones no venden`,
  silentText: "Sin ventas, en contra de su costumbre:",
  silentRoom: (room, device, days) => `- habitación ${room}, ${device}: ${days} días`,
  moreRooms: (count) => `- y ${count} más`,
  silentTodo:
    "Compruebe si la habitación está en uso. Si lo está, mire en la página si su línea cambia al encender el televisor.",
  daily: (day, { sales, money }) => `Resumen del ${day}: ${sales}, ${money}`,
  monthly: (month, { sales, money }) => `Resumen de ${month}: ${sales}, ${money}`,
  sales: (count, text) => (count === 1 ? "1 venta" : `${text} ventas`),
  total: ({ sales, money }) => `Total: ${sales}, ${money}.`,
  dayBefore: ({ sales, money }) => `El día anterior: ${sales}, ${money}.`,
  monthBefore: ({ sales, money }) => `El mes anterior: ${sales}, ${money}.`,
  place: (name, { sales, money }) => `- ${name}: ${sales}, ${money}`,
  otherPlaces: "las demás",
  openFaults: (count) =>
    count === 0
      ? "Ningún aviso está pendiente."
      : count === 1
        ? "1 aviso está pendiente: véalo en la página."
        : `${count} avisos están pendientes: véalos en la página.`,
  testSubject: "Mensaje de prueba de flanco",
  testText: (gateway) =>
    `Si lee esto, los avisos del equipo ${gateway} llegan hasta usted. No hay que hacer nada.`,
  sentBy: (gateway) => `Enviado por flanco en ${gateway}.`,
};

const en: NoticeTexts = {
  locale: "en-GB",
  faultBegun: (what) => `Attention: ${what}`,
  faultOver: (what) => `Over: ${what}`,
  since: (moment) => `Since ${moment}.`,
  overText: (since, until) => `It began: ${since}. No longer seen: ${until}.`,
  forTechnician: (text) => `For the technician: ${text}`,
  silentSubject: (count, room) =>
    count === 1 ? `Room ${room} sells nothing` : `${count} rooms sell nothing`,
  silentText: "Without sales, against their habit:",
  silentRoom: (room, device, days) => `- room ${room}, ${device}: ${days} days`,
  moreRooms: (count) => `- and ${count} more`,
  silentTodo:
    "Check whether the room is in use. If it is, see on the page whether its line changes when the television is switched on.",
  daily: (day, { sales, money }) => `Summary of ${day}: ${sales}, ${money}`,
  monthly: (month, { sales, money }) => `Summary of ${month}: ${sales}, ${money}`,
  sales: (count, text) => (count === 1 ? "1 sale" : `${text} sales`),
  total: ({ sales, money }) => `Total: ${sales}, ${money}.`,
  dayBefore: ({ sales, money }) => `The day before: ${sales}, ${money}.`,
  monthBefore: ({ sales, money }) => `The month before: ${sales}, ${money}.`,
  place: (name, { sales, money }) => `- ${name}: ${sales}, ${money}`,
  otherPlaces: "the others",
  openFaults: (count) =>
    count === 0
      ? "Nothing needs attention."
      : count === 1
        ? "1 thing needs attention: see it on the page."
        : `${count} things need attention: see them on the page.`,
  testSubject: "Test message of flanco",
  testText: (gateway) =>
    `If you read this, notices of the gateway ${gateway} reach you. Nothing is to be done.`,
  sentBy: (gateway) => `Sent by flanco on ${gateway}.`,
};

export const noticeTexts = bilingual<NoticeTexts>(es, en);
