import { bilingual } from "../../domain/language.ts";

export const stateTexts = bilingual(
  {
    title: "Estado del equipo",
    well: "Todo va bien",
    trouble: (count: number) => (count === 1 ? "Hay 1 cosa que atender" : `Hay ${count} cosas que atender`),
    asOf: (time: string) => `Actualizado a las ${time}`,

    today: "Hoy",
    todaySales: (count: string, one: boolean) => (one ? "1 venta" : `${count} ventas`),

    parts: "El equipo, parte por parte",
    lines: "Líneas",
    linesWatched: (watched: string, wired: string) => `Se vigilan ${watched} de ${wired}`,
    linesNone: "No hay líneas conectadas",
    linesNoneDetail: "Solo se guardan las ventas que envían otros programas.",
    lastEdges: "Último cambio de cada línea",
    line: "Línea",
    room: "Habitación",
    level: "Estado",
    lastChange: "Último cambio",
    never: "Sin señal todavía",

    gaps: "Interrupciones",
    gapsNone: "Ninguna",
    gapsNoneDetail: "No se ha perdido ninguna señal.",
    gapsLast: (moment: string) => `La última: ${moment}`,
    gapsCount: (count: string, recent: string) =>
      `Contadas línea por línea: ${count}, de ellas ${recent} en los últimos 30 días.`,

    backup: "Copia de seguridad",
    backupNone: "Ninguna todavía",
    backupNoneDetail: "La primera se hace sola en las próximas horas.",
    backupAge: (age: string) => `Hace ${age}`,
    backupAgeUnknown: "No se sabe de cuándo",
    backupProved: (moment: string) => `Comprobada entera: no falta ningún registro (${moment}).`,

    disk: "Disco",
    diskFree: (free: string) => `${free} libres`,
    diskOf: (total: string) => `De ${total} en total.`,
    diskSpeed: (ms: string) => `De cada 100 escrituras, 99 tardan como mucho ${ms} ms.`,
    machine: "Equipo",
    machineFine: "Bien",
    machineAttention: "Necesita atención",
    temperature: (celsius: string) => `Temperatura: ${celsius} °C.`,
    memory: (free: string, total: string) => `Memoria: ${free} libres de ${total}.`,
    voltage: (isLow: boolean): string => (isLow ? "Alimentación: tensión baja." : "Alimentación: correcta."),
    fileSystem: (errors: string, isNone: boolean) =>
      isNone ? "Tarjeta o disco: sin errores." : `Tarjeta o disco: ${errors} errores.`,
    announced: (name: string) => `Nombre en la red: ${name}.`,
    unannounced:
      "Nadie anuncia su nombre en la red: se llega a él por su dirección (avahi-daemon lo anuncia).",
    diskLedger: (size: string) => `Los registros ocupan ${size}.`,
    diskUnknown: "Sin leer todavía",
    card: "Tarjeta",
    cardUsed: (percent: string) => `${percent} de su vida gastada`,
    cardBeyond: "Ha pasado su vida útil",
    cardSpare: {
      normal: "Bloques de reserva: bien",
      warning: "Bloques de reserva: quedan pocos",
      urgent: "Bloques de reserva: casi agotados",
    },
    cardUnknown: "Esta tarjeta no dice cuánto está gastada.",

    clock: "Reloj",
    clockTrusted: "En hora",
    clockTrustedSince: (moment: string) => `Sincronizado por la red desde ${moment}.`,
    clockUntrusted: "Sin poner en hora",
    clockUntrustedDetail:
      "Las ventas se guardan con hora provisional y se corrigen solas cuando la red dé la hora.",
    clockZone: (zone: string) => `Zona horaria: ${zone}`,
    clockWaiting: (count: string, one: boolean) =>
      one ? "1 registro espera su hora." : `${count} registros esperan su hora.`,
    clockUnplaced: (count: string, one: boolean) =>
      one
        ? "De 1 registro antiguo no se sabe la hora exacta."
        : `De ${count} registros antiguos no se sabe la hora exacta.`,

    work: "Pendiente de guardar",
    workNone: "Nada en espera",
    workNoneDetail: "Cada venta se guarda en cuanto llega.",
    workWaiting: (count: string) => `${count} en espera`,
    workEdges: (count: string, limit: string) => `Señales por guardar: ${count} (caben ${limit}).`,
    workWrites: (count: string, limit: string) => `Cambios por guardar: ${count} (caben ${limit}).`,

    program: "Programa",
    version: (version: string) => `Flanco ${version}`,
    uptime: (duration: string) => `En marcha desde hace ${duration}`,
    driver: (driver: string) => `Lectura de líneas: ${driver}`,
    others: "Otros equipos aquí",
    othersDetail:
      "Se anuncian ellos mismos en la red local. Cada uno tiene sus ventas y su propia entrada: compruebe el nombre y el color al entrar.",
    move: "Llevar la clínica a otro equipo",
    moveMeans:
      "Con un código, un equipo nuevo se lleva todo lo de este: registros, personas, cableado y certificados. Entréguelo solo a su técnico.",
    moveMake: "Crear un código",
    moveDo: "En el equipo nuevo, como administrador, el técnico escribe:",
    moveCode: (time: string) => `Y este código, que vale una sola vez y hasta las ${time}:`,
    moveAfter:
      "Este equipo sigue registrando. Cuando los relés estén conectados al nuevo, el técnico apaga este para siempre.",
    moveShared: "Varias cuentas comparten este equipo: el técnico crea el código en él, con «flanco move».",
    newer: (version: string) => `Hay una versión más nueva: ${version}.`,
    newerOnDisk: "Está en el disco extraíble:",
    newerInApt: "Está en la fuente de paquetes configurada (apt).",
    newerUnchecked: "Nadie la ha comprobado todavía: compruebe antes su suma y su firma.",
    newerCheckedByApt: "Al instalarla, apt comprueba la firma de la fuente.",
    newerInstall: "Se instala en el equipo, como administrador (root), con:",
    drivers: {
      chardev: "entradas del equipo",
      sysfs: "entradas del equipo, modo antiguo: puede perder señales muy rápidas",
      mqtt: "cajas de relés en la red: un mensaje perdido no se ve",
      simulated: "simulada",
      none: "ninguna",
    },
    /** From two on. */
    days: (count: string) => `${count} días`,
  },
  {
    title: "Status of the gateway",
    well: "All is well",
    trouble: (count) => (count === 1 ? "There is 1 thing to see to" : `There are ${count} things to see to`),
    asOf: (time) => `Updated at ${time}`,

    today: "Today",
    todaySales: (count, one) => (one ? "1 sale" : `${count} sales`),

    parts: "The gateway, part by part",
    lines: "Lines",
    linesWatched: (watched, wired) => `${watched} of ${wired} watched`,
    linesNone: "No lines are wired",
    linesNoneDetail: "Only sales that other programs send are kept.",
    lastEdges: "Last change of each line",
    line: "Line",
    room: "Room",
    level: "Level",
    lastChange: "Last change",
    never: "No signal yet",

    gaps: "Interruptions",
    gapsNone: "None",
    gapsNoneDetail: "No signal was ever lost.",
    gapsLast: (moment) => `The last: ${moment}`,
    gapsCount: (count, recent) => `Counted line by line: ${count}, ${recent} of them in the last 30 days.`,

    backup: "Backup",
    backupNone: "None yet",
    backupNoneDetail: "The first is made by itself in the next hours.",
    backupAge: (age) => `${age} ago`,
    backupAgeUnknown: "Its time is unknown",
    backupProved: (moment) => `Checked in full: no record is missing (${moment}).`,

    disk: "Disk",
    diskFree: (free) => `${free} free`,
    diskOf: (total) => `Of ${total} in all.`,
    diskSpeed: (ms) => `Of 100 writes 99 take at most ${ms} ms.`,
    machine: "Gateway",
    machineFine: "Fine",
    machineAttention: "Needs attention",
    temperature: (celsius) => `Temperature: ${celsius} °C.`,
    memory: (free, total) => `Memory: ${free} free of ${total}.`,
    voltage: (isLow) => (isLow ? "Power: low voltage." : "Power: fine."),
    fileSystem: (errors, isNone) => (isNone ? "Card or disk: no errors." : `Card or disk: ${errors} errors.`),
    announced: (name) => `Name on the network: ${name}.`,
    unannounced:
      "Its name is not announced on the network: its address leads to it (avahi-daemon announces it).",
    diskLedger: (size) => `The records take ${size}.`,
    diskUnknown: "Not read yet",
    card: "Card",
    cardUsed: (percent) => `${percent} of its life used`,
    cardBeyond: "It is beyond its life",
    cardSpare: {
      normal: "Spare blocks: fine",
      warning: "Spare blocks: few are left",
      urgent: "Spare blocks: almost used up",
    },
    cardUnknown: "This card does not tell how worn it is.",

    clock: "Clock",
    clockTrusted: "Right",
    clockTrustedSince: (moment) => `Set by the network since ${moment}.`,
    clockUntrusted: "Not set",
    clockUntrustedDetail:
      "Sales are kept with a provisional time, which is put right once the network gives the time.",
    clockZone: (zone) => `Time zone: ${zone}`,
    clockWaiting: (count, one) =>
      one ? "1 record waits for its time." : `${count} records wait for their time.`,
    clockUnplaced: (count, one) =>
      one
        ? "The exact time of 1 old record is unknown."
        : `The exact time of ${count} old records is unknown.`,

    work: "Waiting to be kept",
    workNone: "Nothing waits",
    workNoneDetail: "Each sale is kept the moment it comes.",
    workWaiting: (count) => `${count} waiting`,
    workEdges: (count, limit) => `Signals to be kept: ${count} (room for ${limit}).`,
    workWrites: (count, limit) => `Changes to be kept: ${count} (room for ${limit}).`,

    program: "Program",
    version: (version) => `Flanco ${version}`,
    uptime: (duration) => `Running for ${duration}`,
    driver: (driver) => `Lines read by: ${driver}`,
    others: "Other gateways here",
    othersDetail:
      "They announce themselves on the local network. Each has its own sales and its own sign-in: check name and colour when you are in.",
    move: "Move the clinic to another gateway",
    moveMeans:
      "With a code a new gateway takes all that this one has: records, people, wiring and certificates. Give it to your technician alone.",
    moveMake: "Make a code",
    moveDo: "On the new gateway, as root, the technician types:",
    moveCode: (time) => `And this code, valid once and until ${time}:`,
    moveAfter:
      "This gateway goes on recording. Once the relays are wired to the new one, the technician switches this one off for good.",
    moveShared:
      "Several accounts share this gateway: the technician makes the code on it, with “flanco move”.",
    newer: (version) => `There is a newer version: ${version}.`,
    newerOnDisk: "It is on the removable disk:",
    newerInApt: "It is in the configured source of packages (apt).",
    newerUnchecked: "It is not checked yet: check its sum and its signature first.",
    newerCheckedByApt: "When it is installed, apt checks the source's signature.",
    newerInstall: "It is installed on the gateway, as root, by:",
    drivers: {
      chardev: "the gateway's inputs",
      sysfs: "the gateway's inputs, the old way: very quick signals may be lost",
      mqtt: "relay boxes on the network: a lost message is not seen",
      simulated: "simulation",
      none: "nothing",
    },
    days: (count) => `${count} days`,
  },
);
