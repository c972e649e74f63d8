import { bilingual, counted } from "../../domain/language.ts";

/** Sales by hand and refunds, wherever they are made and shown. */
export const byHandTexts = bilingual({
  add: {
    open: ["Añadir una venta", "Add a sale"],
    title: ["Añadir una venta a mano", "Add a sale by hand"],
    meaning: [
      "Cuenta como las demás y queda marcada: se ve quién la añadió y por qué. Si su mes ya está cerrado, aparece como regularización en la liquidación siguiente.",
      "It counts like the others and is marked: who added it, and why, can be seen. If its month is closed, it shows as a regularization in the next settlement.",
    ],
    room: ["Habitación", "Room"],
    noRoom: ["Elija una habitación.", "Choose a room."],
    time: ["Cuándo se encendió", "When it was switched on"],
    within: (from: string, to: string) => [`Entre ${from} y ${to}.`, `Between ${from} and ${to}.`],
    noTime: ["Falta la fecha o la hora.", "The date or the time is missing."],
    ahead: ["Esa hora aún no ha llegado.", "That time is still to come."],
    price: ["Precio", "Price"],
    priceHint: ["Se propone el que tenía entonces.", "Proposed is the one that it had then."],
    noPrice: ["Escriba un precio, como 4,50.", "Write a price, such as 4.50."],
    reasonHint: [
      "Por ejemplo: corte de luz, el relé no avisó.",
      "For example: power cut, the relay did not report.",
    ],
    reasons: [
      ["Corte de luz", "Señal perdida", "Apuntada a mano"],
      ["Power cut", "Lost signal", "Noted by hand"],
    ],
    action: ["Añadir la venta", "Add the sale"],
    done: (number: string, money: string) => [
      `Venta ${number} añadida: ${money}.`,
      `Sale ${number} added: ${money}.`,
    ],
  },
  gap: {
    missing: (count: string) => [
      count === "1" ? "Falta 1 venta: añadir" : `Faltan ${count} ventas: añadir`,
      `${counted(count, "sale is", "sales are")} missing: add`,
    ],
    perhaps: (rooms: string) => [`Añadir una venta (${rooms})`, `Add a sale (${rooms})`],
    added: (count: string) => [`Añadidas a mano: ${count}.`, `Added by hand: ${count}.`],
  },
  refund: {
    open: ["Devolver dinero", "Refund"],
    amount: ["Cuánto se devuelve", "How much is refunded"],
    left: (money: string) => [`Quedan ${money} de esta venta.`, `${money} of this sale are left.`],
    noAmount: (money: string) => [
      `Escriba un importe de hasta ${money}.`,
      `Write an amount of up to ${money}.`,
    ],
    meaning: [
      [
        "Se resta hoy, no el día de la venta: un mes cerrado no cambia.",
        "La venta sigue a la vista y cuenta como una venta. Quién devolvió y por qué queda escrito.",
      ],
      [
        "It is subtracted today, not on the day of the sale: a closed month does not change.",
        "The sale stays to be seen and counts as a sale. Who refunded it, and why, is kept.",
      ],
    ],
    reasonHint: ["Por ejemplo: se fue antes, no funcionaba.", "For example: left early, it did not work."],
    reasons: [
      ["Se fue antes", "No funcionaba", "Cobrada dos veces"],
      ["Left early", "It did not work", "Charged twice"],
    ],
    conflict: [
      "Otra persona ya devolvió una parte o anuló la venta. Ciérrelo y ábrala de nuevo.",
      "Somebody else has refunded a part of it or voided the sale. Close this and open it again.",
    ],
    done: (sale: string, money: string) => [
      `Devueltos ${money} de la venta ${sale}.`,
      `${money} of the sale ${sale} refunded.`,
    ],
  },
  shown: {
    byHand: ["A mano", "By hand"],
    refund: ["Devolución", "Refund"],
    refundOf: (sale: string) => [`Devolución de la venta ${sale}`, `Refund of the sale ${sale}`],
    refunded: ["Devuelta", "Refunded"],
    partly: (money: string) => [`Devueltos ${money}`, `${money} refunded`],
    refunds: ["Devoluciones", "Refunds"],
    enteredBy: ["Lo apuntó", "Entered by"],
    void: ["anulada", "void"],
    left: ["Queda", "Left"],
  },
});
