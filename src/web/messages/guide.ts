import { bilingual } from "../../domain/language.ts";

export const guideTexts = bilingual(
  {
    title: "Primeros pasos",
    intro: "Paso a paso, hasta que las ventas de sus habitaciones se registren solas.",
    later: "Dejarlo para más tarde",
    steps: { location: "Lugar", device: "Dispositivo", lines: "Líneas", done: "Listo" },
    stepDone: "hecho",
    next: "Seguir",

    location: {
      title: "¿Dónde están las habitaciones?",
      detail: "El nombre del hospital, la clínica o la residencia. Saldrá así en los informes.",
    },
    device: {
      title: "Su primer dispositivo",
      another: "Otro dispositivo",
      detail: "Es la caja de relés de un pasillo. Cada relé es una habitación.",
    },
    lines: {
      title: "¿Qué línea es cada habitación?",
      detail:
        "El técnico sabe a qué entrada va cada relé. Si no lo tiene a mano, siga: se puede hacer después en Líneas.",
      price: "Precio de una venta",
      priceHint: (currency: string) => `En ${currency}. El mismo para todas estas habitaciones.`,
      badPrice: "Escriba un precio, como 3,50.",
      room: (room: string) => `Habitación ${room}`,
      none: "Sin línea por ahora",
      inOrder: "Asignar en orden",
      clear: "Desmarcar todas",
      twice: "Esta línea está elegida dos veces.",
      refused: "Esta línea no se ha podido conectar. Elija otra o déjela para después.",
      noLines: "Este equipo no tiene líneas libres",
      noLinesDetail: "Su técnico puede conectarlas más tarde en Líneas.",
      connectNone: "Conectar",
      connect: (count: number, text: string) =>
        count === 1 ? "Conectar 1 línea" : `Conectar ${text} líneas`,
      skip: "Seguir sin líneas",
    },
    done: {
      title: "Todo listo",
      titleUnwired: "Faltan líneas por conectar",
      rooms: (count: number, text: string) =>
        count === 1 ? "Ya tiene 1 habitación dada de alta." : `Ya tiene ${text} habitaciones dadas de alta.`,
      wired: (count: number, text: string) =>
        count === 1
          ? "1 tiene línea: sus ventas se registran."
          : `${text} tienen línea: sus ventas se registran.`,
      unwired: (count: number, text: string) =>
        count === 1 ? "1 espera todavía su línea." : `${text} esperan todavía su línea.`,
      left: (count: number, text: string) =>
        count === 1 ? "1 queda sin línea a propósito." : `${text} quedan sin línea a propósito.`,
      leave: (count: number): string => (count === 1 ? "Dejarla sin línea" : "Dejarlas sin línea"),
      simulated: "Son habitaciones simuladas, para que vea cómo funciona. Nada de esto es real.",
      toRooms: "Ver las habitaciones",
      toPanel: "Ir al panel",
      more: "Añadir otro dispositivo",
      toLines: "Conectar líneas",
    },
  },
  {
    title: "First steps",
    intro: "Step by step, until your rooms' sales are recorded by themselves.",
    later: "Leave it for later",
    steps: { location: "Location", device: "Device", lines: "Lines", done: "Done" },
    stepDone: "done",
    next: "Continue",

    location: {
      title: "Where are the rooms?",
      detail: "The name of the hospital, the clinic or the home. Reports will show it like this.",
    },
    device: {
      title: "Your first device",
      another: "Another device",
      detail: "It is the box of relays of a corridor. Each relay is one room.",
    },
    lines: {
      title: "Which line is which room?",
      detail:
        "Your technician knows which input each relay goes to. If you do not have that at hand, go on: it can be done later under Lines.",
      price: "Price of one sale",
      priceHint: (currency) => `In ${currency}. The same for all of these rooms.`,
      badPrice: "Write a price, like 3.50.",
      room: (room) => `Room ${room}`,
      none: "No line for now",
      inOrder: "Assign in order",
      clear: "Clear all",
      twice: "This line is chosen twice.",
      refused: "This line could not be wired. Choose another, or leave it for later.",
      noLines: "This gateway has no free lines",
      noLinesDetail: "Your technician can wire them later under Lines.",
      connectNone: "Wire",
      connect: (count, text) => (count === 1 ? "Wire 1 line" : `Wire ${text} lines`),
      skip: "Go on without lines",
    },
    done: {
      title: "All set",
      titleUnwired: "Lines are still to be wired",
      rooms: (count, text) => (count === 1 ? "You have 1 room." : `You have ${text} rooms.`),
      wired: (count, text) =>
        count === 1
          ? "1 has a line: its sales are recorded."
          : `${text} have a line: their sales are recorded.`,
      unwired: (count, text) =>
        count === 1 ? "1 is still waiting for its line." : `${text} are still waiting for their line.`,
      left: (count, text) => (count === 1 ? "1 has no line on purpose." : `${text} have no line on purpose.`),
      leave: (count) => (count === 1 ? "Leave it without a line" : "Leave them without a line"),
      simulated: "These rooms are simulated, to show you how it works. None of this is real.",
      toRooms: "See the rooms",
      toPanel: "Go to the overview",
      more: "Add another device",
      toLines: "Wire lines",
    },
  },
);
