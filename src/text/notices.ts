import { bilingual } from "../domain/language.ts";

/** As both are written in the language: `12 ventas`, `54,00 €`. */
interface SummaryText {
  readonly sales: string;
  readonly money: string;
}

/** What people are told by e-mail and webhook. */
export const noticeTexts = bilingual(
  {
    /** BCP 47, for dates and numbers. */
    locale: "es-ES",
    faultBegun: (what: string) => `Aviso: ${what}`,
    faultOver: (what: string) => `Resuelto: ${what}`,
    since: (moment: string) => `Desde ${moment}.`,
    overText: (since: string, until: string) => `Empezó: ${since}. Ya no se observa: ${until}.`,
    forTechnician: (text: string) => `Para el técnico (en inglés): ${text}`,
    silentSubject: (count: number, room: string) =>
      count === 1 ? `La habitación ${room} no vende` : `${count} habitaciones no venden`,
    silentText: "Sin ventas, en contra de su costumbre:",
    silentRoom: (room: string, device: string, days: number) =>
      `- habitación ${room}, ${device}: ${days} días`,
    moreRooms: (count: number) => `- y ${count} más`,
    silentTodo:
      "Compruebe si la habitación está en uso. Si lo está, mire en la página si su línea cambia al encender el televisor.",
    daily: (day: string, { sales, money }: SummaryText) => `Resumen del ${day}: ${sales}, ${money}`,
    monthly: (month: string, { sales, money }: SummaryText) => `Resumen de ${month}: ${sales}, ${money}`,
    sales: (count: number, text: string) => (count === 1 ? "1 venta" : `${text} ventas`),
    total: ({ sales, money }: SummaryText) => `Total: ${sales}, ${money}.`,
    dayBefore: ({ sales, money }: SummaryText) => `El día anterior: ${sales}, ${money}.`,
    monthBefore: ({ sales, money }: SummaryText) => `El mes anterior: ${sales}, ${money}.`,
    place: (name: string, { sales, money }: SummaryText) => `- ${name}: ${sales}, ${money}`,
    otherPlaces: "las demás",
    openFaults: (count: number) =>
      count === 0
        ? "Ningún aviso está pendiente."
        : count === 1
          ? "1 aviso está pendiente: véalo en la página."
          : `${count} avisos están pendientes: véalos en la página.`,
    testSubject: "Mensaje de prueba de flanco",
    testText: (gateway: string) =>
      `Si lee esto, los avisos del equipo ${gateway} llegan hasta usted. No hay que hacer nada.`,
    sentBy: (gateway: string) => `Enviado por flanco en ${gateway}.`,
  },
  {
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
  },
);
