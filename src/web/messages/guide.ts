import { bilingual, counted } from "../../domain/language.ts";

export const guideTexts = bilingual({
  title: ["Primeros pasos", "First steps"],
  intro: [
    "Paso a paso, hasta que las ventas de sus habitaciones se registren solas.",
    "Step by step, until your rooms' sales are recorded by themselves.",
  ],
  later: ["Dejarlo para más tarde", "Leave it for later"],
  steps: {
    location: ["Lugar", "Location"],
    device: ["Dispositivo", "Device"],
    lines: ["Líneas", "Lines"],
    done: ["Listo", "Done"],
  },
  stepDone: ["hecho", "done"],
  next: ["Seguir", "Continue"],

  location: {
    title: ["¿Dónde están las habitaciones?", "Where are the rooms?"],
    detail: [
      "El nombre del hospital, la clínica o la residencia. Saldrá así en los informes.",
      "The name of the hospital, the clinic or the home. Reports will show it like this.",
    ],
  },
  device: {
    title: ["Su primer dispositivo", "Your first device"],
    another: ["Otro dispositivo", "Another device"],
    detail: [
      "Es la caja de relés de un pasillo. Cada relé es una habitación.",
      "It is the box of relays of a corridor. Each relay is one room.",
    ],
  },
  lines: {
    title: ["¿Qué línea es cada habitación?", "Which line is which room?"],
    detail: [
      "Las habitaciones reciben en orden las líneas libres. La puesta en marcha dice después si alguna está cambiada, y la corrige; y todo se puede hacer más tarde en Líneas.",
      "The rooms get the free lines in order. The commissioning tells afterwards whether some are swapped, and mends that; and all of it can be done later under Lines.",
    ],
    priceHint: (currency: string) => [
      `En ${currency}. El mismo para todas estas habitaciones.`,
      `In ${currency}. The same for all of these rooms.`,
    ],
    refused: [
      "Una línea no se ha podido conectar. Siga sin ella, y conéctela después en Líneas.",
      "One line could not be wired. Go on without it, and wire it later under Lines.",
    ],
    noLines: ["Este equipo no tiene líneas libres", "This gateway has no free lines"],
    noLinesDetail: [
      "Su técnico puede conectarlas más tarde en Líneas.",
      "Your technician can wire them later under Lines.",
    ],
    connect: (lines: string) => [
      `Conectar ${counted(lines, "línea", "líneas")} en orden`,
      `Wire ${counted(lines, "line", "lines")} in order`,
    ],
    skip: ["Seguir sin líneas", "Go on without lines"],
  },
  done: {
    title: ["Todo listo", "All set"],
    titleUnwired: ["Faltan líneas por conectar", "Lines are still to be wired"],
    rooms: (count: string) => [
      `Ya tiene ${counted(count, "habitación dada", "habitaciones dadas")} de alta.`,
      `You have ${counted(count, "room", "rooms")}.`,
    ],
    wired: (count: string) => [
      `${counted(count, "tiene", "tienen")} línea: sus ventas se registran.`,
      `${counted(count, "has a line: its", "have a line: their")} sales are recorded.`,
    ],
    unwired: (count: string) => [
      `${counted(count, "espera", "esperan")} todavía su línea.`,
      `${counted(count, "is still waiting for its", "are still waiting for their")} line.`,
    ],
    left: (count: string) => [
      `${counted(count, "queda", "quedan")} sin línea a propósito.`,
      `${counted(count, "has", "have")} no line on purpose.`,
    ],
    leave: (count: number) =>
      count === 1
        ? ["Dejarla sin línea", "Leave it without a line"]
        : ["Dejarlas sin línea", "Leave them without a line"],
    simulated: [
      "Son habitaciones simuladas, para que vea cómo funciona. Nada de esto es real.",
      "These rooms are simulated, to show you how it works. None of this is real.",
    ],
    toRooms: ["Ver las habitaciones", "See the rooms"],
    toPanel: ["Ir al panel", "Go to the overview"],
    more: ["Añadir otro dispositivo", "Add another device"],
    toLines: ["Conectar líneas", "Wire lines"],
  },
});
