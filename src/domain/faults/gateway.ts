import { DAY_MS, MINUTE_MS, SECOND_MS } from "../clock.ts";
import { withHint } from "../error.ts";
import { CLOCK_OFF_MS } from "../gateway.ts";
import type { Queue } from "../line.ts";
import type { Disk, UpdateFailure } from "../status.ts";
import { alarm, counted, grave, iso, megabytes, note, warning } from "./entry.ts";

/** Free space below which a disk is low; of small disks LITTLE_SHARE of their size. */
const LITTLE_BYTES = 256 * 1024 * 1024;
const LITTLE_SHARE = 0.05;
const FREE_STEP_BYTES = 1_000_000;
/** The card reports 90 to 100 % of its life as used. */
const WORN_PERCENT = 100;
/**
 * A queue that is filled beyond this share is a fault. Some filling
 * is normal: the status may be read during a burst.
 */
const FILLING_EDGES_SHARE = 0.1;
const FILLING_WRITES_SHARE = 0.75;
/** A Raspberry Pi slows its processor down from 80 degrees on. */
const HOT_CELSIUS = 80;
/** A sync that takes this long is slow: each post waits for one, and edges wait behind it. */
const SLOW_SYNC_MS = 250;
const LITTLE_MEMORY_SHARE = 0.05;
/** A source of updates is often away for some days. */
const WITHOUT_UPDATES_MS = 14 * DAY_MS;
/** A network is often away for some minutes. */
const FAILING_SINK_MS = 10 * MINUTE_MS;

/** Of the gateway's disk and hardware, and of what it has to do with others: browsers, and the systems that it sends to. */
export const GATEWAY_FAULTS = {
  disk_full: grave("disk", {
    when: "posts are refused, because the disk is full",
    message: () => "The disk is full: posted records are refused, and switchings wait to be recorded.",
    hint: "Free at least 8 MB on the disk of the data directory. Recording goes on by itself; do not delete the ledger's own files.",
    what: [
      "El disco está lleno: no se pueden guardar ventas nuevas.",
      "The disk is full: new sales cannot be stored.",
    ],
    todo: [
      "Avise a su técnico hoy mismo. Los encendidos esperan en memoria mientras quepan.",
      "Call your technician today. Switchings wait in memory as long as there is room.",
    ],
  }),
  disk_low: warning("disk", {
    when: "free space is below 256 MiB (on a small disk: a twentieth), or below the ledger's size, which a backup needs",
    find: ({ disk, lasting }) => {
      if (disk === null || !isLow(disk) || lasting.some(({ code }) => code === "disk_full")) return null;
      // In whole steps, because each record takes some bytes.
      const freeBytes = Math.floor(disk.freeBytes / FREE_STEP_BYTES) * FREE_STEP_BYTES;
      return { freeBytes, totalBytes: disk.totalBytes };
    },
    message: ({ freeBytes, totalBytes }: { freeBytes: number; totalBytes: number }) =>
      `The disk is nearly full: ${megabytes(freeBytes)} MB of ${megabytes(totalBytes)} MB are free.`,
    hint: "Remove what is not needed from the disk of the data directory, or move backups away; delete nothing of the ledger's own files.",
    what: ({ bytes }) => [
      `Queda poco sitio en el disco: ${bytes("freeBytes")} libres.`,
      `The disk is nearly full: ${bytes("freeBytes")} left.`,
    ],
    todo: [
      "Pida a su técnico que libere espacio. Por ahora todo se registra.",
      "Ask your technician to free some space. Everything is still being recorded.",
    ],
  }),
  disk_slow: note("disk", {
    when: "of the newest 100 syncs of the ledger two took 250 ms or more",
    find: ({ machine: { syncMs } }) => (syncMs !== null && syncMs >= SLOW_SYNC_MS ? { syncMs } : null),
    message: ({ syncMs }: { syncMs: number }) =>
      `The disk is slow: one synced write in a hundred takes ${syncMs} ms or more.`,
    hint: "Replace the card by one for continuous recording (High Endurance).",
    what: ({ count }) => [
      `El disco es lento: algunas escrituras tardan ${count("syncMs")} ms o más.`,
      `The disk is slow: some writes take ${count("syncMs")} ms or more.`,
    ],
    todo: [
      "Pida a su técnico una tarjeta para grabación continua (High Endurance). Todo se registra.",
      "Ask your technician for a card for continuous recording (High Endurance). All is recorded.",
    ],
  }),
  queue_filling: warning("disk", {
    when: "1,000 edges or 3,072 writes wait for the disk",
    of: "queue",
    find: ({ queues: { edges, writes } }) => [
      ...fillingOf("edges", edges, FILLING_EDGES_SHARE),
      ...fillingOf("writes", writes, FILLING_WRITES_SHARE),
    ],
    message: ({ queue, waiting, limit }: { queue: "edges" | "writes"; waiting?: number; limit: number }) =>
      `${waiting ?? "Many"} ${queue === "edges" ? "switchings" : "writes"} wait for the disk; there is room for ${limit}.`,
    sales: ["waiting"],
    hint: "The disk is slow, full or failing: look at its free room and at the kernel's log (dmesg). Nothing that waits is lost as long as the service runs.",
    what: ({ some }) => [
      `El equipo va con retraso: ${some("waiting", "anotación espera", "anotaciones esperan", "hay anotaciones que esperan")}.`,
      `The gateway is running behind: ${some("waiting", "entry is", "entries are", "some entries are")} waiting.`,
    ],
    todo: [
      "Suele pasar solo en unos minutos. Si el aviso sigue, llame a su técnico.",
      "This usually passes within minutes. If it stays, call your technician.",
    ],
  }),
  card_worn: alarm("card", {
    when: "the card reports that its life or its spare blocks are nearly used up",
    find: ({ disk }) => {
      const { device = "", lifeUsedPercent = null, spareBlocks = null } = disk?.card ?? {};
      const isSpent = spareBlocks === "warning" || spareBlocks === "urgent";
      if ((lifeUsedPercent ?? 0) < WORN_PERCENT && !isSpent) return null;
      return {
        device,
        ...(lifeUsedPercent !== null && { lifeUsedPercent }),
        ...(spareBlocks !== null && { spareBlocks }),
      };
    },
    message: ({ device }: { device: string; lifeUsedPercent?: number; spareBlocks?: string }) =>
      `The card ${device} is nearly worn out and may soon lose what is written to it.`,
    hint: "Run flanco backup to another disk, then replace the card.",
    what: ["La tarjeta de memoria está desgastada y puede fallar.", "The memory card is worn and may fail."],
    todo: [
      "Pida a su técnico que la cambie por una nueva. Haga antes una copia de seguridad.",
      "Ask your technician to replace it. Make a backup first.",
    ],
  }),
  file_system_errors: alarm("card", {
    when: "the ledger's file system (ext4) has met errors",
    find: ({ machine: { fileSystemErrors: errors } }) =>
      errors === null || errors === 0 ? null : { errors },
    message: ({ errors }: { errors: number }) =>
      `The ledger's file system has met ${counted(errors, "error")}: the card or disk may be failing.`,
    hint: "Run flanco backup to another disk, read the kernel's log (journalctl -k), and replace the card.",
    what: [
      "El disco ha dado errores: la tarjeta puede estar fallando.",
      "The disk has met errors: the card may be failing.",
    ],
    todo: [
      "Avise a su técnico esta semana. Conviene hacer antes una copia de seguridad en otro disco.",
      "Tell your technician this week. Make a backup to another disk first.",
    ],
  }),
  voltage_low: warning("power", {
    when: "a Raspberry Pi reports that its supply's voltage is too low; Debian's kernels, as on the card images, cannot tell",
    find: ({ machine }) => (machine.isVoltageLow === true ? {} : null),
    message: () =>
      "The voltage of the gateway's power supply is too low: it may restart, and its card may be damaged.",
    hint: "Use the power supply that the gateway's maker sells, and a short cable.",
    what: [
      "Al equipo le llega poca corriente y puede reiniciarse.",
      "The gateway gets too little power and may restart.",
    ],
    todo: [
      "Pida a su técnico que cambie el alimentador o el cable. Por ahora todo se registra.",
      "Ask your technician to replace the power supply or its cable. For now everything is recorded.",
    ],
  }),
  too_hot: alarm("temperature", {
    when: "the gateway has 80 °C or more",
    find: ({ machine: { temperature } }) =>
      temperature !== null && temperature >= HOT_CELSIUS ? { temperature } : null,
    message: ({ temperature }: { temperature: number }) =>
      `The gateway has ${temperature} °C: it works more slowly and ages faster.`,
    hint: "Give it air: open the cabinet, keep it away from other warm devices, or add a fan.",
    what: ({ count }) => [
      `El equipo está demasiado caliente: ${count("temperature")}\u00a0°C.`,
      `The gateway is too hot: ${count("temperature")}\u00a0°C.`,
    ],
    todo: [
      "Deje libre el aire a su alrededor. Si mañana sigue este aviso, llame a su técnico.",
      "Give it air. If this is still here tomorrow, call your technician.",
    ],
  }),
  memory_low: warning("memory", {
    when: "less than a twentieth of the memory is available",
    find: ({ machine: { memory } }) =>
      memory !== null && memory.availableBytes < memory.totalBytes * LITTLE_MEMORY_SHARE
        ? { ...memory }
        : null,
    message: ({ availableBytes, totalBytes }: { availableBytes: number; totalBytes: number }) =>
      `The gateway's memory is nearly used up: ${megabytes(availableBytes)} MB of ${megabytes(totalBytes)} MB are available.`,
    hint: "See which program takes it (ps aux --sort=-rss | head): only flanco should run on this gateway.",
    what: ["Al equipo casi no le queda memoria.", "The gateway has almost no memory left."],
    todo: [
      "Pida a su técnico que mire qué otros programas hay en el equipo. Por ahora todo se registra.",
      "Ask your technician which other programs run on it. For now everything is recorded.",
    ],
  }),
  certificate_refused: warning("certificate", {
    when: "a certificate in certificates_dir is unusable; another one is served",
    message: ({ file, reason }: { file: string; reason: string }) =>
      `The certificate ${file} is refused: ${reason}.`,
    hint: "Mend it, or remove its files: they are looked at every 15 seconds. Until then the next good one is served, or the appliance's own.",
    what: [
      "El certificado de su clínica para abrir esta página no es válido.",
      "Your clinic's certificate for opening this page is not valid.",
    ],
    todo: [
      "Puede seguir trabajando, aunque el navegador avise. Pida a su técnico que lea el texto de abajo.",
      "You can go on working, though the browser may warn. Ask your technician to read the text below.",
    ],
  }),
  certificate_ending: alarm("certificate", {
    when: "the served certificate ends within 14 days and has no successor",
    message: ({ file, endsTime }: { file: string; endsTime: number; days: number }) =>
      `The certificate ${file} ends on ${iso(endsTime)}.`,
    hint: "Put the next one in its place. After that the appliance's own is served, and browsers that do not trust it show a warning.",
    what: ({ some }) => [
      `El certificado de su clínica para abrir esta página caduca en ${some("days", "día", "días", "horas")}.`,
      `Your clinic's certificate for opening this page ends in ${some("days", "day", "days", "hours")}.`,
    ],
    todo: [
      "Pida a su técnico que ponga el siguiente. Después el navegador avisará al abrir la página.",
      "Ask your technician to bring the next one. After that the browser will warn when the page is opened.",
    ],
  }),
  authority_replaced: warning("certificate", {
    when: "the appliance made a new authority, within the last week: the one that browsers trusted was damaged, had ended or did not fit the host's name",
    message: () => "Browsers do not trust this gateway any more: its authority had to be made anew.",
    hint: "Have each computer, tablet and phone trust it again: open http:// with the gateway's name and http_port there. flanco tls show has the fingerprint.",
    what: [
      "Los navegadores ya no confían en este equipo: su certificado se tuvo que hacer de nuevo.",
      "Browsers do not trust this gateway any more: its certificate had to be made anew.",
    ],
    todo: [
      "Se registra todo. Pida a su técnico que cada ordenador, tableta y teléfono vuelva a confiar en el equipo.",
      "Everything is being recorded. Ask your technician to have each computer, tablet and phone trust it again.",
    ],
  }),
  sinks_unreadable: warning("sinks", {
    when: "what was set up of sinks cannot be read, or not be taken over from the settings file, since the service was started",
    message: () =>
      "What was set up of sinks cannot be read, or not be taken over from the settings file: they are off. The log says why.",
    hint: "Set them up again on the page, as an owner, or by flanco forward import. What the database and the broker lack is sent then.",
    what: [
      "Algún envío fuera del equipo está apagado: no se puede leer cómo se configuró.",
      "Something is not sent from the gateway: how it was set up cannot be read.",
    ],
    todo: [
      "Se registra todo. Un propietario tiene que volver a configurar los envíos en esta página.",
      "Everything is being recorded. An owner has to set up on this page again where it is sent.",
    ],
  }),
  sink_failing: warning("sinks", {
    when: "a configured sink has been behind for ten minutes, and its last try failed",
    of: "sink",
    find: ({ sinks }) =>
      sinks.flatMap(({ name, behindMs, failure }) =>
        failure === null || behindMs < FAILING_SINK_MS ? [] : [{ sink: name, reason: withHint(failure) }],
      ),
    beganMs: ({ sinks }, { sink }) => sinks.find(({ name }) => name === sink)?.failure?.sinceMs ?? 0,
    message: ({ sink, reason }: { sink: string; reason: string }) =>
      `The sink ${sink} gets nothing: ${reason}`,
    hint: "Mend what it says. What waits is kept and sent later by itself; flanco forward test tries at once.",
    what: ({ text }) => [
      `No se puede enviar nada a ${text("sink")}.`,
      `Nothing can be sent to ${text("sink")}.`,
    ],
    todo: [
      "Todo se registra y se enviará después. Si mañana sigue este aviso, llame a su técnico.",
      "Everything is recorded and will be sent later. If this is still here tomorrow, call your technician.",
    ],
  }),
  clock_off: alarm("clock", {
    when: "the gateway's trusted clock and the company's database's are more than a minute apart",
    of: "sink",
    find: ({ sinks, clock }) =>
      sinks.flatMap(({ name, clockOffMs }) => {
        // A clock that is not trusted is a fault of its own.
        if (!clock.trusted || clockOffMs === null || Math.abs(clockOffMs) <= CLOCK_OFF_MS) return [];
        const seconds = Math.abs(Math.round(clockOffMs / SECOND_MS));
        return [{ sink: name, seconds, side: clockOffMs > 0 ? "ahead of" : "behind" }];
      }),
    message: ({ sink, seconds, side }: { sink: string; seconds: number; side: string }) =>
      `The gateway's clock is ${seconds} s ${side} the clock of the sink ${sink}.`,
    hint: "Compare both with a right clock: on the gateway timedatectl shows it and its time server; else tell the company.",
    what: ({ count }) => [
      `El reloj de este equipo y el de la base de datos de la empresa se llevan ${count("seconds")} segundos.`,
      `The clocks of this gateway and of the company's database are ${count("seconds")} seconds apart.`,
    ],
    todo: [
      "Mire qué hora marca este equipo en «Estado». Si no es la buena, llame a su técnico.",
      "See under “Status” what time this gateway has. If it is not right, call your technician.",
    ],
  }),
  company_differs: warning("sinks", {
    when: "the company's database counts this gateway's sales in another zone or currency than the gateway",
    of: "sink",
    find: ({ sinks }) =>
      sinks.flatMap(({ name, differences = [] }) =>
        differences.map(({ here, there }) => ({ sink: name, here, there })),
      ),
    message: ({ here, there }: { sink: string; here: string; there: string }) =>
      `This gateway counts in ${here}, the company's database in ${there}: their sums differ.`,
    hint: "Set time_zone or currency in flanco.toml, or have the company set the zone: flanco central gateway zone.",
    what: ({ text }) => [
      `Este equipo cuenta en ${text("here")} y la base de datos de la empresa en ${text("there")}: sus sumas no coinciden.`,
      `This gateway counts in ${text("here")}, the company's database in ${text("there")}: their sums differ.`,
    ],
    todo: [
      "Se registra todo. Pida a su técnico que ponga lo mismo en los dos.",
      "Everything is being recorded. Ask your technician to set both alike.",
    ],
  }),
  updates_failing: warning("package", {
    when: "updates that come by themselves have failed for 14 days, or a new version of flanco did not work",
    of: "reason",
    find: ({ updates, clock }) => {
      const failure = updates?.failure ?? null;
      if (updates === null || failure === null || updates.hours === "") return null;
      const { reason, version, message } = failure;
      const withoutMs = clock.nowMs - (updates.succeededMs ?? failure.sinceMs);
      return reason === "version" || withoutMs >= WITHOUT_UPDATES_MS
        ? { reason, version, said: message }
        : null;
    },
    beganMs: ({ updates }) => updates?.failure?.sinceMs ?? 0,
    message: ({ reason, version, said }: { reason: UpdateFailure; version: string; said: string }) =>
      `${UPDATE_TROUBLE[reason]}${version === "" ? "" : ` (${version})`}. ${said}`.trim(),
    hint: "journalctl -u flanco-updates has all of it. A source that cannot be reached: let the gateway out to it, or clear the hours of the updates on the page.",
    what: ({ text }) =>
      text("reason") === "version"
        ? [
            `La versión nueva ${text("version")} no funcionó: el equipo sigue con la anterior.`,
            `The new version ${text("version")} did not work: the gateway goes on with the one before.`,
          ]
        : ["El equipo lleva días sin poder actualizarse.", "The gateway could not be updated for days."],
    todo: [
      "Todo se registra. Dígaselo a su técnico; una versión posterior puede arreglarlo sola.",
      "Everything is being recorded. Tell your technician; a later version may mend it by itself.",
    ],
  }),
};

/** What went wrong with updates, for technicians. */
const UPDATE_TROUBLE: Readonly<Record<UpdateFailure, string>> = {
  interrupted: "Updates were interrupted, by a power cut or a restart",
  source: "A source of updates could not be read, or its signature is wrong",
  space: "There is too little room for updates",
  package: "A package could not be updated",
  version: "The new version of flanco did not work, and the one before is back",
};

/** A file system in memory reports a size of 0. */
function isLow({ freeBytes, totalBytes, ledgerBytes }: Disk): boolean {
  if (totalBytes === 0) return false;
  const little = Math.min(LITTLE_BYTES, totalBytes * LITTLE_SHARE);
  return freeBytes < Math.max(little, ledgerBytes);
}

function fillingOf<Q extends "edges" | "writes">(queue: Q, { waiting, limit }: Queue, share: number) {
  return waiting >= limit * share ? [{ queue, waiting, limit }] : [];
}
