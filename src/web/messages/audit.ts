import { bilingual } from "../../domain/language.ts";
import { sinkTexts } from "./sinks.ts";

/** A sink as the page names it. */
function named(names: Readonly<Record<string, string>>, code: string): string {
  return names[code] ?? code;
}

/** An entry's value, as it is shown. */
type Value = (name: string) => string;

/** What was done, by whom and from where. Values come as they are shown. */
export const auditTexts = bilingual(
  {
    title: "Actividad",
    intro: "Quién ha entrado y qué ha cambiado, lo último primero. Su técnico puede ver la lista entera.",
    none: "Nada todavía",
    when: "Cuándo",
    what: "Qué",
    who: "Quién",
    fromAddress: (address: string) => `desde ${address}`,
    byCommand: (user: string) => `un comando de ${user} en el equipo`,
    byService: "el propio equipo",
    somebody: "sin identificar",
    kinds: {
      sign_in: () => "Inició sesión",
      sign_in_failed: (value: Value) =>
        value("attempts") === "1"
          ? "No pudo iniciar sesión: contraseña equivocada"
          : `No pudo iniciar sesión: ${value("attempts")} intentos`,
      sign_out: () => "Cerró sesión",
      member_added: (value: Value) => `Se añadió a ${value("email")}`,
      password_changed: () => "Se cambió la contraseña; todas las sesiones acabaron",
      member_removed: (value: Value) => `Se quitó a ${value("email")}`,
      role_changed: (value: Value) => `Se cambió el rol de ${value("email")}`,
      link_made: (value: Value) => `Se creó un enlace para que ${value("email")} elija su contraseña`,
      sessions_ended: (value: Value) => `Se cerraron las sesiones de ${value("email")}`,
      wiring_set: (value: Value) =>
        value("valorBefore") === ""
          ? `Línea ${value("line")} conectada a la habitación ${value("room")}, a ${value("valor")} la venta`
          : `Precio de la habitación ${value("room")}: ${value("valor")} (antes ${value("valorBefore")})`,
      wiring_removed: (value: Value) =>
        `Línea ${value("line")} desconectada de la habitación ${value("room")}`,
      room_renamed: (value: Value) => `La habitación ${value("from")} se llama ahora ${value("to")}`,
      price_planned: (value: Value) =>
        `Precio de la habitación ${value("room")}: ${value("valor")} desde el ${value("from")}`,
      price_cancelled: (value: Value) =>
        `Anulado el precio de ${value("valor")} previsto desde el ${value("from")} (${value("rooms")} habitaciones)`,
      test_begun: (value: Value) =>
        `Prueba de ${value("minutes")} min: no cuentan las habitaciones ${value("rooms")}`,
      test_ended: (value: Value) =>
        `Fin de la prueba de las habitaciones ${value("rooms")}: ${value("edges")} encendidos que no cuentan`,
      commissioned: (value: Value) =>
        `Informe de puesta en marcha de ${value("technician")}: ${value("rooms")} habitaciones, ${value("good")} bien`,
      letterhead_set: (value: Value) =>
        `Membrete de los informes: ${value("company")}, ${value("taxNumber")}`,
      record_voided: (value: Value) =>
        `Registro ${value("recordId")} anulado (${value("valor")}): ${value("reason")}`,
      data_imported: (value: Value) =>
        `Importación de ${value("source")}: ${value("locations")} lugares, ${value("devices")} dispositivos y sus registros`,
      ledger_restored: (value: Value) => `Copia de seguridad restaurada: ${value("backup")}`,
      sink_changed: (value: Value) =>
        value("host") === ""
          ? `Cambió lo que el equipo envía: ${named(sinkTexts.es.names, value("sink"))}`
          : `El equipo envía a ${value("host")}: ${named(sinkTexts.es.names, value("sink"))}`,
      move_allowed: () => "Código para llevar la clínica a otro equipo",
      ledger_moved: () => "Otro equipo se hizo cargo de la clínica",
      ledger_rebuilt: (value: Value) => `Registros rehechos tras un daño, desde ${value("backup")}`,
      secret_rotated: () => "Se cambió el secreto de las sesiones: todos entran de nuevo",
      certificate_changed: () => "Certificado renovado",
      clock_corrected: (value: Value) =>
        `Se corrigió la hora de ${value("records")} registros en ${value("seconds")} segundos`,
      findings_acknowledged: (value: Value) =>
        `${value("name")} se da por enterado de lo que halló la comprobación: ${value("reason")}`,
    },
  },
  {
    title: "Activity",
    intro: "Who signed in and what was changed, the latest first. Your technician can see the whole list.",
    none: "Nothing yet",
    when: "When",
    what: "What",
    who: "Who",
    fromAddress: (address) => `from ${address}`,
    byCommand: (user) => `a command of ${user} on the gateway`,
    byService: "the gateway itself",
    somebody: "not identified",
    kinds: {
      sign_in: () => "Signed in",
      sign_in_failed: (value) =>
        value("attempts") === "1"
          ? "Could not sign in: wrong password"
          : `Could not sign in: ${value("attempts")} attempts`,
      sign_out: () => "Signed out",
      member_added: (value) => `${value("email")} added`,
      password_changed: () => "Password changed; all sessions ended",
      member_removed: (value) => `${value("email")} removed`,
      role_changed: (value) => `Role of ${value("email")} changed`,
      link_made: (value) => `Link made for ${value("email")} to choose a password`,
      sessions_ended: (value) => `Sessions of ${value("email")} ended`,
      wiring_set: (value) =>
        value("valorBefore") === ""
          ? `Line ${value("line")} wired to room ${value("room")}, ${value("valor")} a sale`
          : `Price of room ${value("room")}: ${value("valor")} (${value("valorBefore")} before)`,
      wiring_removed: (value) => `Line ${value("line")} unwired from room ${value("room")}`,
      room_renamed: (value) => `Room ${value("from")} is called ${value("to")} from here on`,
      price_planned: (value) => `Price of room ${value("room")}: ${value("valor")} from ${value("from")} on`,
      price_cancelled: (value) =>
        `Price of ${value("valor")} planned from ${value("from")} on cancelled (${value("rooms")} rooms)`,
      test_begun: (value) => `Test of ${value("minutes")} min: the rooms ${value("rooms")} do not count`,
      test_ended: (value) =>
        `End of the test of the rooms ${value("rooms")}: ${value("edges")} times switched on, none counts`,
      commissioned: (value) =>
        `Acceptance report of ${value("technician")}: ${value("rooms")} rooms, ${value("good")} good`,
      letterhead_set: (value) => `Head of the reports: ${value("company")}, ${value("taxNumber")}`,
      record_voided: (value) => `Record ${value("recordId")} voided (${value("valor")}): ${value("reason")}`,
      data_imported: (value) =>
        `Imported from ${value("source")}: ${value("locations")} locations, ${value("devices")} devices and their records`,
      ledger_restored: (value) => `Backup restored: ${value("backup")}`,
      sink_changed: (value) =>
        value("host") === ""
          ? `What the gateway sends was changed: ${named(sinkTexts.en.names, value("sink"))}`
          : `The gateway sends to ${value("host")}: ${named(sinkTexts.en.names, value("sink"))}`,
      move_allowed: () => "Code to move the clinic to another gateway",
      ledger_moved: () => "Another gateway took the clinic over",
      ledger_rebuilt: (value) => `Records built anew after damage, from ${value("backup")}`,
      secret_rotated: () => "The secret of sessions was changed: everybody signs in anew",
      certificate_changed: () => "Certificate renewed",
      clock_corrected: (value) =>
        `The time of ${value("records")} records was corrected by ${value("seconds")} seconds`,
      findings_acknowledged: (value) =>
        `${value("name")} knows of what the check has found: ${value("reason")}`,
    },
  },
);
