import { bilingual } from "../../domain/language.ts";

/** What the shared elements say by themselves. */
export const elementTexts = bilingual(
  {
    showPassword: "Mostrar",
    hidePassword: "Ocultar",
    close: "Cerrar",
    cancel: "Cancelar",
    save: "Guardar",
    saving: "Guardando…",
    on: "Encendida",
    off: "Apagada",
    provisional: "hora provisional",
    retry: "Reintentar",
    undo: "Deshacer",
    unreachable: "No se puede conectar con el equipo. Compruebe la red e inténtelo de nuevo.",
    overloaded: "El equipo está ocupado. Inténtelo de nuevo en un momento.",
    unread: "No se han podido leer estos datos. Compruebe la conexión y reintente.",
    failed: "No se ha podido completar. Inténtelo de nuevo en un momento.",
    /** What is wrong with a field, by the kind that the API gives. */
    mistakes: {
      required: "Falta este dato.",
      type: "Este dato no es válido.",
      length: "Escriba de 1 a 200 caracteres.",
      range: "Está fuera de los límites.",
      unique: "Ya existe.",
    },
  },
  {
    showPassword: "Show",
    hidePassword: "Hide",
    close: "Close",
    cancel: "Cancel",
    save: "Save",
    saving: "Saving…",
    on: "On",
    off: "Off",
    provisional: "provisional time",
    retry: "Try again",
    undo: "Undo",
    unreachable: "The gateway cannot be reached. Check the network and try again.",
    overloaded: "The gateway is busy. Try again in a moment.",
    unread: "This could not be read. Check the connection and try again.",
    failed: "That did not work. Please try again in a moment.",
    mistakes: {
      required: "This is missing.",
      type: "This is not valid.",
      length: "Write 1 to 200 characters.",
      range: "This is out of bounds.",
      unique: "This exists already.",
    },
  },
);
