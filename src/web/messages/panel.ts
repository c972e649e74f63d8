import { bilingual, counted } from "../../domain/language.ts";

export const panelTexts = bilingual({
  title: ["Panel", "Overview"],
  period: ["Período", "Period"],
  week: ["Semana", "Week"],
  year: ["Año", "Year"],
  location: ["Lugar", "Location"],
  every: ["Todos", "All"],
  device: ["Dispositivo", "Device"],
  goneDevice: (name: string | null, id: string) =>
    name === null
      ? [`Dispositivo que ya no existe (${id})`, `A device that is no longer there (${id})`]
      : [`${name} (ya no existe)`, `${name} (no longer there)`],

  month: ["Mes", "Month"],
  revenue: ["Ingresos", "Revenue"],
  sales: ["Ventas", "Sales"],
  salesCount: (count: string) => [counted(count, "venta", "ventas"), counted(count, "sale", "sales")],
  locations: ["Ingresos por lugar", "Revenue per location"],
  otherLocations: ["Los demás lugares", "The other locations"],
  span: {
    day: ["Hoy", "Today"],
    week: ["Últimos 7 días", "Last 7 days"],
    month: ["Este mes", "This month"],
    year: ["Este año", "This year"],
  },
  yesterdaySoFar: ["Ayer a esta hora", "Yesterday by this time"],
  periodBefore: {
    week: ["Los 7 días anteriores", "The 7 days before"],
    month: ["El mes anterior", "The month before"],
    year: ["El año anterior", "The year before"],
  },
  wasThen: (span: string, money: string) => [`${span}: ${money}`, `${span}: ${money}`],
  notComparable: ["Aún no hay un período anterior completo", "There is no whole period before yet"],
  later: {
    week: ["Los 7 días siguientes", "The 7 days after"],
    month: ["El mes siguiente", "The month after"],
    year: ["El año siguiente", "The year after"],
  },
  goToDay: ["Ir a un día", "Go to a day"],
  days: (from: string, to: string) =>
    from === to ? [from, from] : [`Del ${from} al ${to}`, `${from} to ${to}`],
  /** What still runs is compared with the same days before, of the last of them up to this time of day. */
  soFar: (days: string) => [`${days}, a esta hora`, `${days}, by this time`],

  compare: {
    more: (percent: string) => [`${percent} más`, `${percent} more`],
    less: (percent: string) => [`${percent} menos`, `${percent} less`],
    times: (times: string) => [`×${times}`, `×${times}`],
    same: ["Igual", "The same"],
  },

  chart: {
    week: ["Ingresos por día", "Revenue per day"],
    month: ["Ingresos por día", "Revenue per day"],
    year: ["Ingresos por mes", "Revenue per month"],
    asTable: ["Ver tabla", "Show table"],
    asChart: ["Ver gráfico", "Show chart"],
    day: ["Día", "Day"],
    today: ["hoy", "today"],
    bar: (name: string, money: string, sales: string) => [
      `${name}: ${money}, ${sales}`,
      `${name}: ${money}, ${sales}`,
    ],
    ahead: (name: string) => [`${name}: todavía no ha llegado`, `${name}: still to come`],
    toRecords: ["Ver registros", "See records"],
    total: ["Total", "Total"],
  },
  none: ["Sin ventas en este período", "No sales in this period"],
  noneDetail: [
    "En cuanto se encienda una habitación, la venta aparecerá aquí.",
    "As soon as a room is switched on, the sale will show here.",
  ],
  noneFiltered: [
    "Pruebe con otro lugar o dispositivo, o quite el filtro.",
    "Try another location or device, or remove the filter.",
  ],
  clearFilter: ["Quitar el filtro", "Remove the filter"],

  latest: {
    title: ["Últimas ventas", "Latest sales"],
    all: ["Ver todas", "See all"],
    room: (room: string) => [`Habitación ${room}`, `Room ${room}`],
    none: ["Todavía no hay ninguna venta.", "There are no sales yet."],
    noneDetail: [
      "Aparecerán aquí en el momento en que ocurran.",
      "They will show here the moment they happen.",
    ],
    voided: ["anulada", "void"],
  },
  now: {
    title: ["Ahora mismo", "Right now"],
    all: ["Ver habitaciones", "See rooms"],
    on: (on: number, all: string) => [
      on === 1 ? `habitación encendida de ${all}` : `habitaciones encendidas de ${all}`,
      `of ${all} rooms on`,
    ],
    room: (room: string, device: string, state: "on" | "off" | "unwired") => [
      `Habitación ${room}, ${device}: ${{ on: "encendida", off: "apagada", unwired: "sin línea" }[state]}`,
      `Room ${room}, ${device}: ${{ on: "on", off: "off", unwired: "without a line" }[state]}`,
    ],
  },
  start: {
    title: ["Su primer dispositivo", "Your first device"],
    detail: [
      "Todavía no hay habitaciones que vigilar. Le guiamos paso a paso: son unos minutos.",
      "There are no rooms to watch yet. We guide you step by step; it takes a few minutes.",
    ],
    go: ["Empezar", "Begin"],
  },
});
