import { bilingual, counted } from "../../domain/language.ts";

export const roomsTexts = bilingual({
  title: ["Habitaciones", "Rooms"],
  show: ["Cuáles se muestran", "Which are shown"],
  names: {
    all: ["Todas", "All"],
    onFirst: ["Encendidas primero", "On first"],
    on: ["Encendidas", "On"],
  },
  unwired: (count: string) => [`Sin línea (${count})`, `No line (${count})`],
  noLine: ["Sin línea", "No line"],
  noLineDetail: ["No se puede registrar ninguna venta", "No sale can be recorded"],
  onPurpose: ["A propósito", "On purpose"],
  connect: (room: string) => [`Conectar la habitación ${room}`, `Wire room ${room}`],
  connectShort: ["Conectar", "Wire"],
  search: ["Buscar habitación", "Find a room"],
  noMatch: ["Ninguna habitación se llama así", "No room has that name"],
  noMatchDetail: ["Escriba otra parte del nombre.", "Type another part of the name."],
  paidUntil: (moment: string) => [`pagado hasta ${moment}`, `paid until ${moment}`],
  paidPerhaps: (moment: string) => [
    `pagado hasta ${moment}, sin hora segura`,
    `paid until ${moment}, time not certain`,
  ],
  move: {
    it: ["Pasar lo pagado a otra habitación", "Move what is paid to another room"],
    to: ["Habitación a la que se muda", "The room that is moved to"],
    choose: ["Elija una habitación", "Choose a room"],
    meaning: [
      "Esta habitación queda libre. Encender la otra hasta esa hora es la misma venta.",
      "This room is free. Switching the other one on until then is the same sale.",
    ],
    refused: [
      "No se puede: ya no hay nada pagado aquí, o la otra habitación tiene lo suyo pagado.",
      "Not possible: nothing is paid here any more, or the other room is paid itself.",
    ],
    done: (room: string) => [
      `Lo pagado vale ahora para la habitación ${room}.`,
      `What is paid holds for room ${room} now.`,
    ],
  },
  since: (time: string) => [`desde ${time}`, `since ${time}`],
  today: (sales: string) =>
    sales === "0"
      ? ["Hoy, sin ventas", "No sales today"]
      : [`Hoy ${counted(sales, "venta", "ventas")}`, `Today ${counted(sales, "sale", "sales")}`],
  count: (on: string, all: string) => [`${on} de ${all} encendidas`, `${on} of ${all} on`],
  name: (room: string) => [`Habitación ${room}`, `Room ${room}`],
  none: ["Todavía no hay dispositivos", "There are no devices yet"],
  noneDetail: [
    "Cuando se dé de alta el primero, sus habitaciones aparecerán aquí.",
    "Once the first one has been added, its rooms will show here.",
  ],
  noneHere: ["Aquí no hay habitaciones", "There are no rooms here"],
  add: ["Añadir un dispositivo", "Add a device"],
  noneOn: ["Ahora mismo no hay ninguna habitación encendida", "No room is on right now"],
  noneOnDetail: [
    "En cuanto se encienda una, aparecerá aquí.",
    "As soon as one is switched on, it will show here.",
  ],

  history: {
    none: ["Esta habitación todavía no ha vendido nada.", "This room has not sold anything yet."],
    all: ["Ver todos los registros", "See all records"],
    gone: [
      "Esta habitación ya no existe. Sus registros se conservan.",
      "This room is no longer there. Its records are kept.",
    ],
    ongoing: ["encendida", "on"],
    lasted: (duration: string) => [`duró ${duration}`, `lasted ${duration}`],
    foundAtStart: ["ya estaba encendida al arrancar", "was on already at start-up"],
    posted: ["enviada por otro programa", "sent by another program"],
    imported: ["importada de otro sistema", "imported from another system"],
    byHand: (reason: string) => [`añadida a mano: ${reason}`, `added by hand: ${reason}`],
    refund: (sale: string, reason: string) => [
      `devolución de la venta ${sale}: ${reason}`,
      `refund of the sale ${sale}: ${reason}`,
    ],
    refunded: (money: string) => [`devueltos ${money}`, `${money} refunded`],
    voided: (reason: string) => [`anulada: ${reason}`, `void: ${reason}`],
  },
});
