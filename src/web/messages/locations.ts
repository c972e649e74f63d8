import { bilingual, counted } from "../../domain/language.ts";

export const locationsTexts = bilingual({
  title: ["Lugares y dispositivos", "Locations and devices"],
  companyIntro: [
    "Los lugares de todas las clínicas que han vendido algo, con sus dispositivos.",
    "The locations of all clinics that have sold anything, with their devices.",
  ],
  intro: [
    "Un lugar es una clínica o un edificio. Un dispositivo es una caja de relés en él, con sus habitaciones.",
    "A location is a clinic or a building. A device is a box of relays in it, with its rooms.",
  ],
  addLocation: ["Añadir lugar", "Add location"],
  addDevice: ["Añadir dispositivo", "Add device"],
  addDeviceAt: (location: string) => [`Añadir dispositivo en ${location}`, `Add device at ${location}`],
  changeOf: (name: string) => [`Cambiar ${name}`, `Change ${name}`],
  removeOf: (name: string) => [`Borrar ${name}`, `Delete ${name}`],
  elsewhere: ["Sin lugar conocido", "Location not known"],
  elsewhereDetail: [
    "Su lugar se borró o lo creó otro programa. Use «Cambiar» para darles uno.",
    "Their location was deleted, or another program made it. “Change” gives them one.",
  ],
  rooms: (count: string) => [counted(count, "habitación", "habitaciones"), counted(count, "room", "rooms")],
  device: ["Dispositivo", "Device"],
  shortNumber: ["N.º", "No."],
  noDevices: ["Aquí no hay dispositivos todavía.", "There are no devices here yet."],
  none: ["Todavía no hay ningún lugar.", "There are no locations yet."],
  noneDetail: [
    "Empiece por uno: el nombre de la clínica o del edificio.",
    "Begin with one: the name of the clinic or the building.",
  ],

  name: ["Nombre", "Name"],
  locationNameHint: ["Por ejemplo: Clínica Norte", "For example: North Clinic"],
  description: ["Descripción (opcional)", "Description (optional)"],
  locationTitle: ["Lugar nuevo", "New location"],
  locationChangeTitle: ["Cambiar el lugar", "Change the location"],
  deviceTitle: ["Dispositivo nuevo", "New device"],
  deviceChangeTitle: ["Cambiar el dispositivo", "Change the device"],
  deviceName: ["Nombre", "Name"],
  deviceNameHint: ["Por ejemplo: Pasillo A", "For example: Corridor A"],
  dId: ["Número del dispositivo", "Number of the device"],
  dIdHint: [
    "El que lleva en la caja, por ejemplo 7234. No puede repetirse ni cambiarse después.",
    "The one on the box, 7234 for example. It must be unique, and cannot be changed later.",
  ],
  location: ["Lugar", "Location"],
  roomsLegend: ["Habitaciones", "Rooms"],
  byRange: ["Consecutivas", "In a row"],
  byList: ["Lista", "List"],
  first: ["Primera", "First"],
  count: ["Cuántas", "How many"],
  list: ["Habitaciones, separadas por comas", "Rooms, with commas between"],
  listHint: ["Por ejemplo: 101, 102, 105", "For example: 101, 102, 105"],
  preview: (rooms: string, count: string) => [
    `${count === "1" ? "Será" : "Serán"} ${counted(count, "habitación", "habitaciones")}: ${rooms}`,
    `${counted(count, "room", "rooms")}: ${rooms}`,
  ],
  listChangeHint: [
    "Añada, quite, ordene o cambie nombres: se muestran en este orden.",
    "Add, remove, reorder or rename them: they show in this order.",
  ],
  otherNames: (rooms: string) => [`Nombres que cambian: ${rooms}`, `Names that change: ${rooms}`],
  areSame: ["¿Son las mismas habitaciones?", "Are they the same rooms?"],
  sameRooms: ["Las mismas, con otro nombre", "The same, under another name"],
  otherRooms: ["Otras habitaciones", "Other rooms"],
  sameRoomsDetail: [
    "Conservan su línea, su precio y sus ventas. Los registros ya hechos muestran el nombre que tenían.",
    "They keep their line, their price and their sales. Records made until now show the name that they had.",
  ],
  roomsRemoved: (rooms: string) => [`Se quitan: ${rooms}`, `To be removed: ${rooms}`],
  roomsRemovedDetail: [
    "Su línea queda libre y dejan de registrar ventas. Sus registros se conservan, y vuelven a ser suyos si las añade otra vez con el mismo nombre.",
    "Their lines become free and they record no more sales. Their records are kept, and are theirs again if you add them under the same name.",
  ],
  create: ["Crear", "Make"],

  savedLocation: (name: string) => [`Lugar guardado: ${name}.`, `Location saved: ${name}.`],
  savedDevice: (name: string) => [`Dispositivo guardado: ${name}.`, `Device saved: ${name}.`],
  removed: (name: string) => [`Borrado: ${name}.`, `Deleted: ${name}.`],
  oldNames: [
    "Los registros hechos hasta ahora conservan el nombre que tenían.",
    "Records made until now keep the name that they had.",
  ],

  removeLocationTitle: (name: string) => [`¿Borrar el lugar ${name}?`, `Delete the location ${name}?`],
  removeLocationKept: [
    "Sus registros de ventas se conservan todos, con este nombre.",
    "All its records of sales are kept, with this name.",
  ],
  removeLocationDevices: (count: string) =>
    count === "1"
      ? [
          "Su dispositivo no se borra: sigue registrando ventas, sin lugar conocido hasta que le dé otro.",
          "Its device is not deleted: it goes on recording sales, without a known location until you give it one.",
        ]
      : [
          `Sus ${count} dispositivos no se borran: siguen registrando ventas, sin lugar conocido hasta que les dé otro.`,
          `Its ${count} devices are not deleted: they go on recording sales, without a known location until you give them one.`,
        ],
  removeDeviceTitle: (name: string) => [`¿Borrar el dispositivo ${name}?`, `Delete the device ${name}?`],
  removeDeviceKept: ["Sus registros de ventas se conservan todos.", "All its records of sales are kept."],
  removeDeviceStops: [
    "Deja de registrar ventas: sus líneas se desconectan de las habitaciones y quedan libres.",
    "It stops recording sales: its lines are unwired from the rooms and become free.",
  ],
  removeDeviceRooms: (rooms: string) => [
    `Sus habitaciones (${rooms}) desaparecen de «Habitaciones».`,
    `Its rooms (${rooms}) disappear from “Rooms”.`,
  ],
  removeForGood: ["No se puede deshacer.", "This cannot be undone."],

  mistakes: {
    longDescription: ["Escriba hasta 2.000 caracteres.", "Write up to 2,000 characters."],
    taken: (dId: string) => [
      `Ya tiene un dispositivo con el número ${dId}. Ponga otro.`,
      `You have a device with the number ${dId} already. Choose another.`,
    ],
    noRooms: ["Indique al menos una habitación.", "Name at least one room."],
    noCount: ["Indique cuántas, de 1 a 64.", "Say how many, from 1 to 64."],
    manyRooms: (count: string) => [
      `Son ${count} habitaciones. Un dispositivo lleva como mucho 64: reparta el resto en otro.`,
      `These are ${count} rooms. A device takes 64 at most: put the rest in another.`,
    ],
    twice: (room: string) => [
      `La habitación ${room} está dos veces. Quite una.`,
      `Room ${room} is there twice. Remove one.`,
    ],
    noNumber: [
      "La primera tiene que acabar en un número, como 101. Si no, use una lista.",
      "The first must end in a number, like 101. Otherwise use a list.",
    ],
    noLocation: ["Elija un lugar.", "Choose a location."],
    notRenamed: [
      "El nombre decide qué registros son de este lugar: lo cambia quien ve todos los lugares.",
      "The name decides which records are this location's: it is changed by those who see all locations.",
    ],
    gone: [
      "Ya no existe: alguien lo ha borrado. Cierre y mire la lista de nuevo.",
      "It is not there any more: somebody has deleted it. Close this and look at the list again.",
    ],
  },
});
