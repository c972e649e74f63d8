import { bilingual } from "../../domain/language.ts";

export const clinicsTexts = bilingual(
  {
    title: "Clínicas",
    intro: "Lo que ha vendido cada clínica, y cómo está su equipo.",
    all: "Todas las clínicas",
    clinic: "Clínica",
    equipment: "Equipo",
    before: (from: string, to: string) => `Antes (${from} – ${to})`,
    none: "La empresa no tiene ninguna clínica.",
    noneDetail: "Se añaden con flanco central gateway add.",
    troubles: (count: number) => `Equipos que hay que mirar: ${count}`,
    never: "nunca",
    states: {
      forked: "Otro libro",
      lacking: "Faltan apuntes",
      silent: "Sin noticias",
      clock_off: "Reloj desviado",
      behind: "Enviando",
      good: "Al día",
    },
    what: {
      forked: (entry: string) =>
        `Desde el apunte ${entry} su libro no continúa el que tiene la empresa: no se toma nada más.`,
      lacking: (count: string) => `Perdió ${count} apuntes antes de enviarlos, y su libro no lo dice.`,
      silent: (seen: string) => `Última llamada: ${seen}. Un equipo llama cada cinco minutos.`,
      clock_off: (seconds: string) => `Su reloj difiere ${seconds} segundos del de la base de datos.`,
      behind: (count: string) => `Le faltan ${count} apuntes por enviar.`,
    },
    todo: {
      forked: (name: string) =>
        `Si se restauró una copia y las ventas de ambos son reales, acéptelo: flanco central gateway accept-fork ${name}`,
      lacking: "Ejecute flanco verify en ese equipo.",
      silent: "Compruebe que está encendido y que tiene red; flanco forward test central prueba el camino.",
      clock_off: "Compruebe en ese equipo que la red pone el reloj en hora.",
      behind: "No hay que hacer nada mientras el número baje; si no baja, mire el estado de ese equipo.",
    },
  },
  {
    title: "Clinics",
    intro: "What each clinic has sold, and how its gateway fares.",
    all: "All clinics",
    clinic: "Clinic",
    equipment: "Gateway",
    before: (from, to) => `Before (${from} – ${to})`,
    none: "The company has no clinic.",
    noneDetail: "They are added with flanco central gateway add.",
    troubles: (count) => `Gateways to see to: ${count}`,
    never: "never",
    states: {
      forked: "Another ledger",
      lacking: "Entries missing",
      silent: "Silent",
      clock_off: "Clock off",
      behind: "Behind",
      good: "Up to date",
    },
    what: {
      forked: (entry) =>
        `From entry ${entry} on its ledger does not continue the company's: nothing more is taken.`,
      lacking: (count) =>
        `It lost ${count} entries before they were sent, and its ledger does not tell of them.`,
      silent: (seen) => `Last call: ${seen}. A gateway calls every five minutes.`,
      clock_off: (seconds) => `Its clock differs by ${seconds} seconds from the database's.`,
      behind: (count) => `${count} entries are still to be sent.`,
    },
    todo: {
      forked: (name) =>
        `If a backup was restored and the sales of both are real, accept it: flanco central gateway accept-fork ${name}`,
      lacking: "Run flanco verify on that gateway.",
      silent: "Check that it has power and network; flanco forward test central tries the way.",
      clock_off: "Check on that gateway that the network sets its clock.",
      behind: "Nothing is to be done while the number falls; if it does not, look at that gateway's status.",
    },
  },
);
