import { bilingual } from "../../domain/language.ts";

export const frameTexts = bilingual(
  {
    appName: "Flanco",
    tagline: "Las ventas de cada habitación, en directo.",
    switchLanguage: "English",
    signOut: "Salir",
    self: (name: string) => `${name}: mi cuenta`,
    selfShort: "Mi cuenta",
    skipToContent: "Ir al contenido",

    nav: {
      label: "Secciones",
      home: "Flanco: ir al panel",
      panel: "Panel",
      clinics: "Clínicas",
      rooms: "Habitaciones",
      records: "Registros",
      report: "Informe",
      locations: "Lugares",
      lines: "Líneas",
      commission: "Puesta en marcha",
      state: "Estado",
      people: "Personas",
      more: "Más",
      marked: "necesita atención",
    },

    live: {
      connecting: "Conectando…",
      live: "En directo",
      lost: "Sin conexión",
      lostDetail: "Se ha perdido la conexión en directo. Lo que ve puede no estar al día. Reconectando…",
      noAnswer:
        "La base de datos de la empresa no responde. Se reintenta cada minuto; lo que ve puede no estar al día.",
      unreachable: "No se puede conectar con el equipo. Compruebe la red; se reintenta cada pocos segundos.",
    },

    otherZone: (zone: string) =>
      `Todas las horas son las de la clínica (${zone}), no las de este dispositivo.`,
    companyZone: (zone: string) =>
      `Todas las horas son las de la empresa (${zone}), no las de este dispositivo.`,
    simulated: {
      title: "Simulado",
      detail: "Nada de esto es real",
      why: ": ningún relé está conectado y las ventas son inventadas",
    },

    tests: {
      title: (count: number, lines: string, until: string) =>
        count === 1 ? `1 línea en prueba hasta ${until}.` : `${lines} líneas en prueba hasta ${until}.`,
      detail: (rooms: string) => `No se cuentan ventas de: ${rooms}.`,
      end: "Terminar",
    },
    news: {
      sale: (room: string, valor: string) => `Venta: habitación ${room}, ${valor}.`,
      off: (room: string) => `Habitación ${room} apagada.`,
      many: (sales: number, off: number) =>
        `${sales === 1 ? "1 venta nueva" : `${sales} ventas nuevas`}; ${off === 1 ? "1 habitación apagada" : `${off} habitaciones apagadas`}.`,
      lost: "Conexión en directo perdida.",
      live: "Conexión en directo recuperada.",
    },
    viewFailed: "No se ha podido cargar esta parte de la página. Vuelva a intentarlo.",
    unknownPage: {
      title: "Esta página no existe",
      home: "Ir al inicio",
    },
  },
  {
    appName: "Flanco",
    tagline: "Every room's sales, live.",
    switchLanguage: "Español",
    signOut: "Sign out",
    self: (name) => `${name}: my account`,
    selfShort: "My account",
    skipToContent: "Skip to content",

    nav: {
      label: "Sections",
      home: "Flanco: go to the overview",
      panel: "Overview",
      clinics: "Clinics",
      rooms: "Rooms",
      records: "Records",
      report: "Report",
      locations: "Locations",
      lines: "Lines",
      commission: "Commissioning",
      state: "Status",
      people: "People",
      more: "More",
      marked: "needs attention",
    },

    live: {
      connecting: "Connecting…",
      live: "Live",
      lost: "Offline",
      lostDetail: "The live connection is lost. What you see may be out of date. Reconnecting…",
      noAnswer:
        "The company's database does not answer. It is tried again every minute; what you see may be out of date.",
      unreachable: "The gateway cannot be reached. Check the network; trying again every few seconds.",
    },

    otherZone: (zone) => `All times are the clinic's (${zone}), not this device's.`,
    companyZone: (zone) => `All times are the company's (${zone}), not this device's.`,
    simulated: {
      title: "Simulated",
      detail: "None of this is real",
      why: ": no relay is connected, and the sales are made up",
    },

    tests: {
      title: (count, lines, until) =>
        count === 1 ? `1 line under test until ${until}.` : `${lines} lines under test until ${until}.`,
      detail: (rooms) => `No sales are counted of: ${rooms}.`,
      end: "End",
    },
    news: {
      sale: (room, valor) => `Sale: room ${room}, ${valor}.`,
      off: (room) => `Room ${room} is off.`,
      many: (sales, off) =>
        `${sales === 1 ? "1 new sale" : `${sales} new sales`}; ${off === 1 ? "1 room switched off" : `${off} rooms switched off`}.`,
      lost: "Live connection lost.",
      live: "Live connection is back.",
    },
    viewFailed: "This part of the page could not be loaded. Try again.",
    unknownPage: {
      title: "This page does not exist",
      home: "Go to the start",
    },
  },
);
