import { bilingual, counted } from "../../domain/language.ts";

export const recordsTexts = bilingual({
  title: ["Registros", "Records"],
  intro: [
    "Cada vez que se enciende una habitación queda un registro. Ninguno se borra.",
    "Each time a room is switched on, a record is kept. None is ever deleted.",
  ],
  filters: ["Filtros", "Filters"],
  from: ["Desde", "From"],
  to: ["Hasta", "To"],
  location: ["Lugar", "Location"],
  device: ["Dispositivo", "Device"],
  room: ["Habitación", "Room"],
  everyState: ["Todos", "All"],
  states: {
    counted: ["Cuentan", "Counted"],
    voided: ["Anulados", "Void"],
    provisional: ["Con hora provisional", "With a provisional time"],
    by_hand: ["Añadidos a mano", "Added by hand"],
    refund: ["Devoluciones", "Refunds"],
  },
  clear: ["Quitar filtros", "Clear filters"],
  backwards: [
    "El primer día va después del último. Cambie uno de los dos.",
    "The first day comes after the last. Change one of them.",
  ],
  ranges: {
    today: ["Hoy", "Today"],
    week: ["7 días", "7 days"],
    month: ["Mes", "Month"],
    all: ["Todo", "All"],
  },

  caption: ["Registros, del más nuevo al más antiguo", "Records, newest first"],
  number: ["N.º", "No."],
  open: (number: string) => [`Registro ${number}: ver más`, `Record ${number}: see more`],
  one: (number: string) => [`Registro ${number}`, `Record ${number}`],
  sum: (sales: string) => [
    `en ${counted(sales, "venta", "ventas")}`,
    `in ${counted(sales, "sale", "sales")}`,
  ],
  date: ["Fecha", "Date"],
  time: ["Hora", "Time"],
  value: ["Valor", "Value"],
  state: ["Estado", "Status"],
  counted: ["Contada", "Counted"],
  voided: ["Anulada", "Void"],
  voidedWhy: (reason: string) => [`Anulada: ${reason}`, `Void: ${reason}`],
  provisional: ["Hora provisional", "Provisional time"],
  provisionalBrief: ["Provisional", "Provisional"],
  provisionalWhy: [
    "El reloj del equipo aún no estaba en hora: la fecha y la hora no son seguras.",
    "The gateway's clock was not set yet: the date and time are not certain.",
  ],
  foundAtStart: ["Ya encendida al arrancar", "On already at start-up"],
  ended: ["Apagada", "Switched off"],
  paidUntil: ["Pagado hasta", "Paid until"],
  paidPerhaps: [
    "Quizá sea parte de la venta anterior: no se sabe cuánto tiempo pasó entre las dos.",
    "It may be part of the sale before: the time between them is not known.",
  ],
  voidedOn: (moment: string) => [`Anulada el ${moment}`, `Voided on ${moment}`],
  voidedBy: ["Quién lo anuló", "Voided by"],
  voidedBySelf: ["el propio equipo", "the gateway itself"],
  voidIt: ["Anular este registro", "Void this record"],
  reason: ["Motivo", "Reason"],
  reasonHint: [
    "Por ejemplo: prueba del técnico, encendida por error.",
    "For example: test by the technician, switched on by mistake.",
  ],
  reasons: [
    ["Prueba del técnico", "Encendida por error"],
    ["Test by the technician", "Switched on by mistake"],
  ],
  voidMeaning: (money: string) => [
    [
      `Sus ${money} dejarán de contar en el panel, en el informe y en la suma.`,
      "El registro no se borra: queda a la vista, con el motivo, la hora y quién lo anuló.",
      "Una anulación no se puede retirar.",
    ],
    [
      `Its ${money} will no longer count in the overview, the report and the sum.`,
      "The record is not deleted: it stays to be seen, with the reason, the time and who voided it.",
      "A void record cannot be restored.",
    ],
  ],
  voidRefunds: ["Sus devoluciones se anulan con él.", "Its refunds are voided with it."],
  isVoid: (number: string) => [`Registro ${number} anulado.`, `Record ${number} is void.`],

  shown: (first: string, last: string) => [`Registros ${first} a ${last}`, `Records ${first} to ${last}`],
  all: (records: string) => [
    `${counted(records, "registro", "registros")} en total`,
    `${counted(records, "record", "records")} in all`,
  ],
  searching: ["Buscando…", "Searching…"],
  newer: ["Más recientes", "Newer"],
  older: ["Más antiguos", "Older"],
  end: ["No hay registros más antiguos.", "There are no older records."],
  fresh: (count: string) => [
    `Hay ${counted(count, "registro nuevo: verlo", "registros nuevos: verlos")}`,
    count === "1" ? "There is 1 new record: show it" : `There are ${count} new records: show them`,
  ],
  printed: [
    "Solo se imprime esta página. Para todo, use la descarga o el informe.",
    "Only this page is printed. For all of it, use the download or the report.",
  ],
  everything: ["todos los registros", "all records"],
  days: (from: string, to: string) =>
    from === to
      ? [from, from]
      : from === ""
        ? [`hasta el ${to}`, `up to ${to}`]
        : to === ""
          ? [`desde el ${from}`, `from ${from}`]
          : [`del ${from} al ${to}`, `${from} to ${to}`],
  ofRoom: (room: string) => [`habitación ${room}`, `room ${room}`],
  here: (range: string, counted: string, sales: string) => [
    `${range}; cuentan ${counted} de ${sales}.`,
    `${range}; ${counted} of ${sales} count.`,
  ],
  none: ["Todavía no hay ningún registro.", "There are no records yet."],
  noneDetail: [
    "En cuanto se encienda una habitación, aparecerá aquí.",
    "As soon as a room is switched on, it will show here.",
  ],
  noMatch: ["Ningún registro cumple estos filtros.", "No record matches these filters."],
  noMatchDetail: ["Pruebe con más días o quite algún filtro.", "Try more days, or clear a filter."],

  download: ["Descargar Excel", "Download Excel"],
  downloadCsv: ["Descargar CSV, para programas", "Download CSV, for programs"],
});
