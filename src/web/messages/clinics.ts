import { CLINIC_STATE_NAMES, type ClinicState } from "../../domain/gateway.ts";
import { bilingual } from "../../domain/language.ts";

export const clinicsTexts = bilingual({
  title: ["Clínicas", "Clinics"],
  intro: [
    "Lo que ha vendido cada clínica. Cómo está su equipo se ve en Equipos.",
    "What each clinic has sold. Gateways tells how its gateway fares.",
  ],
  all: ["Todas las clínicas", "All clinics"],
  clinic: ["Clínica", "Clinic"],
  equipment: ["Equipo", "Gateway"],
  before: (from: string, to: string) => [`Antes (${from} – ${to})`, `Before (${from} – ${to})`],
  none: ["La empresa no tiene ninguna clínica.", "The company has no clinic."],
  noneDetail: [
    "Se añaden con flanco central gateway add.",
    "They are added with flanco central gateway add.",
  ],
  gateways: {
    title: ["Equipos", "Gateways"],
    intro: [
      "Cómo está el equipo de cada clínica, lo que ha dicho él mismo en su última llamada; primero, los que alguien tiene que mirar.",
      "How the gateway of each clinic fares, as it said itself when it called last; first those that somebody must see to.",
    ],
    download: ["Descargar hoja de cálculo", "Download spreadsheet"],
    listed: (count: number) => [`Equipos: ${count}`, `Gateways: ${count}`],
    shown: ["Qué equipos", "Which gateways"],
    all: ["Todos", "All"],
    troubled: ["Por mirar", "To see to"],
    search: ["Clínica o versión", "Clinic or version"],
    nothing: ["Ningún equipo es así.", "No gateway is like that."],
    seen: ["Última llamada", "Last call"],
    waiting: ["Por enviar", "To be sent"],
    clock: ["Reloj", "Clock"],
    untrusted: ["sin confirmar", "not trusted"],
    version: ["Versión", "Version"],
    certificate: ["Certificado hasta", "Certificate until"],
    disk: ["Disco", "Disk"],
    room: (free: string, total: string) => [`${free} libres de ${total}`, `${free} free of ${total}`],
    worn: (percent: string) => [`${percent} gastado`, `${percent} worn`],
    backup: ["Copia comprobada", "Proved backup"],
    remote: ["Copia fuera", "Remote backup"],
    faults: ["Avisos", "Faults"],
  },
  settlements: {
    title: ["Liquidaciones", "Settlements"],
    intro: [
      "Lo que cada clínica ha liquidado de un mes, quién no lo ha cerrado y si sus cifras son las de la empresa.",
      "What each clinic has settled of a month, who has not closed it, and whether its figures are the company's.",
    ],
    closed: (closed: string, all: string) => [
      `Clínicas que han cerrado: ${closed} de ${all}`,
      `Clinics that have closed: ${closed} of ${all}`,
    ],
    closedOn: (when: string) => [`cerrado el ${when}`, `closed on ${when}`],
    open: ["sin cerrar", "not closed"],
    nothing: ["sin ventas", "no sales"],
    replaced: ["de un libro sustituido", "of a replaced ledger"],
    newer: ["de otra versión", "of another version"],
    waiting: (count: string) => [`faltan ${count} apuntes por llegar`, `${count} entries still to come`],
    now: ["Registrado hoy", "Recorded today"],
    differs: (names: string) => [`No coincide lo liquidado: ${names}`, `Settled figures differ: ${names}`],
    differsTodo: [
      "La base de datos de la empresa tenía otra suma de ese mes con los mismos apuntes. Si el equipo se restauró de una copia, faltan en su libro las ventas que hizo después de ella; si perdió apuntes, faltan aquí. No firme antes de aclararlo.",
      "The company's database had another sum of that month with the same entries. If the gateway was restored from a backup, its ledger lacks what it sold after that; if it lost entries, they are missing here. Do not sign before this is clear.",
    ],
    openAction: ["Abrir", "Open"],
  },
  troubles: (count: number) => [`Equipos que hay que mirar: ${count}`, `Gateways to see to: ${count}`],
  never: ["nunca", "never"],
  states: CLINIC_STATE_NAMES,
  what: {
    forked: (entry: string, withheld: string) => [
      `Desde el apunte ${entry} su libro no continúa el que tiene la empresa. Apuntes retenidos: ${withheld}.`,
      `From entry ${entry} on its ledger does not continue the company's. Entries withheld: ${withheld}.`,
    ],
    lacking: (count: string) => [
      `Apuntes perdidos antes de enviarlos, que su libro no dice: ${count}.`,
      `Entries lost before they were sent, of which its ledger does not tell: ${count}.`,
    ],
    silent: (seen: string) => [
      `Última llamada: ${seen}. Un equipo llama cada cinco minutos.`,
      `Last call: ${seen}. A gateway calls every five minutes.`,
    ],
    full: ["Queda poco sitio en su disco.", "Its disk has little room left."],
    faulty: [
      "El equipo dice que algo necesita atención.",
      "The gateway says that something needs attention.",
    ],
    old: [
      "Desde hace más de dos semanas otro equipo de la empresa tiene una versión más nueva.",
      "For more than two weeks another gateway of the company has had a newer version.",
    ],
    differs: (here: string, there: string) => [
      `El equipo cuenta en ${here} y la empresa en ${there}: sus sumas no coinciden.`,
      `The gateway counts in ${here}, the company in ${there}: their sums differ.`,
    ],
    clock_off: (seconds: string) => [
      `Su reloj difiere ${seconds} s del de la base de datos.`,
      `Its clock differs by ${seconds} s from the database's.`,
    ],
    behind: (count: string) => [`Apuntes por enviar: ${count}.`, `Entries still to be sent: ${count}.`],
  },
  todo: {
    forked: (name: string) => [
      `Si se restauró una copia y las ventas de ambos son reales, acéptelo: flanco central gateway accept-fork ${name}. Si solo se probó una copia, apague ese equipo; cuando el otro siga vendiendo, esto acaba solo.`,
      `If a backup was restored and the sales of both are real, accept it: flanco central gateway accept-fork ${name}. If a backup was only tried, switch that gateway off; once the other one sells on, this ends by itself.`,
    ],
    lacking: ["Ejecute flanco verify en ese equipo.", "Run flanco verify on that gateway."],
    silent: [
      "Compruebe que está encendido y que tiene red; flanco forward test central prueba el camino.",
      "Check that it has power and network; flanco forward test central tries the way.",
    ],
    full: [
      "Libere espacio en ese equipo: sin sitio no se guardan ventas.",
      "Free some space on that gateway: without room no sale is stored.",
    ],
    faulty: ["Mire el estado de ese equipo.", "Look at that gateway's state."],
    old: [
      "Actualice ese equipo; flanco doctor dice por qué no se actualiza solo.",
      "Update that gateway; flanco doctor says why it does not by itself.",
    ],
    zone_off: (name: string) => [
      `Corrija time_zone en ese equipo, o aquí: flanco central gateway zone ${name} ZONA`,
      `Set time_zone on that gateway, or here: flanco central gateway zone ${name} ZONE`,
    ],
    currency_off: [
      "Corrija currency en ese equipo: sus ventas cuentan aquí como si fueran de la otra moneda.",
      "Set currency on that gateway: its sales count here as if they were of the other currency.",
    ],
    clock_off: [
      "Compruebe en ese equipo que la red pone el reloj en hora.",
      "Check on that gateway that the network sets its clock.",
    ],
    behind: [
      "No hay que hacer nada mientras el número baje; si no baja, mire el estado de ese equipo.",
      "Nothing is to be done while the number falls; if it does not, look at that gateway's status.",
    ],
  },
});

/** A gateway's states by their names. */
export function statesText(
  states: readonly ClinicState[],
  texts: { readonly states: Readonly<Record<ClinicState, string>> },
): string {
  return states.map((state) => texts.states[state]).join(", ");
}
