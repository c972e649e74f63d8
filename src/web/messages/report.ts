import { bilingual, counted } from "../../domain/language.ts";

export const reportTexts = bilingual({
  title: ["Informe", "Report"],
  month: ["Mes", "Month"],
  wholeMonth: ["Todo el mes", "The whole month"],
  location: ["Lugar", "Location"],
  ofMonth: {
    before: ["Mes anterior", "Month before"],
    after: ["Mes siguiente", "Month after"],
    beforeDays: (from: string, to: string) => [
      `Mes anterior, del ${from} al ${to}`,
      `Month before, ${from} to ${to}`,
    ],
    beforeSoFar: (from: string, to: string) => [
      `Mes anterior, del ${from} al ${to}, a esta hora`,
      `Month before, ${from} to ${to}, by this time`,
    ],
    running: [
      "El mes no ha terminado: las cifras cambiarán hasta el último día.",
      "The month is not over: the figures will change until its last day.",
    ],
    none: ["No hubo ventas en este mes.", "There were no sales in this month."],
    noneDetail: ["Elija otro mes u otro lugar.", "Choose another month or another location."],
  },
  ofDay: {
    before: ["Día anterior", "Day before"],
    after: ["Día siguiente", "Day after"],
    beforeDays: (from: string, _to: string) => [`Día anterior, ${from}`, `Day before, ${from}`],
    beforeSoFar: (from: string, _to: string) => [
      `Día anterior, ${from}, a esta hora`,
      `Day before, ${from}, by this time`,
    ],
    running: [
      "El día no ha terminado: las cifras cambiarán hasta la medianoche.",
      "The day is not over: the figures will change until midnight.",
    ],
    none: ["No hubo ventas en este día.", "There were no sales on this day."],
    noneDetail: ["Elija otro día u otro lugar.", "Choose another day or another location."],
  },
  all: ["Todos los lugares", "All locations"],
  byLocation: ["Por lugar", "By location"],
  otherLocations: ["Los demás lugares", "The other locations"],
  days: ["Por día", "By day"],
  day: ["Día", "Day"],
  rooms: ["Por habitación", "By room"],
  roomsOf: (location: string) => [`Habitaciones de ${location}`, `Rooms of ${location}`],
  letterhead: {
    title: ["Membrete", "Letterhead"],
    intro: ["Encabeza todos los informes.", "It heads every report."],
    company: ["Empresa", "Company"],
    taxNumber: ["NIF o CIF", "Tax number"],
    address: ["Dirección", "Address"],
    logo: ["Logotipo", "Logo"],
    logoHint: ["Una imagen PNG o JPEG de hasta 40 kB.", "A PNG or JPEG picture of up to 40 kB."],
    removeLogo: ["Quitar el logotipo", "Remove the logo"],
    tooLarge: [
      "La imagen ocupa más de 40 kB: elija una más pequeña.",
      "The picture is larger than 40 kB: choose a smaller one.",
    ],
    noPicture: [
      "Ese archivo no es una imagen PNG o JPEG. Elija otro.",
      "That file is no PNG or JPEG picture. Choose another.",
    ],
    long: ["Escriba 200 caracteres como máximo.", "Write 200 characters at most."],
  },
  daysTable: ["Días (CSV)", "Days (CSV)"],
  print: ["Imprimir", "Print"],
  heading: (location: string) => [`Informe de ventas: ${location}`, `Sales report: ${location}`],
  revenue: ["Ingresos", "Revenue"],
  sales: ["Ventas", "Sales"],
  activeRooms: ["Habitaciones con ventas", "Rooms with sales"],
  caption: ["Ventas e ingresos por habitación", "Sales and revenue per room"],
  room: ["Habitación", "Room"],
  total: ["Total", "Total"],
  price: ["Precio", "Price"],
  salesOf: (count: string) => [counted(count, "venta", "ventas"), counted(count, "sale", "sales")],
  paidUntil: (moment: string) => [`pagada hasta el ${moment}`, `paid until ${moment}`],
  /** Of a room's sales. */
  notes: {
    byHand: (count: string) => [`${count} a mano`, `${count} by hand`],
    refunds: (count: string) => [
      counted(count, "devolución", "devoluciones"),
      counted(count, "refund", "refunds"),
    ],
    voided: (count: string) => [counted(count, "anulada", "anuladas"), `${count} void`],
    provisional: (count: string) => [`${count} con hora provisional`, `${count} with a provisional time`],
  },
  toNet: ["Del bruto al neto", "From gross to net"],

  comparison: ["Comparación de lugares", "Comparison of locations"],
  quiet: ["Habitaciones sin ventas", "Rooms without sales"],
  quietNone: [
    "Todas las habitaciones han vendido en los últimos tres días.",
    "Every room has sold within the last three days.",
  ],
  lastSale: ["Última venta", "Last sale"],
  daysAgo: (days: string) => [`Hace ${days} días`, `${days} days ago`],
  noSaleIn: (days: string) => [`Ninguna en ${days} días`, `None within ${days} days`],
  moreRooms: (count: string) => [`Y ${count} habitaciones más.`, `And ${count} more rooms.`],

  remarks: ["Observaciones", "Remarks"],
  voidedTotal: (count: string) =>
    count === "1"
      ? [
          "1 registro está anulado: se conserva, pero no cuenta en las cifras.",
          "1 record is void: it is kept, and counts in none of the figures.",
        ]
      : [
          `${count} registros están anulados: se conservan, pero no cuentan en las cifras.`,
          `${count} records are void: they are kept, and count in none of the figures.`,
        ],
  provisionalTotal: (count: string) =>
    count === "1"
      ? [
          "1 registro tiene la hora provisional: cuenta, pero podría ser de otro día, porque el reloj del equipo no estaba en hora.",
          "1 record has a provisional time: it counts, but may be of another day, because the gateway's clock was not set.",
        ]
      : [
          `${count} registros tienen la hora provisional: cuentan, pero podrían ser de otro día, porque el reloj del equipo no estaba en hora.`,
          `${count} records have a provisional time: they count, but may be of another day, because the gateway's clock was not set.`,
        ],
  line: (line: string) => [`línea ${line}`, `line ${line}`],
  incidents: (count: string, duration: string) => [
    `Hubo ${count} interrupciones, ${duration} en total:`,
    `There were ${count} interruptions, ${duration} in all:`,
  ],
  incident: (from: string, duration: string, rooms: string, sales: string | null, isOutage: boolean) =>
    sales === null
      ? isOutage
        ? [
            `${from}, durante ${duration}: sin vigilancia (${rooms}). No se sabe si hubo ventas.`,
            `${from}, for ${duration}: not watched (${rooms}). Sales in that time are unknown.`,
          ]
        : [
            `${from}, durante ${duration}: se perdieron señales (${rooms}). No se sabe si falta alguna venta.`,
            `${from}, for ${duration}: signals were lost (${rooms}). Whether a sale is missing is unknown.`,
          ]
      : [
          `${from}, durante ${duration}: se perdieron señales (${rooms}). ${counted(sales, "venta quedó", "ventas quedaron")} sin registrar.`,
          `${from}, for ${duration}: signals were lost (${rooms}). ${counted(sales, "sale has", "sales have")} no record.`,
        ],
  moreIncidents: (count: string) => [
    `Otras interrupciones, que están en «Estado»: ${count}.`,
    `Further interruptions, which are in “Status”: ${count}.`,
  ],
  others: (sales: string, revenue: string) => [
    `Solo se muestran las 2.000 habitaciones con las ventas más recientes; las otras suman ${sales} ventas y ${revenue}, que el total incluye.`,
    `Listed are the 2,000 rooms that sold last; the others add up to ${sales} sales and ${revenue}, which the total includes.`,
  ],
  clean: [
    "Sin incidencias: no falta ninguna señal, no hay registros anulados y todas las horas son seguras.",
    "Nothing to report: no signal is missing, no record is void, and every time is certain.",
  ],
  seal: ["Huella del libro de ventas en código QR", "Fingerprint of the ledger as a QR code"],
  sealed: [
    "Huella del libro de ventas al generar este informe. Guárdelo: con «flanco verify --head» se comprueba más tarde que nada de lo anterior ha cambiado.",
    "Fingerprint of the ledger when this report was made. Keep it: “flanco verify --head” shows later that nothing before it has changed.",
  ],
  forCompany: ["Por la empresa", "For the company"],
  forClinic: ["Por la clínica", "For the clinic"],
  noInvoice: [
    "Este informe no es una factura, ni sus números lo son de factura.",
    "This report is no invoice, and none of its numbers is an invoice's.",
  ],
  signDate: ["Fecha y firma", "Date and signature"],
  made: (moment: string) => [`Generado por Flanco: ${moment}`, `Generated by Flanco: ${moment}`],
  zone: (zone: string) => [`Zona horaria: ${zone}`, `Time zone: ${zone}`],

  noLocations: ["Todavía no hay ningún lugar.", "There are no locations yet."],
  noLocationsDetail: [
    "Cree el primero en «Lugares»; el informe sale después solo.",
    "Make the first one in “Locations”; the report follows by itself.",
  ],
});
