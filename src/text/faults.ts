import type { FaultCode } from "../domain/fault.ts";
import { bilingual, type Pair } from "../domain/language.ts";

/**
 * Values in a fault's text, formatted for people. A missing value is an empty text, or 0: a role
 * without money gets none that counts sales, and each text does without them.
 */
export interface FaultValues {
  readonly number: (name: string) => number;
  readonly count: (name: string) => string;
  readonly bytes: (name: string) => string;
  readonly moment: (name: string) => string;
  readonly text: (name: string) => string;
}

function after(text: string): string {
  return text === "" ? "" : `: ${text}`;
}

type Said = (values: FaultValues) => Pair<string>;

/** Each fault, and what to do about it, in words for people who are not technical. */
const faults: Readonly<Record<FaultCode, { readonly what: Said; readonly todo: Said }>> = {
  disk_full: {
    what: () => [
      "El disco está lleno: no se pueden guardar ventas nuevas.",
      "The disk is full: new sales cannot be stored.",
    ],
    todo: () => [
      "Avise a su técnico hoy mismo. Los encendidos esperan en memoria mientras quepan.",
      "Call your technician today. Switchings wait in memory as long as there is room.",
    ],
  },
  disk_low: {
    what: ({ bytes }) => [
      `Queda poco sitio en el disco: ${bytes("freeBytes")} libres.`,
      `The disk is nearly full: ${bytes("freeBytes")} left.`,
    ],
    todo: () => [
      "Pida a su técnico que libere espacio. Por ahora todo se registra.",
      "Ask your technician to free some space. Everything is still being recorded.",
    ],
  },
  card_worn: {
    what: () => [
      "La tarjeta de memoria está desgastada y puede fallar.",
      "The memory card is worn and may fail.",
    ],
    todo: () => [
      "Pida a su técnico que la cambie por una nueva. Haga antes una copia de seguridad.",
      "Ask your technician to replace it. Make a backup first.",
    ],
  },
  disk_slow: {
    what: ({ count }) => [
      `El disco es lento: algunas escrituras tardan ${count("syncMs")} ms o más.`,
      `The disk is slow: some writes take ${count("syncMs")} ms or more.`,
    ],
    todo: () => [
      "Pida a su técnico una tarjeta para grabación continua (High Endurance). Todo se registra.",
      "Ask your technician for a card for continuous recording (High Endurance). All is recorded.",
    ],
  },
  file_system_errors: {
    what: () => [
      "El disco ha dado errores: la tarjeta puede estar fallando.",
      "The disk has met errors: the card may be failing.",
    ],
    todo: () => [
      "Avise a su técnico esta semana. Conviene hacer antes una copia de seguridad en otro disco.",
      "Tell your technician this week. Make a backup to another disk first.",
    ],
  },
  voltage_low: {
    what: () => [
      "Al equipo le llega poca corriente y puede reiniciarse.",
      "The gateway gets too little power and may restart.",
    ],
    todo: () => [
      "Pida a su técnico que cambie el alimentador o el cable. Por ahora todo se registra.",
      "Ask your technician to replace the power supply or its cable. For now everything is recorded.",
    ],
  },
  too_hot: {
    what: ({ count }) => [
      `El equipo está demasiado caliente: ${count("temperature")}\u00a0°C.`,
      `The gateway is too hot: ${count("temperature")}\u00a0°C.`,
    ],
    todo: () => [
      "Deje libre el aire a su alrededor. Si mañana sigue este aviso, llame a su técnico.",
      "Give it air. If this is still here tomorrow, call your technician.",
    ],
  },
  memory_low: {
    what: () => ["Al equipo casi no le queda memoria.", "The gateway has almost no memory left."],
    todo: () => [
      "Pida a su técnico que mire qué otros programas hay en el equipo. Por ahora todo se registra.",
      "Ask your technician which other programs run on it. For now everything is recorded.",
    ],
  },
  backup_failed: {
    what: () => ["La última copia de seguridad ha fallado.", "The last backup has failed."],
    todo: () => [
      "Se intenta de nuevo cada hora. Si mañana sigue este aviso, llame a su técnico.",
      "It is tried again every hour. If this is still here tomorrow, call your technician.",
    ],
  },
  backup_missing: {
    what: () => ["Todavía no hay ninguna copia de seguridad.", "There is no backup yet."],
    todo: () => [
      "Pida a su técnico que revise dónde se guardan las copias.",
      "Ask your technician to check where backups are kept.",
    ],
  },
  backup_old: {
    what: ({ number, count }) =>
      number("days") === 1
        ? ["La última copia de seguridad es de hace 1 día.", "The last backup is 1 day old."]
        : [
            `La última copia de seguridad es de hace ${count("days")} días.`,
            `The last backup is ${count("days")} days old.`,
          ],
    todo: () => [
      "Pida a su técnico que revise por qué no se hacen copias nuevas.",
      "Ask your technician to check why no new ones are made.",
    ],
  },
  backup_disk_missing: {
    what: () => [
      "Falta el disco de copias: las copias están solo en la tarjeta, y se perderían con ella.",
      "The backup disk is missing: the backups are on the card alone, and would be lost with it.",
    ],
    todo: () => [
      "Conecte el disco de copias. Si sigue este aviso una hora después, llame a su técnico.",
      "Put the backup disk in. If this is still here an hour later, call your technician.",
    ],
  },
  backup_foreign: {
    what: ({ text }) => [
      `El disco de copias tiene copias de otro libro de ventas${after(text("ledgers"))}.`,
      `The backup disk holds backups of another ledger${after(text("ledgers"))}.`,
    ],
    todo: () => [
      "Si el disco es de otro equipo, devuélvalo. Si no, avise a su técnico.",
      "If the disk is another gateway's, give it back. Otherwise tell your technician.",
    ],
  },
  tail_failed: {
    what: () => [
      "La copia de las últimas ventas no se puede escribir.",
      "The copy of the newest sales cannot be written.",
    ],
    todo: () => [
      "Todo se registra. Si mañana sigue este aviso, pida a su técnico que revise el disco de copias.",
      "Everything is recorded. If this is still here tomorrow, ask your technician to check the backup disk.",
    ],
  },
  copy_damaged: {
    what: () => ["Una copia de seguridad está dañada.", "A backup is damaged."],
    todo: () => [
      "Se hace otra sola. Si este aviso vuelve, pida a su técnico que cambie la tarjeta o el disco de copias.",
      "Another one is made by itself. If this comes again, have your technician replace the card or the backup disk.",
    ],
  },
  ledger_damaged: {
    what: () => [
      "La revisión del libro de ventas ha encontrado un error.",
      "The check of the ledger has found a mistake.",
    ],
    todo: () => [
      "No apague el equipo y llame a su técnico.",
      "Do not switch the gateway off, and call your technician.",
    ],
  },
  ledger_unread: {
    what: () => [
      "Las ventas de hoy no se pueden leer del libro de ventas.",
      "Today's sales cannot be read from the ledger.",
    ],
    todo: () => [
      "Se siguen registrando. Si dentro de una hora sigue este aviso, llame a su técnico.",
      "They are still recorded. If this is still here in an hour, call your technician.",
    ],
  },
  check_failed: {
    what: () => [
      "La revisión completa del libro de ventas no se ha podido hacer.",
      "The full check of the records could not be made.",
    ],
    todo: () => [
      "Se intenta de nuevo cada hora. Si mañana sigue este aviso, llame a su técnico.",
      "It is tried again every hour. If this is still here tomorrow, call your technician.",
    ],
  },
  records_lost: {
    what: () => ["Se perdieron registros con un fichero dañado.", "Records were lost with a damaged file."],
    todo: () => [
      "Compare esas horas con sus propios apuntes y pida a su técnico que añada lo que falte.",
      "Compare those hours with your own notes, and have your technician add what is missing.",
    ],
  },
  restore_dropped: {
    what: ({ number, count }) =>
      number("sales") === 0
        ? [
            "Faltan ventas desde que se restauró una copia de seguridad.",
            "Sales are missing since a backup was restored.",
          ]
        : [
            `Faltan ventas desde que se restauró una copia de seguridad: ${count("sales")}.`,
            `Sales are missing since a backup was restored: ${count("sales")}.`,
          ],
    todo: () => [
      "Pida a su técnico que las recupere o las añada. El aviso sigue hasta que el responsable lo confirme con él.",
      "Have your technician bring them back or add them. This stays until the owner confirms it with the technician.",
    ],
  },
  time_zone_changed: {
    what: ({ text, number, count }) =>
      number("sales") === 0
        ? [
            `La zona horaria es ahora ${text("to")}, y hay ventas que cuentan en otro día.`,
            `The time zone is now ${text("to")}, and some sales count on another day.`,
          ]
        : [
            `La zona horaria es ahora ${text("to")}. Ventas que cuentan en otro día: ${count("sales")}.`,
            `The time zone is now ${text("to")}. Sales that count on another day: ${count("sales")}.`,
          ],
    todo: ({ text }) => [
      `Antes era ${text("from")}. Si no es correcto, llame a su técnico: los totales pueden volver a ser los de antes.`,
      `It was ${text("from")}. If that is wrong, call your technician: the totals can be as they were before.`,
    ],
  },
  clock_untrusted: {
    what: ({ number, count }) =>
      number("waiting") === 0
        ? ["El reloj del equipo no está en hora.", "The gateway's clock is not set."]
        : number("waiting") === 1
          ? [
              "El reloj del equipo no está en hora: 1 venta tiene la hora pendiente.",
              "The gateway's clock is not set: the time of 1 sale is still to be settled.",
            ]
          : [
              `El reloj del equipo no está en hora: ${count("waiting")} ventas tienen la hora pendiente.`,
              `The gateway's clock is not set: the times of ${count("waiting")} sales are still to be settled.`,
            ],
    todo: () => [
      "Conecte el equipo a internet un momento. Las horas se corrigen solas; no se pierde nada.",
      "Connect the gateway to the internet for a moment. Times correct themselves; nothing is lost.",
    ],
  },
  records_unplaced: {
    what: ({ number, count }) =>
      number("records") === 0
        ? ["De algunas ventas no se sabe la hora exacta.", "The exact time of some sales is not known."]
        : number("records") === 1
          ? ["De 1 venta no se sabe la hora exacta.", "The exact time of 1 sale is not known."]
          : [
              `De ${count("records")} ventas no se sabe la hora exacta.`,
              `The exact times of ${count("records")} sales are not known.`,
            ],
    todo: () => [
      "Los totales no cambian; solo la hora es aproximada.",
      "The totals stay the same; only the time is approximate.",
    ],
  },
  clock_off: {
    what: ({ count }) => [
      `El reloj de este equipo y el de la base de datos de la empresa se llevan ${count("seconds")} segundos.`,
      `The clocks of this gateway and of the company's database are ${count("seconds")} seconds apart.`,
    ],
    todo: () => [
      "Mire qué hora marca este equipo en «Estado». Si no es la buena, llame a su técnico.",
      "See under “Status” what time this gateway has. If it is not right, call your technician.",
    ],
  },
  company_differs: {
    what: ({ text }) => [
      `Este equipo cuenta en ${text("here")} y la base de datos de la empresa en ${text("there")}: sus sumas no coinciden.`,
      `This gateway counts in ${text("here")}, the company's database in ${text("there")}: their sums differ.`,
    ],
    todo: () => [
      "Se registra todo. Pida a su técnico que ponga lo mismo en los dos.",
      "Everything is being recorded. Ask your technician to set both alike.",
    ],
  },
  clock_wrong: {
    what: ({ number, count }) =>
      number("records") === 0
        ? [
            "El reloj estaba mal: algunas ventas tienen una hora equivocada.",
            "The clock was wrong: some sales have a wrong time.",
          ]
        : number("records") === 1
          ? [
              "El reloj estaba mal: 1 venta tiene una hora equivocada.",
              "The clock was wrong: 1 sale has a wrong time.",
            ]
          : [
              `El reloj estaba mal: ${count("records")} ventas tienen una hora equivocada.`,
              `The clock was wrong: ${count("records")} sales have a wrong time.`,
            ],
    todo: () => [
      "Los totales no cambian. Su técnico puede corregir la hora: llámelo y lea el texto de abajo.",
      "The totals stay the same. Your technician can correct the time: call, and read the text below.",
    ],
  },
  line_failed: {
    what: ({ text }) => [
      `La línea ${text("line")} no se vigila: sus ventas no se registran.`,
      `The line ${text("line")} is not watched: its sales are not recorded.`,
    ],
    todo: () => [
      "Llame a su técnico y lea el texto de abajo.",
      "Call your technician and read out the text below.",
    ],
  },
  edges_refused: {
    what: () => [
      "Hay encendidos que no se pueden anotar: el equipo los rechaza.",
      "Some switchings cannot be recorded: the gateway refuses them.",
    ],
    todo: () => [
      "Llame a su técnico hoy mismo y lea el texto de abajo. No apague el equipo: esperan en memoria.",
      "Call your technician today and read out the text below. Do not switch the gateway off: they wait in memory.",
    ],
  },
  edges_lost: {
    what: ({ number, count }) =>
      number("sales") === 1
        ? ["Se perdió 1 venta de la que no hay registro.", "1 sale was lost and has no record."]
        : number("sales") === 0
          ? [
              "Hubo momentos en que pudieron perderse ventas.",
              "There were moments in which sales may have been lost.",
            ]
          : [
              `Se perdieron ${count("sales")} ventas de las que no hay registro.`,
              `${count("sales")} sales were lost and have no record.`,
            ],
    todo: ({ text }) => [
      `Compare esas horas, que están en «Informe» y en «Estado», con sus propios apuntes. Líneas: ${text("lines")}.`,
      `Compare those hours, which are under “Report” and “Status”, with your own notes. Lines: ${text("lines")}.`,
    ],
  },
  edges_swallowed: {
    what: ({ number, count }) =>
      number("edges") === 0
        ? [
            "El equipo no avisó de algunos cambios de las líneas. Se encontraron al mirarlas, algo más tarde.",
            "The hardware did not report some changes of the lines. They were found by looking at them, a little late.",
          ]
        : [
            `En un día el equipo no avisó de ${count("edges")} cambios de las líneas. Se encontraron al mirarlas, hasta dos segundos después.`,
            `In one day the hardware did not report ${count("edges")} changes of the lines. They were found by looking at them, up to two seconds late.`,
          ],
    todo: ({ text }) => [
      `Un apagado y encendido de menos de dos segundos puede haberse perdido. Lea a su técnico el texto de abajo. Líneas: ${text("lines")}.`,
      `A switching off and on of less than two seconds may be lost. Read the text below to your technician. Lines: ${text("lines")}.`,
    ],
  },
  line_outage: {
    what: ({ moment }) => [
      `Entre ${moment("from")} y ${moment("to")} no se vigilaron todas las líneas: lo que se encendió entonces no tiene registro.`,
      `Between ${moment("from")} and ${moment("to")} not all lines were watched: what was switched on then has no record.`,
    ],
    todo: ({ text }) => [
      `Compare esas horas con sus propios apuntes. Líneas: ${text("lines")}.`,
      `Compare those hours with your own notes. Lines: ${text("lines")}.`,
    ],
  },
  queue_filling: {
    what: ({ number, count }) =>
      number("waiting") === 0
        ? ["El equipo va con retraso.", "The gateway is running behind."]
        : [
            `El equipo va con retraso: ${count("waiting")} anotaciones esperan.`,
            `The gateway is running behind: ${count("waiting")} entries are waiting.`,
          ],
    todo: () => [
      "Suele pasar solo en unos minutos. Si el aviso sigue, llame a su técnico.",
      "This usually passes within minutes. If it stays, call your technician.",
    ],
  },
  certificate_refused: {
    what: () => [
      "El certificado de su clínica para abrir esta página no es válido.",
      "Your clinic's certificate for opening this page is not valid.",
    ],
    todo: () => [
      "Puede seguir trabajando, aunque el navegador avise. Pida a su técnico que lea el texto de abajo.",
      "You can go on working, though the browser may warn. Ask your technician to read the text below.",
    ],
  },
  certificate_ending: {
    what: ({ number, count }) =>
      number("days") === 1
        ? [
            "El certificado de su clínica para abrir esta página caduca en 1 día.",
            "Your clinic's certificate for opening this page ends in 1 day.",
          ]
        : [
            `El certificado de su clínica para abrir esta página caduca en ${count("days")} días.`,
            `Your clinic's certificate for opening this page ends in ${count("days")} days.`,
          ],
    todo: () => [
      "Pida a su técnico que ponga el siguiente. Después el navegador avisará al abrir la página.",
      "Ask your technician to bring the next one. After that the browser will warn when the page is opened.",
    ],
  },
  authority_replaced: {
    what: () => [
      "Los navegadores ya no confían en este equipo: su certificado se tuvo que hacer de nuevo.",
      "Browsers do not trust this gateway any more: its certificate had to be made anew.",
    ],
    todo: () => [
      "Se registra todo. Pida a su técnico que cada ordenador, tableta y teléfono vuelva a confiar en el equipo.",
      "Everything is being recorded. Ask your technician to have each computer, tablet and phone trust it again.",
    ],
  },
  sinks_unreadable: {
    what: () => [
      "No se envía nada fuera del equipo: no se puede leer cómo se configuró en esta página.",
      "Nothing is sent from the gateway: what was set up on this page cannot be read.",
    ],
    todo: () => [
      "Se registra todo. Un propietario tiene que volver a configurar los envíos en esta página.",
      "Everything is being recorded. An owner has to set up on this page again where it is sent.",
    ],
  },
  sink_failing: {
    what: ({ text }) => [
      `No se puede enviar nada a ${text("sink")}.`,
      `Nothing can be sent to ${text("sink")}.`,
    ],
    todo: () => [
      "Todo se registra y se enviará después. Si mañana sigue este aviso, llame a su técnico.",
      "Everything is recorded and will be sent later. If this is still here tomorrow, call your technician.",
    ],
  },
};

export const faultTexts = bilingual({
  since: (time: string) => [`Desde ${time}`, `Since ${time}`],
  details: ["Para el técnico", "For the technician"],
  /** Above the text of a fault that this page does not know. */
  unknown: ["El equipo avisa de un problema", "The gateway reports a problem"],
  /** Stands for faults that are not shown here. */
  more: (count: number, text: string) =>
    count === 1
      ? ["Ver 1 aviso más", "See 1 more notice"]
      : [`Ver ${text} avisos más`, `See ${text} more notices`],
  faults,
});
