import { bilingual } from "../../domain/language.ts";

export const reportTexts = bilingual(
  {
    title: "Informe",
    month: "Mes",
    wholeMonth: "Todo el mes",
    location: "Lugar",
    ofMonth: {
      before: "Mes anterior",
      after: "Mes siguiente",
      beforeDays: (from: string, to: string) => `Mes anterior, del ${from} al ${to}`,
      running: "El mes no ha terminado: las cifras cambiarán hasta el último día.",
      none: "No hubo ventas en este mes.",
      noneDetail: "Elija otro mes u otro lugar.",
    },
    ofDay: {
      before: "Día anterior",
      after: "Día siguiente",
      beforeDays: (from: string, _to: string) => `Día anterior, ${from}, entero`,
      running: "El día no ha terminado: las cifras cambiarán hasta la medianoche.",
      none: "No hubo ventas en este día.",
      noneDetail: "Elija otro día u otro lugar.",
    },
    all: "Todos los lugares",
    places: "Por lugar",
    otherPlaces: "Los demás lugares",
    days: "Por día",
    day: "Día",
    rooms: "Por habitación",
    roomsOf: (location: string) => `Habitaciones de ${location}`,
    letterhead: {
      title: "Membrete",
      intro: "Encabeza todos los informes.",
      company: "Empresa",
      taxNumber: "NIF o CIF",
      address: "Dirección",
      logo: "Logotipo",
      logoHint: "Una imagen PNG o JPEG de hasta 40 kB.",
      removeLogo: "Quitar el logotipo",
      tooLarge: "La imagen ocupa más de 40 kB: elija una más pequeña.",
      noPicture: "Ese archivo no es una imagen PNG o JPEG.",
      long: "Escriba 200 caracteres como máximo.",
    },
    print: "Imprimir",
    heading: (location: string) => `Informe de ventas: ${location}`,
    revenue: "Ingresos",
    sales: "Ventas",
    activeRooms: "Habitaciones con ventas",
    caption: "Ventas e ingresos por habitación",
    device: "Dispositivo",
    room: "Habitación",
    notes: "Notas",
    total: "Total",
    voided: (count: string, one: boolean) => (one ? "1 anulada" : `${count} anuladas`),
    provisional: (count: string, one: boolean) =>
      one ? "1 con hora provisional" : `${count} con hora provisional`,

    remarks: "Observaciones",
    voidedTotal: (count: string, one: boolean) =>
      one
        ? "1 registro está anulado: se conserva, pero no cuenta en las cifras."
        : `${count} registros están anulados: se conservan, pero no cuentan en las cifras.`,
    provisionalTotal: (count: string, one: boolean) =>
      one
        ? "1 registro tiene la hora provisional: cuenta, pero podría ser de otro día, porque el reloj del equipo no estaba en hora."
        : `${count} registros tienen la hora provisional: cuentan, pero podrían ser de otro día, porque el reloj del equipo no estaba en hora.`,
    line: (line: string) => `línea ${line}`,
    incidents: (count: string, duration: string) => `Hubo ${count} interrupciones, ${duration} en total:`,
    incident: (from: string, duration: string, rooms: string, sales: number | null) =>
      sales === null
        ? `${from}, durante ${duration}: sin vigilancia (${rooms}). No se sabe si hubo ventas.`
        : `${from}, durante ${duration}: se perdieron señales (${rooms}). ${sales === 1 ? "1 venta quedó sin registrar" : `${sales} ventas quedaron sin registrar`}.`,
    moreIncidents: (count: string) => `Y ${count} interrupciones más; están en «Estado».`,
    others: (sales: string, revenue: string) =>
      `Solo se muestran las 2.000 habitaciones con las ventas más recientes; las otras suman ${sales} ventas y ${revenue}, que el total incluye.`,
    clean:
      "Sin incidencias: no falta ninguna señal, no hay registros anulados y todas las horas son seguras.",
    seal: "Huella del libro de ventas en código QR",
    sealed:
      "Huella del libro de ventas al generar este informe. Guárdelo: con «flanco verify --head» se comprueba más tarde que nada de lo anterior ha cambiado.",
    made: (moment: string) => `Generado por Flanco: ${moment}`,
    zone: (zone: string) => `Zona horaria: ${zone}`,

    noLocations: "Todavía no hay ningún lugar.",
    noLocationsDetail: "Cree el primero en «Lugares»; el informe sale después solo.",
  },
  {
    title: "Report",
    month: "Month",
    wholeMonth: "The whole month",
    location: "Location",
    ofMonth: {
      before: "Month before",
      after: "Month after",
      beforeDays: (from, to) => `Month before, ${from} to ${to}`,
      running: "The month is not over: the figures will change until its last day.",
      none: "There were no sales in this month.",
      noneDetail: "Choose another month or another location.",
    },
    ofDay: {
      before: "Day before",
      after: "Day after",
      beforeDays: (from, _to) => `Day before, ${from}, all of it`,
      running: "The day is not over: the figures will change until midnight.",
      none: "There were no sales on this day.",
      noneDetail: "Choose another day or another location.",
    },
    all: "All locations",
    places: "By location",
    otherPlaces: "The other locations",
    days: "By day",
    day: "Day",
    rooms: "By room",
    roomsOf: (location) => `Rooms of ${location}`,
    letterhead: {
      title: "Letterhead",
      intro: "It heads every report.",
      company: "Company",
      taxNumber: "Tax number",
      address: "Address",
      logo: "Logo",
      logoHint: "A PNG or JPEG picture of up to 40 kB.",
      removeLogo: "Remove the logo",
      tooLarge: "The picture is larger than 40 kB: choose a smaller one.",
      noPicture: "That file is no PNG or JPEG picture.",
      long: "Write 200 characters at most.",
    },
    print: "Print",
    heading: (location) => `Sales report: ${location}`,
    revenue: "Revenue",
    sales: "Sales",
    activeRooms: "Rooms with sales",
    caption: "Sales and revenue per room",
    device: "Device",
    room: "Room",
    notes: "Notes",
    total: "Total",
    voided: (count, one) => (one ? "1 void" : `${count} void`),
    provisional: (count, one) => (one ? "1 with a provisional time" : `${count} with a provisional time`),

    remarks: "Remarks",
    voidedTotal: (count, one) =>
      one
        ? "1 record is void: it is kept, and counts in none of the figures."
        : `${count} records are void: they are kept, and count in none of the figures.`,
    provisionalTotal: (count, one) =>
      one
        ? "1 record has a provisional time: it counts, but may be of another day, because the gateway's clock was not set."
        : `${count} records have a provisional time: they count, but may be of another day, because the gateway's clock was not set.`,
    line: (line) => `line ${line}`,
    incidents: (count, duration) => `There were ${count} interruptions, ${duration} in all:`,
    incident: (from, duration, rooms, sales) =>
      sales === null
        ? `${from}, for ${duration}: not watched (${rooms}). Sales in that time are unknown.`
        : `${from}, for ${duration}: signals were lost (${rooms}). ${sales === 1 ? "1 sale has no record" : `${sales} sales have no record`}.`,
    moreIncidents: (count) => `And ${count} more interruptions; they are in “Status”.`,
    others: (sales, revenue) =>
      `Listed are the 2,000 rooms that sold last; the others add up to ${sales} sales and ${revenue}, which the total includes.`,
    clean: "Nothing to report: no signal is missing, no record is void, and every time is certain.",
    seal: "Fingerprint of the ledger as a QR code",
    sealed:
      "Fingerprint of the ledger when this report was made. Keep it: “flanco verify --head” shows later that nothing before it has changed.",
    made: (moment) => `Generated by Flanco: ${moment}`,
    zone: (zone) => `Time zone: ${zone}`,

    noLocations: "There are no locations yet.",
    noLocationsDetail: "Make the first one in “Locations”; the report follows by itself.",
  },
);
