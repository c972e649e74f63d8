import { bilingual } from "./language.ts";

export const reportTexts = bilingual(
  {
    title: "Informe mensual",
    month: "Mes",
    location: "Lugar",
    before: "Mes anterior",
    after: "Mes siguiente",
    print: "Imprimir",
    heading: (location: string) => `Informe de ${location}`,
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
    running: "El mes no ha terminado: las cifras cambiarán hasta el último día.",
    voidedTotal: (count: string, one: boolean) =>
      one
        ? "1 registro está anulado: se conserva, pero no cuenta en las cifras."
        : `${count} registros están anulados: se conservan, pero no cuentan en las cifras.`,
    provisionalTotal: (count: string, one: boolean) =>
      one
        ? "1 registro tiene la hora provisional: cuenta, pero podría ser de otro día, porque el reloj del equipo no estaba en hora."
        : `${count} registros tienen la hora provisional: cuentan, pero podrían ser de otro día, porque el reloj del equipo no estaba en hora.`,
    gap: (line: string, from: string, to: string, sales: number | null) =>
      sales === null
        ? `Entre ${from} y ${to} nadie vigilaba la línea ${line}: no se sabe si hubo ventas.`
        : `Entre ${from} y ${to} se perdieron señales de la línea ${line}: ${sales === 1 ? "1 venta quedó sin registrar" : `${sales} ventas quedaron sin registrar`}.`,
    others: (sales: string, revenue: string) =>
      `Solo se muestran las 2.000 habitaciones con las ventas más recientes; las otras suman ${sales} ventas y ${revenue}, que el total incluye.`,
    clean:
      "Sin incidencias: no falta ninguna señal, no hay registros anulados y todas las horas son seguras.",
    made: (moment: string) => `Generado por Flanco: ${moment}`,
    zone: (zone: string) => `Zona horaria: ${zone}`,

    none: "No hubo ventas en este mes.",
    noneDetail: "Elija otro mes u otro lugar.",
    noLocations: "Todavía no hay ningún lugar.",
    noLocationsDetail: "Cree el primero en «Lugares»; el informe sale después solo.",
    failed: "No se ha podido leer el informe. Compruebe la conexión y reintente.",
    choicesFailed: "No se han podido leer los lugares. Compruebe la conexión y reintente.",
  },
  {
    title: "Monthly report",
    month: "Month",
    location: "Location",
    before: "Month before",
    after: "Month after",
    print: "Print",
    heading: (location) => `Report of ${location}`,
    revenue: "Revenue",
    sales: "Sales",
    activeRooms: "Rooms with sales",
    caption: "Sales and revenue per room",
    device: "Device",
    room: "Room",
    notes: "Notes",
    total: "Total",
    voided: (count, one) => (one ? "1 void" : `${count} void`),
    provisional: (count, one) => (one ? "1 with a time not certain" : `${count} with a time not certain`),

    remarks: "Remarks",
    running: "The month is not over: the figures will change until its last day.",
    voidedTotal: (count, one) =>
      one
        ? "1 record is void: it is kept, and counts in none of the figures."
        : `${count} records are void: they are kept, and count in none of the figures.`,
    provisionalTotal: (count, one) =>
      one
        ? "1 record has a time that is not certain: it counts, but may be of another day, because the gateway's clock was not set."
        : `${count} records have a time that is not certain: they count, but may be of another day, because the gateway's clock was not set.`,
    gap: (line, from, to, sales) =>
      sales === null
        ? `Between ${from} and ${to} line ${line} was not watched: sales in that time are unknown.`
        : `Between ${from} and ${to} signals of line ${line} were lost: ${sales === 1 ? "1 sale has no record" : `${sales} sales have no record`}.`,
    others: (sales, revenue) =>
      `Listed are the 2,000 rooms that sold last; the others add up to ${sales} sales and ${revenue}, which the total includes.`,
    clean: "Nothing to report: no signal is missing, no record is void, and every time is certain.",
    made: (moment) => `Made with Flanco: ${moment}`,
    zone: (zone) => `Time zone: ${zone}`,

    none: "There were no sales in this month.",
    noneDetail: "Choose another month or another location.",
    noLocations: "There are no locations yet.",
    noLocationsDetail: "Make the first one in “Locations”; the report follows by itself.",
    failed: "The report could not be read. Check the connection and try again.",
    choicesFailed: "The locations could not be read. Check the connection and try again.",
  },
);
