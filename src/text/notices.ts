import { bilingual } from "../domain/language.ts";

/** Sales and revenue, formatted in the language: `12 ventas`, `54,00 €`. */
interface SummaryText {
  readonly sales: string;
  readonly money: string;
}

/** The texts of notices. */
export const noticeTexts = bilingual({
  faultBegun: (what: string) => [`Aviso: ${what}`, `Attention: ${what}`],
  faultsBegun: (count: number, what: string) => [
    `Aviso (${count} casos): ${what}`,
    `Attention (${count} cases): ${what}`,
  ],
  faultOver: (what: string) => [`Resuelto: ${what}`, `Over: ${what}`],
  faultsOver: (count: number, what: string) => [
    `Resuelto (${count} casos): ${what}`,
    `Over (${count} cases): ${what}`,
  ],
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
  place: (name: string, { sales, money }: SummaryText) => [
    `- ${name}: ${sales}, ${money}`,
    `- ${name}: ${sales}, ${money}`,
  ],
  otherPlaces: ["las demás", "the others"],
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
