import { bilingual } from "../../domain/language.ts";

/** What the shared elements say by themselves. */
export const elementTexts = bilingual({
  showPassword: ["Mostrar", "Show"],
  hidePassword: ["Ocultar", "Hide"],
  close: ["Cerrar", "Close"],
  cancel: ["Cancelar", "Cancel"],
  save: ["Guardar", "Save"],
  on: ["Encendida", "On"],
  off: ["Apagada", "Off"],
  provisional: ["hora provisional", "provisional time"],
  actions: ["Acciones", "Actions"],
  retry: ["Reintentar", "Try again"],
  unreachable: [
    "El equipo no contesta. Compruebe la red y, antes de repetir un cambio, mire si ya está hecho.",
    "The gateway does not answer. Check the network and, before you repeat a change, see whether it is made already.",
  ],
  overloaded: [
    "El equipo está ocupado. Inténtelo de nuevo en un momento.",
    "The gateway is busy. Try again in a moment.",
  ],
  tooMany: [
    "Demasiados cambios en un día. Inténtelo mañana, o pida al técnico que lo haga en el equipo.",
    "Too many changes in a day. Try again tomorrow, or have the technician do it on the gateway.",
  ],
  waiting: ["Cargando…", "Loading…"],
  unread: [
    "No se han podido leer estos datos. Compruebe la conexión y reintente.",
    "This could not be read. Check the connection and try again.",
  ],
  failed: [
    "No se ha podido completar. Inténtelo de nuevo en un momento.",
    "That did not work. Please try again in a moment.",
  ],
  /** What is wrong with a field, by the kind that the API gives. */
  mistakes: {
    required: ["Falta este dato.", "This is missing."],
    type: ["Este dato no es válido. Corríjalo.", "This is not valid. Correct it."],
    length: ["Escriba de 1 a 200 caracteres.", "Write 1 to 200 characters."],
    range: ["Es demasiado grande o pequeño. Cámbielo.", "This is too large or too small. Change it."],
    unique: ["Ya existe. Ponga otro.", "This exists already. Choose another."],
  },
});
