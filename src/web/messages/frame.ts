import { bilingual, counted } from "../../domain/language.ts";

export const frameTexts = bilingual({
  appName: ["Flanco", "Flanco"],
  tagline: ["Las ventas de cada habitación, en directo.", "Every room's sales, live."],
  switchLanguage: ["English", "Español"],
  signOut: ["Salir", "Sign out"],
  self: (name: string) => [`${name}: mi cuenta`, `${name}: my account`],
  selfShort: ["Mi cuenta", "My account"],
  skipToContent: ["Ir al contenido", "Skip to content"],

  nav: {
    label: ["Secciones", "Sections"],
    home: ["Flanco: ir al panel", "Flanco: go to the overview"],
    panel: ["Panel", "Overview"],
    clinics: ["Clínicas", "Clinics"],
    gateways: ["Equipos", "Gateways"],
    settlements: ["Liquidaciones", "Settlements"],
    rooms: ["Habitaciones", "Rooms"],
    records: ["Registros", "Records"],
    report: ["Informe", "Report"],
    settlement: ["Liquidación", "Settlement"],
    prices: ["Precios", "Prices"],
    locations: ["Lugares", "Locations"],
    lines: ["Líneas", "Lines"],
    commission: ["Puesta en marcha", "Commissioning"],
    notices: ["Avisos", "Notices"],
    state: ["Estado", "Status"],
    people: ["Personas", "People"],
    groups: {
      daily: ["Cada día", "Every day"],
      accounts: ["Cuentas", "Accounts"],
      installation: ["Instalación", "Installation"],
    },
    more: ["Más", "More"],
    marked: ["necesita atención", "needs attention"],
  },

  live: {
    connecting: ["Conectando…", "Connecting…"],
    live: ["En directo", "Live"],
    lost: (since: string) => [
      `Sin conexión en directo. Última noticia: ${since}. Lo que ve puede no estar al día. Reconectando…`,
      `No live connection. Last news: ${since}. What you see may be out of date. Reconnecting…`,
    ],
    noAnswer: [
      "La base de datos de la empresa no responde. Se reintenta cada minuto; lo que ve puede no estar al día.",
      "The company's database does not answer. It is tried again every minute; what you see may be out of date.",
    ],
    unreachable: [
      "No se puede conectar con el equipo. Compruebe la red; se reintenta cada pocos segundos.",
      "The gateway cannot be reached. Check the network; trying again every few seconds.",
    ],
  },

  otherZone: (zone: string) => [
    `Todas las horas son las de ${zone}, no las de este dispositivo.`,
    `All times are those of ${zone}, not this device's.`,
  ],
  simulated: {
    title: ["Simulado", "Simulated"],
    detail: ["Nada de esto es real", "None of this is real"],
    why: [
      ": ningún relé está conectado y las ventas son inventadas",
      ": no relay is connected, and the sales are made up",
    ],
  },

  faults: {
    since: (time: string) => [`Desde ${time}`, `Since ${time}`],
    details: ["Para el técnico", "For the technician"],
    /** Stands for faults that are not shown here. */
    more: (count: number, text: string) =>
      count === 1
        ? ["Ver 1 aviso más", "See 1 more notice"]
        : [`Ver ${text} avisos más`, `See ${text} more notices`],
  },
  tests: {
    title: (lines: string, until: string) => [
      `${counted(lines, "línea", "líneas")} en prueba hasta ${until}.`,
      `${counted(lines, "line", "lines")} under test until ${until}.`,
    ],
    detail: (rooms: string) => [`No se cuentan ventas de: ${rooms}.`, `No sales are counted of: ${rooms}.`],
    end: ["Terminar", "End"],
  },
  news: {
    sale: (room: string, valor: string) => [
      `Venta: habitación ${room}, ${valor}.`,
      `Sale: room ${room}, ${valor}.`,
    ],
    off: (room: string) => [`Habitación ${room} apagada.`, `Room ${room} is off.`],
    many: (sales: string, off: string) => [
      `${counted(sales, "venta nueva", "ventas nuevas")}; ${counted(off, "habitación apagada", "habitaciones apagadas")}.`,
      `${counted(sales, "new sale", "new sales")}; ${counted(off, "room switched off", "rooms switched off")}.`,
    ],
    lost: ["Conexión en directo perdida.", "Live connection lost."],
    live: ["Conexión en directo recuperada.", "Live connection is back."],
  },
  viewFailed: [
    "No se ha podido cargar esta parte de la página. Vuelva a intentarlo.",
    "This part of the page could not be loaded. Try again.",
  ],
  unknownPage: {
    title: ["Esta página no existe", "This page does not exist"],
    home: ["Ir al inicio", "Go to the start"],
  },
});
