import type { FaultCode } from "../domain/fault.ts";
import { bilingual } from "../domain/language.ts";

/** Values that a fault's text may name, written for people. A value that is missing is an empty text. */
export interface FaultValues {
  readonly number: (name: string) => number;
  readonly count: (name: string) => string;
  readonly bytes: (name: string) => string;
  readonly moment: (name: string) => string;
  readonly text: (name: string) => string;
}

/** A fault of the gateway: what it is, and what to do, for people who are not technical. */
interface FaultText {
  readonly what: (values: FaultValues) => string;
  readonly todo: (values: FaultValues) => string;
}

interface FaultTexts {
  readonly since: (time: string) => string;
  readonly details: string;
  /** Above the text of a fault that this page does not know. */
  readonly unknown: string;
  /** In place of those that are not shown here. */
  readonly more: (count: number, text: string) => string;
  readonly faults: Readonly<Record<FaultCode, FaultText>>;
}

const es: FaultTexts = {
  since: (time) => `Desde ${time}`,
  details: "Para el técnico",
  unknown: "El equipo avisa de un problema",
  more: (count, text) => (count === 1 ? "Ver 1 aviso más" : `Ver ${text} avisos más`),
  faults: {
    disk_full: {
      what: () => "El disco está lleno: no se pueden guardar ventas nuevas.",
      todo: () => "Avise a su técnico hoy mismo. Los encendidos esperan en memoria mientras quepan.",
    },
    disk_low: {
      what: ({ bytes }) => `Queda poco sitio en el disco: ${bytes("freeBytes")} libres.`,
      todo: () => "Pida a su técnico que libere espacio. Por ahora todo se registra.",
    },
    card_worn: {
      what: () => "La tarjeta de memoria está desgastada y puede fallar.",
      todo: () => "Pida a su técnico que la cambie por una nueva. Haga antes una copia de seguridad.",
    },
    disk_slow: {
      what: ({ count }) => `El disco es lento: algunas escrituras tardan ${count("syncMs")} ms o más.`,
      todo: () => "Pida a su técnico una tarjeta para grabación continua (High Endurance). Todo se registra.",
    },
    file_system_errors: {
      what: () => "El disco ha dado errores: la tarjeta puede estar fallando.",
      todo: () =>
        "Avise a su técnico esta semana. Conviene hacer antes una copia de seguridad en otro disco.",
    },
    voltage_low: {
      what: () => "Al equipo le llega poca corriente y puede reiniciarse.",
      todo: () => "Pida a su técnico que cambie el alimentador o el cable. Por ahora todo se registra.",
    },
    too_hot: {
      what: ({ count }) => `El equipo está demasiado caliente: ${count("temperature")} °C.`,
      todo: () => "Deje libre el aire a su alrededor. Si mañana sigue este aviso, llame a su técnico.",
    },
    memory_low: {
      what: () => "Al equipo casi no le queda memoria.",
      todo: () =>
        "Pida a su técnico que mire qué otros programas hay en el equipo. Por ahora todo se registra.",
    },
    backup_failed: {
      what: () => "La última copia de seguridad ha fallado.",
      todo: () => "Se intenta de nuevo cada hora. Si mañana sigue este aviso, llame a su técnico.",
    },
    backup_missing: {
      what: () => "Todavía no hay ninguna copia de seguridad.",
      todo: () => "Pida a su técnico que revise dónde se guardan las copias.",
    },
    backup_old: {
      what: ({ number, count }) =>
        number("days") === 1
          ? "La última copia de seguridad es de hace 1 día."
          : `La última copia de seguridad es de hace ${count("days")} días.`,
      todo: () => "Pida a su técnico que revise por qué no se hacen copias nuevas.",
    },
    backup_foreign: {
      what: ({ text }) => `El disco de copias tiene copias de otro libro de ventas: ${text("ledgers")}.`,
      todo: () => "Si el disco es de otro equipo, devuélvalo. Si no, avise a su técnico.",
    },
    tail_failed: {
      what: () => "La copia de las últimas ventas no se puede escribir.",
      todo: () =>
        "Todo se registra. Si mañana sigue este aviso, pida a su técnico que revise el disco de copias.",
    },
    ledger_damaged: {
      what: () => "La revisión del libro de ventas ha encontrado un error.",
      todo: () => "No apague el equipo y llame a su técnico.",
    },
    check_failed: {
      what: () => "La revisión completa del libro de ventas no se ha podido hacer.",
      todo: () => "Se intenta de nuevo cada hora. Si mañana sigue este aviso, llame a su técnico.",
    },
    records_lost: {
      what: () => "Se perdieron registros con un fichero dañado.",
      todo: () => "Compare esas horas con sus propios apuntes y pida a su técnico que añada lo que falte.",
    },
    clock_untrusted: {
      what: ({ number, count }) =>
        number("waiting") === 1
          ? "El reloj del equipo no está en hora: 1 venta tiene la hora pendiente."
          : `El reloj del equipo no está en hora: ${count("waiting")} ventas tienen la hora pendiente.`,
      todo: () => "Conecte el equipo a internet un momento. Las horas se corrigen solas; no se pierde nada.",
    },
    records_unplaced: {
      what: ({ number, count }) =>
        number("records") === 1
          ? "De 1 venta no se sabe la hora exacta."
          : `De ${count("records")} ventas no se sabe la hora exacta.`,
      todo: () => "Cuentan igual en los totales; solo su hora es aproximada.",
    },
    clock_off: {
      what: ({ count }) =>
        `El reloj de este equipo y el de la base de datos de la empresa se llevan ${count("seconds")} segundos.`,
      todo: () => "Mire qué hora marca este equipo en «Estado». Si no es la buena, llame a su técnico.",
    },
    clock_wrong: {
      what: ({ number, count }) =>
        number("records") === 1
          ? "El reloj estaba mal: 1 venta tiene una hora equivocada."
          : `El reloj estaba mal: ${count("records")} ventas tienen una hora equivocada.`,
      todo: () =>
        "Cuentan igual en los totales. Su técnico puede corregir la hora: llámelo y lea el texto de abajo.",
    },
    line_failed: {
      what: ({ text }) => `La línea ${text("line")} no se vigila: sus ventas no se registran.`,
      todo: () => "Llame a su técnico y lea el texto de abajo.",
    },
    edges_refused: {
      what: () => "Hay encendidos que no se pueden anotar: el equipo los rechaza.",
      todo: () =>
        "Llame a su técnico hoy mismo y lea el texto de abajo. No apague el equipo: esperan en memoria.",
    },
    edges_lost: {
      what: ({ number, count }) =>
        number("sales") === 1
          ? "Se perdió 1 venta de la que no hay registro."
          : number("sales") === 0
            ? "Hubo momentos en que pudieron perderse ventas."
            : `Se perdieron ${count("sales")} ventas de las que no hay registro.`,
      todo: ({ text }) =>
        `Compare esas horas, que están en Estado, con sus propios apuntes. Líneas: ${text("lines")}.`,
    },
    line_outage: {
      what: ({ moment }) =>
        `Entre ${moment("from")} y ${moment("to")} no se vigilaron todas las líneas: lo que se encendió entonces no tiene registro.`,
      todo: ({ text }) => `Compare esas horas con sus propios apuntes. Líneas: ${text("lines")}.`,
    },
    queue_filling: {
      what: ({ count }) => `El equipo va con retraso: ${count("waiting")} anotaciones esperan.`,
      todo: () => "Suele pasar solo en unos minutos. Si el aviso sigue, llame a su técnico.",
    },
    certificate_refused: {
      what: () => "El certificado de su clínica para abrir esta página no es válido.",
      todo: () =>
        "Puede seguir trabajando, aunque el navegador avise. Pida a su técnico que lea el texto de abajo.",
    },
    certificate_ending: {
      what: ({ number, count }) =>
        number("days") === 1
          ? "El certificado de su clínica para abrir esta página caduca en 1 día."
          : `El certificado de su clínica para abrir esta página caduca en ${count("days")} días.`,
      todo: () =>
        "Pida a su técnico que ponga el siguiente. Después el navegador avisará al abrir la página.",
    },
    clinic_moved: {
      what: () =>
        "Otro equipo se ha hecho cargo de la clínica, y este sigue registrando: lo que registra desde entonces no está en el otro.",
      todo: () => "Pida a su técnico que apague este equipo cuando los relés estén conectados al otro.",
    },
    sink_failing: {
      what: ({ text }) => `No se puede enviar nada a ${text("sink")}.`,
      todo: () => "Todo se registra y se enviará después. Si mañana sigue este aviso, llame a su técnico.",
    },
  },
};

const en: FaultTexts = {
  since: (time) => `Since ${time}`,
  details: "For the technician",
  unknown: "The gateway reports a problem",
  more: (count, text) => (count === 1 ? "See 1 more notice" : `See ${text} more notices`),
  faults: {
    disk_full: {
      what: () => "The disk is full: new sales cannot be stored.",
      todo: () => "Call your technician today. Switchings wait in memory as long as there is room.",
    },
    disk_low: {
      what: ({ bytes }) => `The disk is nearly full: ${bytes("freeBytes")} left.`,
      todo: () => "Ask your technician to free some space. Everything is still being recorded.",
    },
    card_worn: {
      what: () => "The memory card is worn and may fail.",
      todo: () => "Ask your technician to replace it. Make a backup first.",
    },
    disk_slow: {
      what: ({ count }) => `The disk is slow: some writes take ${count("syncMs")} ms or more.`,
      todo: () =>
        "Ask your technician for a card for continuous recording (High Endurance). All is recorded.",
    },
    file_system_errors: {
      what: () => "The disk has met errors: the card may be failing.",
      todo: () => "Tell your technician this week. Make a backup to another disk first.",
    },
    voltage_low: {
      what: () => "The gateway gets too little power and may restart.",
      todo: () =>
        "Ask your technician to replace the power supply or its cable. For now everything is recorded.",
    },
    too_hot: {
      what: ({ count }) => `The gateway is too hot: ${count("temperature")} °C.`,
      todo: () => "Give it air. If this is still here tomorrow, call your technician.",
    },
    memory_low: {
      what: () => "The gateway has almost no memory left.",
      todo: () => "Ask your technician which other programs run on it. For now everything is recorded.",
    },
    backup_failed: {
      what: () => "The last backup has failed.",
      todo: () => "It is tried again every hour. If this is still here tomorrow, call your technician.",
    },
    backup_missing: {
      what: () => "There is no backup yet.",
      todo: () => "Ask your technician to check where backups are kept.",
    },
    backup_old: {
      what: ({ number, count }) =>
        number("days") === 1
          ? "The last backup is 1 day old."
          : `The last backup is ${count("days")} days old.`,
      todo: () => "Ask your technician to check why no new ones are made.",
    },
    backup_foreign: {
      what: ({ text }) => `The backup disk holds backups of another ledger: ${text("ledgers")}.`,
      todo: () => "If the disk is another gateway's, give it back. Otherwise tell your technician.",
    },
    tail_failed: {
      what: () => "The copy of the newest sales cannot be written.",
      todo: () =>
        "Everything is recorded. If this is still here tomorrow, ask your technician to check the backup disk.",
    },
    ledger_damaged: {
      what: () => "The check of the ledger has found a mistake.",
      todo: () => "Do not switch the gateway off, and call your technician.",
    },
    check_failed: {
      what: () => "The full check of the records could not be made.",
      todo: () => "It is tried again every hour. If this is still here tomorrow, call your technician.",
    },
    records_lost: {
      what: () => "Records were lost with a damaged file.",
      todo: () => "Compare those hours with your own notes, and have your technician add what is missing.",
    },
    clock_untrusted: {
      what: ({ number, count }) =>
        number("waiting") === 1
          ? "The gateway's clock is not set: the time of 1 sale is still to be settled."
          : `The gateway's clock is not set: the times of ${count("waiting")} sales are still to be settled.`,
      todo: () =>
        "Connect the gateway to the internet for a moment. Times correct themselves; nothing is lost.",
    },
    records_unplaced: {
      what: ({ number, count }) =>
        number("records") === 1
          ? "The exact time of 1 sale is not known."
          : `The exact times of ${count("records")} sales are not known.`,
      todo: () => "They count in the totals all the same; only their time is approximate.",
    },
    clock_off: {
      what: ({ count }) =>
        `The clocks of this gateway and of the company's database are ${count("seconds")} seconds apart.`,
      todo: () => "See under “Status” what time this gateway has. If it is not right, call your technician.",
    },
    clock_wrong: {
      what: ({ number, count }) =>
        number("records") === 1
          ? "The clock was wrong: 1 sale has a wrong time."
          : `The clock was wrong: ${count("records")} sales have a wrong time.`,
      todo: () =>
        "They count all the same. Your technician can correct their times: call, and read the text below.",
    },
    line_failed: {
      what: ({ text }) => `The line ${text("line")} is not watched: its sales are not recorded.`,
      todo: () => "Call your technician and read out the text below.",
    },
    edges_refused: {
      what: () => "Some switchings cannot be recorded: the gateway refuses them.",
      todo: () =>
        "Call your technician today and read out the text below. Do not switch the gateway off: they wait in memory.",
    },
    edges_lost: {
      what: ({ number, count }) =>
        number("sales") === 1
          ? "1 sale was lost and has no record."
          : number("sales") === 0
            ? "There were moments in which sales may have been lost."
            : `${count("sales")} sales were lost and have no record.`,
      todo: ({ text }) => `Lines: ${text("lines")}. The details are under Status.`,
    },
    line_outage: {
      what: ({ moment }) =>
        `Between ${moment("from")} and ${moment("to")} not all lines were watched: what was switched on then has no record.`,
      todo: ({ text }) => `Compare those hours with your own notes. Lines: ${text("lines")}.`,
    },
    queue_filling: {
      what: ({ count }) => `The gateway is running behind: ${count("waiting")} entries are waiting.`,
      todo: () => "This usually passes within minutes. If it stays, call your technician.",
    },
    certificate_refused: {
      what: () => "Your clinic's certificate for opening this page is not valid.",
      todo: () =>
        "You can go on working, though the browser may warn. Ask your technician to read the text below.",
    },
    certificate_ending: {
      what: ({ number, count }) =>
        number("days") === 1
          ? "Your clinic's certificate for opening this page ends in 1 day."
          : `Your clinic's certificate for opening this page ends in ${count("days")} days.`,
      todo: () =>
        "Ask your technician to bring the next one. After that the browser will warn when the page is opened.",
    },
    clinic_moved: {
      what: () =>
        "Another gateway took the clinic over, and this one goes on recording: what it records since then is not in the other.",
      todo: () => "Ask your technician to switch this one off once the relays are wired to the other.",
    },
    sink_failing: {
      what: ({ text }) => `Nothing can be sent to ${text("sink")}.`,
      todo: () =>
        "Everything is recorded and will be sent later. If this is still here tomorrow, call your technician.",
    },
  },
};

export const faultTexts = bilingual<FaultTexts>(es, en);
