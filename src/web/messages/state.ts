import { bilingual, counted } from "../../domain/language.ts";

export const stateTexts = bilingual({
  title: ["Estado del equipo", "Status of the gateway"],
  well: ["Todo va bien", "All is well"],
  wellNow: ["Ahora todo va bien", "All is well now"],
  trouble: (count: string) => [
    `Hay ${counted(count, "cosa", "cosas")} que atender`,
    `There ${count === "1" ? "is" : "are"} ${counted(count, "thing", "things")} to see to`,
  ],
  asOf: (time: string) => [`Actualizado a las ${time}`, `Updated at ${time}`],

  guide: ["Guía del técnico", "Technician's guide"],
  guideAddress: ["/help/tecnico.html", "/help/technician.html"],

  today: ["Hoy", "Today"],
  todaySales: (count: string) => [counted(count, "venta", "ventas"), counted(count, "sale", "sales")],

  parts: ["El equipo, parte por parte", "The gateway, part by part"],
  lines: ["Líneas", "Lines"],
  linesWatched: (watched: string, wired: string) => [
    `Se vigilan ${watched} de ${wired}`,
    `${watched} of ${wired} watched`,
  ],
  linesNone: ["No hay líneas conectadas", "No lines are wired"],
  linesNoneDetail: [
    "Solo se guardan las ventas que envían otros programas.",
    "Only sales that other programs send are kept.",
  ],
  lastEdges: ["Último cambio de cada línea", "Last change of each line"],
  line: ["Línea", "Line"],
  room: ["Habitación", "Room"],
  level: ["Estado", "State"],
  lastChange: ["Último cambio", "Last change"],
  never: ["Sin señal todavía", "No signal yet"],

  gaps: ["Interrupciones", "Interruptions"],
  gapsNone: ["Ninguna", "None"],
  gapsNoneDetail: ["No se ha perdido ninguna señal.", "No signal was ever lost."],
  gapsLast: (moment: string) => [`La última: ${moment}`, `The last: ${moment}`],
  gapsCount: (count: string, recent: string) => [
    `Contadas línea por línea: ${count}, de ellas ${recent} en los últimos 30 días.`,
    `Counted line by line: ${count}, ${recent} of them in the last 30 days.`,
  ],

  backup: ["Copia de seguridad", "Backup"],
  backupNone: ["Ninguna todavía", "None yet"],
  backupNoneDetail: [
    "La primera se hace sola en las próximas horas.",
    "The first is made by itself in the next hours.",
  ],
  backupAge: (age: string) => [`Hace ${age}`, `${age} ago`],
  backupAgeUnknown: ["No se sabe de cuándo", "Its time is unknown"],
  backupOutside: (age: string) => [
    `Fuera de la casa, la última es de hace ${age}.`,
    `Outside of the house the newest is ${age} old.`,
  ],
  backupProved: (moment: string) => [
    `Comprobada entera: no falta ningún registro (${moment}).`,
    `Checked in full: no record is missing (${moment}).`,
  ],

  disk: ["Disco", "Disk"],
  diskFree: (free: string) => [`${free} libres`, `${free} free`],
  diskOf: (total: string) => [`De ${total} en total.`, `Of ${total} in all.`],
  diskSpeed: (ms: string) => [
    `De cada 100 escrituras, 99 tardan como mucho ${ms} ms.`,
    `Of 100 writes 99 take at most ${ms} ms.`,
  ],
  machine: ["Equipo", "Gateway"],
  machineFine: ["Bien", "Fine"],
  machineAttention: ["Necesita atención", "Needs attention"],
  temperature: (celsius: string) => [`Temperatura: ${celsius}\u00a0°C.`, `Temperature: ${celsius}\u00a0°C.`],
  memory: (free: string, total: string) => [
    `Memoria: ${free} libres de ${total}.`,
    `Memory: ${free} free of ${total}.`,
  ],
  voltage: (isLow: boolean) =>
    isLow
      ? ["Alimentación: tensión baja.", "Power: low voltage."]
      : ["Alimentación: correcta.", "Power: fine."],
  fileSystem: (errors: string) =>
    errors === "0"
      ? ["Tarjeta o disco: sin errores.", "Card or disk: no errors."]
      : [`Errores de la tarjeta o del disco: ${errors}.`, `Errors of the card or disk: ${errors}.`],
  announced: (name: string) => [`Nombre en la red: ${name}.`, `Name on the network: ${name}.`],
  unannounced: [
    "Nadie anuncia su nombre en la red: se llega a él por su dirección (avahi-daemon lo anuncia).",
    "Its name is not announced on the network: its address leads to it (avahi-daemon announces it).",
  ],
  diskLedger: (size: string) => [`Los registros ocupan ${size}.`, `The records take ${size}.`],
  diskUnknown: ["Sin leer todavía", "Not read yet"],
  card: ["Tarjeta", "Card"],
  cardUsed: (percent: string) => [`${percent} de su vida gastada`, `${percent} of its life used`],
  cardBeyond: ["Ha pasado su vida útil", "It is beyond its life"],
  cardSpare: {
    normal: ["Bloques de reserva: bien", "Spare blocks: fine"],
    warning: ["Bloques de reserva: quedan pocos", "Spare blocks: few are left"],
    urgent: ["Bloques de reserva: casi agotados", "Spare blocks: almost used up"],
  },
  cardUnknown: ["Esta tarjeta no dice cuánto está gastada.", "This card does not tell how worn it is."],

  clock: ["Reloj", "Clock"],
  clockTrusted: ["En hora", "Right"],
  clockTrustedSince: (moment: string) => [
    `En hora, por la red o por su reloj con pila, desde el ${moment}.`,
    `Right, by the network or its clock chip, since ${moment}.`,
  ],
  clockTrustedBySetting: [
    "Nadie lo comprueba: el ajuste «clock_trust» dice que va bien.",
    "Nobody checks it: the setting “clock_trust” says that it is right.",
  ],
  clockUntrusted: ["Sin poner en hora", "Not set"],
  clockUntrustedDetail: [
    "Las ventas se guardan con hora provisional y se corrigen solas cuando la red dé la hora.",
    "Sales are kept with a provisional time, which is put right once the network gives the time.",
  ],
  clockZone: (zone: string) => [`Zona horaria: ${zone}`, `Time zone: ${zone}`],
  clockWaiting: (count: string) => [
    `${counted(count, "registro espera", "registros esperan")} su hora.`,
    `${counted(count, "record waits for its", "records wait for their")} time.`,
  ],
  clockUnplaced: (count: string) => [
    `De ${counted(count, "registro antiguo", "registros antiguos")} no se sabe la hora exacta.`,
    `The exact time of ${counted(count, "old record", "old records")} is unknown.`,
  ],

  work: ["Pendiente de guardar", "Waiting to be kept"],
  workNone: ["Nada en espera", "Nothing waits"],
  workNoneDetail: ["Cada venta se guarda en cuanto llega.", "Each sale is kept the moment it comes."],
  workKeepsUp: ["Sin retraso", "Keeping up"],
  workBehind: ["Con retraso", "Running behind"],
  workWaiting: (count: string) => [`${count} en espera`, `${count} waiting`],
  workEdges: (count: string, limit: string) => [
    `Señales por guardar: ${count} (caben ${limit}).`,
    `Signals to be kept: ${count} (room for ${limit}).`,
  ],
  workWrites: (count: string, limit: string) => [
    `Cambios por guardar: ${count} (caben ${limit}).`,
    `Changes to be kept: ${count} (room for ${limit}).`,
  ],

  program: ["Programa", "Program"],
  version: (version: string) => [`Flanco ${version}`, `Flanco ${version}`],
  uptime: (duration: string) => [`En marcha desde hace ${duration}`, `Running for ${duration}`],
  driver: (driver: string) => [`Lectura de líneas: ${driver}`, `Lines read by: ${driver}`],
  others: ["Otros equipos aquí", "Other gateways here"],
  othersDetail: [
    "Se anuncian ellos mismos en la red local. Cada uno tiene sus ventas y su propia entrada: compruebe el nombre al entrar.",
    "They announce themselves on the local network. Each has its own sales and its own sign-in: check the name when you are in.",
  ],
  newer: (version: string) => [
    `Hay una versión más nueva: ${version}.`,
    `There is a newer version: ${version}.`,
  ],
  newerOnDisk: ["Está en el disco extraíble:", "It is on the removable disk:"],
  newerInApt: [
    "Está en la fuente de paquetes configurada (apt).",
    "It is in the configured source of packages (apt).",
  ],
  newerUnchecked: [
    "Nadie la ha comprobado todavía: compruebe antes su suma y su firma.",
    "It is not checked yet: check its sum and its signature first.",
  ],
  newerCheckedByApt: [
    "Al instalarla, apt comprueba la firma de la fuente.",
    "When it is installed, apt checks the source's signature.",
  ],
  newerComes: [
    "Se instala sola en las horas de las actualizaciones.",
    "It is installed by itself, in the hours of the updates.",
  ],
  newerInstall: [
    "Se instala en el equipo, como administrador (root), con:",
    "It is installed on the gateway, as root, by:",
  ],
  drivers: {
    chardev: ["entradas del equipo", "the gateway's inputs"],
    sysfs: [
      "entradas del equipo, modo antiguo: puede perder señales muy rápidas",
      "the gateway's inputs, the old way: very quick signals may be lost",
    ],
    mqtt: [
      "cajas de relés en la red: un mensaje perdido no se ve",
      "relay boxes on the network: a lost message is not seen",
    ],
    simulated: ["simulada", "simulation"],
    none: ["ninguna", "nothing"],
  },
  /** From two on. */
  days: (count: string) => [`${count} días`, `${count} days`],
});
