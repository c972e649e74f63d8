import { bilingual, counted } from "../../domain/language.ts";

export const linesTexts = bilingual({
  title: ["Líneas", "Lines"],
  intro: [
    "Qué entrada eléctrica es cada habitación. Los precios los pone el propietario en «Precios».",
    "Which electrical input is which room. The owner sets the prices under “Prices”.",
  ],

  room: ["Habitación", "Room"],
  line: ["Línea", "Line"],
  level: ["Estado", "State"],
  use: ["Uso", "Use"],
  price: ["Precio", "Price"],
  wiredTitle: ["Conectadas a habitaciones", "Wired to rooms"],
  wiredNone: ["Ninguna línea está conectada a una habitación todavía.", "No line is wired to a room yet."],
  wiredNoneDetail: [
    "Elija una línea libre más abajo y pulse «Conectar».",
    "Choose a free line below and press “Wire”.",
  ],
  chipCount: (lines: string, free: string) => [`Libres: ${free} de ${lines}`, `Free: ${free} of ${lines}`],
  high: ["Activa", "Active"],
  low: ["Inactiva", "Inactive"],
  unknown: ["Sin leer", "Not read"],
  free: ["Libre", "Free"],
  usedBy: (consumer: string) => [`La usa ${consumer}`, `Used by ${consumer}`],
  others: ["De otra cuenta", "Another account's"],
  notWatched: ["No se vigila", "Not watched"],
  roomOf: (room: string, device: string) => [`Habitación ${room} · ${device}`, `Room ${room} · ${device}`],
  connect: ["Conectar", "Wire"],
  connectOf: (line: string) => [`Conectar la línea ${line}`, `Wire line ${line}`],
  changeOf: (line: string) => [`Cambiar la línea ${line}`, `Change line ${line}`],
  disconnectOf: (line: string) => [`Desconectar la línea ${line}`, `Unwire line ${line}`],
  drive: (line: string) => [`Interruptor simulado de ${line}`, `Simulated switch of ${line}`],

  underTest: ["En prueba", "Under test"],

  pricesIntro: [
    "Lo que cuesta cada venta. Un cambio vale para las ventas siguientes, nunca para las anteriores.",
    "What each sale costs. A change holds for the sales after it, and never for those before.",
  ],
  pricesNow: ["Precio de cada habitación", "The price of each room"],
  priceHistory: ["Historial", "History"],
  pricesOf: (room: string) => [
    `Historial de precios de la habitación ${room}`,
    `History of the prices of room ${room}`,
  ],
  pricesNoneDetail: [
    "El precio de una habitación vale desde que se le conecta una línea, en «Líneas».",
    "A room has a price once a line is wired to it, under “Lines”.",
  ],
  prices: ["Cambiar precios", "Change prices"],
  priceOf: (room: string, money: string) => [`${room} (ahora ${money})`, `${room} (now ${money})`],
  pricesSaved: (rooms: string, money: string, since: string) => [
    `${counted(rooms, "habitación cuesta", "habitaciones cuestan")} ${money} ${since}.`,
    `${counted(rooms, "room costs", "rooms cost")} ${money} ${since}.`,
  ],
  /** `before` is the price of all of them, or how many there are. */
  pricesChange: (rooms: string, before: string, money: string, since: string) => [
    `Cambiar ${counted(rooms, "habitación", "habitaciones")}: ${before} → ${money} ${since}`.trimEnd(),
    `Change ${counted(rooms, "room", "rooms")}: ${before} → ${money} ${since}`.trimEnd(),
  ],
  pricesDiffer: (count: string) => [`${count} precios distintos`, `${count} different prices`],
  sinceNow: ["desde ahora", "from now on"],
  sinceDay: (day: string) => [`desde el ${day}`, `from ${day} on`],
  priceFrom: ["Vale desde", "Holds from"],
  priceFromHint: [
    "Vacío: desde ahora. Con una fecha: desde el principio de ese día.",
    "Empty: from now on. With a date: from the beginning of that day.",
  ],
  paid: {
    field: ["Tiempo pagado con cada venta", "Time paid with each sale"],
    hint: [
      "Encender otra vez dentro de este tiempo es la misma venta. Cuenta desde la venta.",
      "To switch on again within this time is the same sale. It counts from the sale.",
    ],
    none: ["Ninguno: cada encendido es una venta", "None: each switching-on is a sale"],
    keep: ["El que tenga cada habitación", "What each room has"],
    days: (count: string) => [`${count} días`, `${count} days`],
  },
  planned: {
    price: (day: string, money: string, rooms: string) => [
      `Desde el ${day}: ${money} en ${counted(rooms, "habitación", "habitaciones")}`,
      `From ${day}: ${money} in ${counted(rooms, "room", "rooms")}`,
    ],
    cancel: ["Anular el cambio", "Cancel the change"],
    cancelTitle: ["¿Anular este cambio de precio?", "Cancel this change of price?"],
    cancelMeaning: [
      "Ese día sigue valiendo el precio que haya entonces.",
      "On that day the price stays as it is then.",
    ],
    cancelled: ["El cambio de precio queda anulado.", "The change of price is cancelled."],
    history: ["Precios de esta habitación", "Prices of this room"],
    from: (moment: string) => [`Desde ${moment}`, `From ${moment}`],
    coming: ["previsto", "planned"],
  },
  priceDoubts: {
    odd: (money: string) => [
      `${money}: ¿seguro? Es muy distinto de los demás precios.`,
      `${money}: are you sure? It is very different from the other prices.`,
    ],
    free: (money: string) => [
      `${money}: ¿seguro? Estas ventas no sumarían nada.`,
      `${money}: are you sure? These sales would add nothing.`,
    ],
    grouped: (money: string) => [
      `${money}: ¿seguro? Tras el punto o la coma van los decimales.`,
      `${money}: are you sure? What follows the point or comma are decimals.`,
    ],
  },

  wireTitle: (line: string) => [`Conectar ${line}`, `Wire ${line}`],
  wireChangeTitle: (line: string) => [`Cambiar ${line}`, `Change ${line}`],
  roomChoose: ["Elija una habitación", "Choose a room"],
  noDevices: [
    "Todavía no hay dispositivos. Cree el primero en «Lugares» y vuelva.",
    "There are no devices yet. Make the first one in “Locations”, and come back.",
  ],
  noRoomsLeft: [
    "Todas las habitaciones tienen ya su línea. Cree otro dispositivo en «Lugares» o desconecte una línea.",
    "Every room has its line already. Make another device in “Locations”, or unwire a line.",
  ],
  priceField: ["Precio de cada venta", "Price of each sale"],
  priceOfOwner: [
    "El precio lo pone el propietario de la cuenta. Hasta entonces vale el más habitual.",
    "The account's owner sets the price. Until then the most common one applies.",
  ],
  priceHint: (currency: string) => [
    `En ${currency}. Se aplica a las ventas desde ahora.`,
    `In ${currency}. It holds for sales from now on.`,
  ],
  more: ["Ajustes eléctricos", "Electrical settings"],
  activeLow: [
    "Invertida: encendida cuando la señal está a nivel bajo",
    "Inverted: on while the signal is low",
  ],
  bias: ["Resistencia interna", "Internal resistor"],
  biases: {
    "as-is": ["Como esté (lo normal)", "As it is (the usual)"],
    disabled: ["Ninguna", "None"],
    "pull-up": ["A positivo (pull-up)", "To positive (pull-up)"],
    "pull-down": ["A masa (pull-down)", "To ground (pull-down)"],
  },
  debounce: ["Antirrebote (ms)", "Debounce (ms)"],
  debounceHint: [
    "Un cambio más corto no cuenta. Lo normal: 50.",
    "A shorter change does not count. Usually 50.",
  ],
  rearm: [
    "Contar como la misma venta si se reenciende antes de (ms)",
    "Count as the same sale if on again within (ms)",
  ],
  rearmHint: [
    "Si se apaga y se enciende de nuevo dentro de este tiempo, es la misma venta. Lo normal: 0.",
    "Switched off and on again within this time, it is the same sale. Usually 0.",
  ],
  saved: (line: string, room: string) => [
    `La línea ${line} queda asignada a la habitación ${room}.`,
    `Line ${line} is room ${room} from now on.`,
  ],

  disconnectTitle: (line: string, room: string) => [
    `¿Desconectar ${line} de la habitación ${room}?`,
    `Unwire ${line} from room ${room}?`,
  ],
  disconnectKept: ["Sus registros de ventas se conservan todos.", "All its records of sales are kept."],
  disconnectStops: [
    "Las ventas de esta habitación dejan de registrarse hasta que le conecte otra línea.",
    "Sales of this room are not recorded any more, until you wire another line to it.",
  ],
  disconnected: (line: string) => [`La línea ${line} queda libre.`, `Line ${line} is free.`],

  none: ["No se ha encontrado ninguna línea.", "No line was found."],
  noneDetail: [
    "Este equipo no tiene entradas que se puedan leer, o la configuración dice que no se lean.",
    "This gateway has no inputs that can be read, or its configuration says not to read them.",
  ],
  mistakes: {
    room: ["Elija una habitación.", "Choose a room."],
    price: [
      "Escriba un precio, como 3,50 o 1234,50, sin puntos de millares.",
      "Write a price, like 3.50 or 1234.50, without commas for thousands.",
    ],
    highPrice: ["Escriba un precio de hasta 10.000.000.", "Write a price of up to 10,000,000."],
    from: [
      "Elija un día que aún no haya empezado, o deje la fecha vacía.",
      "Choose a day that has not begun yet, or leave the date empty.",
    ],
    debounce: ["Escriba un número entero de 0 a 60.000.", "Write a whole number from 0 to 60,000."],
    rearm: ["Escriba un número entero de 0 a 86.400.000.", "Write a whole number from 0 to 86,400,000."],
    taken: [
      "La línea o la habitación ya están en uso. Cierre y mire la lista de nuevo.",
      "The line or the room is in use already. Close this and look at the list again.",
    ],
    gone: [
      "La línea o la habitación ya no existen. Cierre y mire la lista de nuevo.",
      "The line or the room is not there any more. Close this and look at the list again.",
    ],
    unavailable: [
      "El equipo no puede leer esta línea ahora. Compruebe el cableado y los permisos y reintente.",
      "The gateway cannot read this line right now. Check the wiring and the permissions, and try again.",
    ],
  },
});
