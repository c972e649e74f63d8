import { bilingual } from "./bilingual.ts";

export const frameTexts = bilingual(
  {
    appName: "Flanco",

    tagline: "Las ventas de cada habitación, en directo.",

    switchLanguage: "English",

    signOut: "Salir",

    loading: "Cargando…",

    skipToContent: "Ir al contenido",

    nav: {
      label: "Secciones",
      home: "Flanco: ir al panel",
      panel: "Panel",
      rooms: "Habitaciones",
      records: "Registros",
      report: "Informe",
      places: "Lugares",
      lines: "Líneas",
      state: "Estado",
      more: "Más",
      marked: "necesita atención",
    },

    live: {
      connecting: "Conectando…",
      live: "En directo",
      lost: "Sin conexión",
      lostDetail: "Se ha perdido la conexión en directo. Lo que ve puede no estar al día. Reconectando…",
      unreachable: "No se puede conectar con el equipo. Compruebe la red; se reintenta cada pocos segundos.",
    },

    simulated: {
      title: "Simulado",
      detail: "Nada de esto es real: ningún relé está conectado y las ventas son inventadas.",
    },

    notices: {
      notWatched: (watched: number, wired: number) =>
        wired === 1
          ? "La única línea conectada no se está vigilando: sus ventas no se registran."
          : `Se vigilan ${watched} de ${wired} líneas. Las ventas de las demás no se registran.`,
      tellTechnician: "Avise a su técnico y dígale esto:",
      noLines: "Este equipo no vigila ninguna línea: solo se ven las ventas que envían otros.",
      gaps: (count: number) =>
        count === 1
          ? "Hubo un momento en que pudieron perderse ventas."
          : `Hubo ${count} momentos en que pudieron perderse ventas.`,
      lost: (line: string, from: string, to: string, sales: number) =>
        `El último, en la línea ${line}, entre ${from} y ${to}: ${sales === 1 ? "1 venta sin registrar" : `${sales} ventas sin registrar`}.`,
    },

    news: {
      sale: (room: string, valor: string) => `Venta: habitación ${room}, ${valor}.`,
      off: (room: string) => `Habitación ${room} apagada.`,
      many: (sales: number, off: number) =>
        `${sales === 1 ? "1 venta nueva" : `${sales} ventas nuevas`}; ${off === 1 ? "1 habitación apagada" : `${off} habitaciones apagadas`}.`,
      lost: "Conexión en directo perdida.",
      live: "Conexión en directo recuperada.",
    },

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

    loading: "Loading…",

    skipToContent: "Skip to content",

    nav: {
      label: "Sections",
      home: "Flanco: go to the overview",
      panel: "Overview",
      rooms: "Rooms",
      records: "Records",
      report: "Report",
      places: "Places",
      lines: "Lines",
      state: "State",
      more: "More",
      marked: "needs attention",
    },

    live: {
      connecting: "Connecting…",
      live: "Live",
      lost: "Offline",
      lostDetail: "The live connection is lost. What you see may be out of date. Reconnecting…",
      unreachable: "The gateway cannot be reached. Check the network; trying again every few seconds.",
    },

    simulated: {
      title: "Simulated",
      detail: "None of this is real: no relay is connected, and the sales are made up.",
    },

    notices: {
      notWatched: (watched, wired) =>
        wired === 1
          ? "The only wired line is not being watched: its sales are not recorded."
          : `${watched} of ${wired} lines are being watched. Sales on the others are not recorded.`,
      tellTechnician: "Call your technician and say this:",
      noLines: "This gateway watches no lines: only sales that others send are shown.",
      gaps: (count) =>
        count === 1
          ? "There was a moment in which sales may have been lost."
          : `There were ${count} moments in which sales may have been lost.`,
      lost: (line, from, to, sales) =>
        `The latest, on line ${line}, between ${from} and ${to}: ${sales === 1 ? "1 sale without a record" : `${sales} sales without a record`}.`,
    },

    news: {
      sale: (room, valor) => `Sale: room ${room}, ${valor}.`,
      off: (room) => `Room ${room} is off.`,
      many: (sales, off) =>
        `${sales === 1 ? "1 new sale" : `${sales} new sales`}; ${off === 1 ? "1 room switched off" : `${off} rooms switched off`}.`,
      lost: "Live connection lost.",
      live: "Live connection is back.",
    },

    unknownPage: {
      title: "This page does not exist",
      home: "Go to the start",
    },
  },
);
