import { bilingual, counted } from "../../domain/language.ts";
import type { Bias } from "../../domain/line.ts";

export const commissionTexts = bilingual({
  title: ["Puesta en marcha", "Commissioning"],
  intro: [
    "Encienda y apague el relé de cada habitación: se ve qué línea se mueve y si está bien.",
    "Switch each room's relay on and off: you see which line moves, and whether it is right.",
  ],

  begin: {
    title: ["Comprobar habitaciones", "Check rooms"],
    how: [
      "Mientras dura, nada de lo que se encienda es una venta. Vaya de habitación en habitación con el teléfono; al final hay un informe para firmar.",
      "While it lasts, nothing that is switched on is a sale. Go from room to room with your phone; at the end there is a report to sign.",
    ],
    for: ["Termina sola en", "It ends by itself in"],
    forHint: [
      "Puede terminarla antes, y seguir después: lo comprobado se guarda.",
      "You can end it before, and go on later: what is checked is kept.",
    ],
    free: (lines: string) => [
      `Mirar también las líneas libres (${lines}), para encontrar cables cambiados`,
      `Look at the free lines too (${lines}), to find swapped wires`,
    ],
    some: ["Solo algunas habitaciones", "Only some rooms"],
    someHint: [
      "Las demás siguen registrando ventas. Sin elegir ninguna se comprueban todas.",
      "The others go on recording sales. With none chosen, all are checked.",
    ],
    action: ["Empezar", "Begin"],
  },
  tested: {
    title: ["Encendidas en prueba", "Switched on under test"],
    intro: [
      "No son ventas: no están en los registros ni en ninguna suma.",
      "These are no sales: they are neither in the records nor in any sum.",
    ],
    time: ["Cuándo", "When"],
  },
  noRooms: ["Todavía no hay habitaciones.", "There are no rooms yet."],
  noRoomsDetail: [
    "Cree el lugar y sus dispositivos, y conecte las líneas. Después vuelva aquí.",
    "Make the location and its devices, and wire the lines. Then come back.",
  ],
  paused: ["La prueba ha terminado sola", "The test has ended by itself"],
  pausedDetail: [
    "Termina a su hora, y cada vez que el equipo se reinicia. Lo comprobado sigue guardado. Desde ahora lo que se encienda vuelve a ser una venta.",
    "It ends after its time, and whenever the gateway restarts. What is checked is kept. From now on, what is switched on is a sale again.",
  ],
  goOn: ["Seguir", "Go on"],

  progress: (done: string, all: string) => [`${done} de ${all} comprobadas`, `${done} of ${all} checked`],
  progressLabel: ["Habitaciones comprobadas", "Rooms checked"],
  until: (time: string) => [`Nada es una venta hasta las ${time}`, `Nothing is a sale until ${time}`],
  now: ["Ahora", "Now"],
  room: (room: string) => [`Habitación ${room}`, `Room ${room}`],
  switchIt: ["Encienda y apague su relé.", "Switch its relay on and off."],
  waiting: ["Esperando a que se mueva…", "Waiting for it to move…"],
  movedSome: ["Se ha movido. Apáguelo también.", "It moved. Switch it off too."],
  allDone: ["Todas las habitaciones están comprobadas", "All rooms are checked"],
  allDoneDetail: [
    "Termine con el informe, que se guarda para siempre y se puede imprimir y firmar.",
    "End with the report, which is kept for ever and can be printed and signed.",
  ],
  said: (room: string, verdict: string, next: string) => [
    `${room}: ${verdict}. Ahora la ${next}.`,
    `${room}: ${verdict}. Now ${next}.`,
  ],
  saidLast: (room: string, verdict: string) => [
    `${room}: ${verdict}. No queda ninguna.`,
    `${room}: ${verdict}. None is left.`,
  ],
  movedOther: (room: string) => [`Se ha movido la ${room}`, `Room ${room} moved`],
  tickOff: (room: string) => [`Dar por comprobada la ${room}`, `Tick off room ${room}`],
  note: ["Observación para el informe (opcional)", "Remark for the report (optional)"],
  ask: (room: string) => [`Elegir la ${room}`, `Choose room ${room}`],
  askShort: ["Elegir", "Choose"],

  verdicts: {
    good: ["bien", "good"],
    chattering: ["rebota", "chatters"],
    silent: ["no se mueve", "does not move"],
    inverted: ["al revés", "inverted"],
    swapped: ["cambiada", "swapped"],
    floating: ["flota", "floats"],
    unwired: ["sin línea", "no line"],
  },
  causes: {
    bounce: [
      "El contacto rebota más tiempo del que admite su antirrebote: una venta contaría dos veces.",
      "The contact bounces longer than its debounce allows: one sale would count twice.",
    ],
    no_signal: [
      "Ninguna línea se ha movido. Lo más probable: un cable cortado, falta la masa común, o el relé no conmuta.",
      "No line moved. Most likely: a cut wire, no common ground, or a relay that does not switch.",
    ],
    no_pull_up: [
      "Ninguna línea se ha movido, y la suya no tiene resistencia a positivo: sin ella no se ve un contacto a masa.",
      "No line moved, and its own has no resistor to positive: without one a contact to ground does not show.",
    ],
    polarity: [
      "La línea está activa con el relé apagado, e inactiva con el relé encendido.",
      "The line is active while the relay is off, and inactive while it is on.",
    ],
    other_line: [
      "Se ha movido otra línea y no la suya: los cables están cambiados.",
      "Another line moved in place of its own: the wires are swapped.",
    ],
    no_bias: [
      "Se mueve sin que nadie la toque: nada mantiene la línea en reposo.",
      "It moves untouched: nothing holds the line at rest.",
    ],
    loose_wire: [
      "Se mueve sin que nadie la toque, aunque tiene resistencia: mire el cable y la masa común.",
      "It moves untouched although it has a resistor: look at the wire and the common ground.",
    ],
    no_line: [
      "No tiene ninguna línea. Encienda su relé y se verá cuál se mueve.",
      "It has no line. Switch its relay, and you see which one moves.",
    ],
  },
  mends: {
    debounce: (ms: string) => [`Poner un antirrebote de ${ms} ms`, `Set a debounce of ${ms} ms`],
    bias: (bias: Bias) => [
      `Poner la resistencia interna ${bias === "pull-up" ? "a positivo" : "a masa"}`,
      `Set the internal resistor ${bias === "pull-up" ? "to positive" : "to ground"}`,
    ],
    polarity: (activeLow: boolean) =>
      activeLow
        ? ["Marcarla como invertida", "Mark it as inverted"]
        : ["Marcarla como no invertida", "Mark it as not inverted"],
    line: (line: string) => [`Darle la línea ${line}`, `Give it the line ${line}`],
  },
  whichRoom: ["¿Dónde está usted?", "Where are you?"],
  iAmAt: (room: string) => [`Estoy en la ${room}`, `I am at room ${room}`],
  iAmAtSwapped: (room: string) => [
    `Estoy en la ${room}: los cables están cambiados`,
    `I am at room ${room}: the wires are swapped`,
  ],
  swapTitle: (room: string, other: string) => [
    `¿Cambiar las líneas de la ${room} y la ${other}?`,
    `Swap the lines of rooms ${room} and ${other}?`,
  ],
  swap: ["Cambiar las líneas", "Swap the lines"],
  swapMeaning: (room: string, line: string, other: string, otherLine: string | undefined) => [
    [
      `Hágalo solo si ha encendido el relé de la ${room}.`,
      `La ${room} recibe la línea ${line}; la ${other} ${otherLine === undefined ? "se queda sin línea" : `recibe la línea ${otherLine}`}.`,
      "Los precios siguen con su habitación.",
    ],
    [
      `Do it only if you switched the relay of room ${room}.`,
      `Room ${room} gets the line ${line}; room ${other} ${otherLine === undefined ? "is left without a line" : `gets the line ${otherLine}`}.`,
      "Prices stay with their rooms.",
    ],
  ],
  bounce: (edges: string, ms: string) => [
    `Rebote medido: hasta ${edges} cambios en ${ms} ms.`,
    `Measured bounce: up to ${edges} changes in ${ms} ms.`,
  ],
  bounceNone: ["Rebote medido: ninguno.", "Measured bounce: none."],
  debounceNow: (ms: string) => [`Antirrebote: ${ms} ms.`, `Debounce: ${ms} ms.`],

  rooms: ["Habitaciones", "Rooms"],
  pending: ["por comprobar", "to be checked"],
  onPurpose: ["sin línea, a propósito", "without a line, on purpose"],

  finish: ["Terminar con informe", "End with a report"],
  finishMeaning: [
    "Las ventas vuelven a contar. El informe se guarda para siempre.",
    "Sales count again. The report is kept for ever.",
  ],
  untestedNow: (rooms: string) => [
    `${rooms === "1" ? "Queda" : "Quedan"} ${counted(rooms, "habitación", "habitaciones")} sin comprobar.`,
    `${counted(rooms, "room is", "rooms are")} not checked yet.`,
  ],
  technician: ["Firma por la instalación", "Signs for the installation"],
  clinic: ["Firma por la clínica", "Signs for the clinic"],
  give: ["Terminar sin informe", "End without a report"],
  giveTitle: ["¿Terminar sin informe?", "End without a report?"],
  giveMeaning: [
    ["Las ventas vuelven a contar.", "Lo que se ha comprobado se olvida."],
    ["Sales count again.", "What was checked is forgotten."],
  ],

  unknown: [
    "Todavía no se sabe nada de esta habitación: encienda y apague su relé.",
    "Nothing is known of this room yet: switch its relay on and off.",
  ],

  reports: ["Informes", "Reports"],
  reportOf: (date: string) => [`Informe del ${date}`, `Report of ${date}`],
  counts: (good: string, rooms: string) => [`${good} de ${rooms} bien`, `${good} of ${rooms} good`],
  back: ["Volver", "Back"],
  print: ["Imprimir o guardar como PDF", "Print or save as PDF"],
  json: ["JSON", "JSON"],
  heading: ["Informe de puesta en marcha", "Commissioning report"],
  number: (number: string) => [`N.º\u00a0${number}`, `No.\u00a0${number}`],
  begun: (moment: string) => [`Empezada: ${moment}`, `Begun: ${moment}`],
  made: (moment: string) => [`Terminada: ${moment}`, `Ended: ${moment}`],
  figures: {
    rooms: ["Habitaciones", "Rooms"],
    good: ["Bien", "Good"],
    attention: ["Con observaciones", "With remarks"],
    untested: ["Sin comprobar", "Not checked"],
  },
  columns: {
    room: ["Habitación", "Room"],
    line: ["Línea", "Line"],
    result: ["Resultado", "Result"],
    bounce: ["Rebote", "Bounce"],
    debounce: ["Antirrebote", "Debounce"],
  },
  edges: (edges: string, ms: string) => [`${edges} cambios en ${ms} ms`, `${edges} changes in ${ms} ms`],
  edgesNone: ["ninguno", "none"],
  ms: (ms: string) => [`${ms} ms`, `${ms} ms`],
  untested: ["sin comprobar", "not checked"],
  gateway: ["El equipo", "The gateway"],
  versions: (flanco: string, node: string, kernel: string) => [
    `Flanco ${flanco}, Node ${node}, Linux ${kernel}.`,
    `Flanco ${flanco}, Node ${node}, Linux ${kernel}.`,
  ],
  lines: (watched: string, wired: string) => [
    `Líneas vigiladas: ${watched} de ${wired}.`,
    `Lines watched: ${watched} of ${wired}.`,
  ],
  simulated: [
    "Las líneas son SIMULADAS: este informe no prueba nada de una instalación.",
    "The lines are SIMULATED: this report proves nothing of an installation.",
  ],
  failed: (line: string) => [`La línea ${line} no se vigila.`, `The line ${line} is not watched.`],
  clock: (moment: string, zone: string, isTrusted: boolean) => [
    `Reloj: ${moment} (${zone}), ${isTrusted ? "en hora" : "sin poner en hora"}.`,
    `Clock: ${moment} (${zone}), ${isTrusted ? "set" : "not set"}.`,
  ],
  backup: (made: string, proved: string) => [
    `Copia de seguridad del ${made}, comprobada entera el ${proved}.`,
    `Backup of ${made}, checked in full on ${proved}.`,
  ],
  noBackup: ["Copia de seguridad: todavía ninguna.", "Backup: none yet."],
  headBefore: ["Huella del libro antes de este informe:", "Fingerprint of the ledger before this report:"],
  seal: ["Huella de este informe en el libro", "Fingerprint of this report in the ledger"],
  sealed: [
    "Huella de este informe en el libro; «flanco verify --head HUELLA» dice si sigue ahí:",
    "Fingerprint of this report in the ledger; “flanco verify --head FINGERPRINT” says whether it is still there:",
  ],
  byWhom: (who: string, from: string) => [`Hecho por ${who} (${from}).`, `Made by ${who} (${from}).`],
});
