import type { AuditKind } from "../../domain/audit.ts";
import { bilingual, type Pair } from "../../domain/language.ts";
import { sinkTexts } from "./sinks.ts";
import { updateTexts } from "./updates.ts";

/** A sink as the page names it. */
function named(names: Readonly<Record<string, string>>, code: string): string {
  return names[code] ?? code;
}

/** What was done, by the kind of entry. `value` gives one of its details, as it is shown. */
const kinds: Readonly<Record<AuditKind, (value: (name: string) => string) => Pair<string>>> = {
  sign_in: () => ["Inició sesión", "Signed in"],
  sign_in_failed: (value) =>
    value("attempts") === "1"
      ? ["No pudo iniciar sesión: contraseña equivocada", "Could not sign in: wrong password"]
      : [
          `No pudo iniciar sesión: ${value("attempts")} intentos`,
          `Could not sign in: ${value("attempts")} attempts`,
        ],
  sign_out: () => ["Cerró sesión", "Signed out"],
  member_added: (value) => [`Se añadió a ${value("email")}`, `${value("email")} added`],
  password_changed: () => [
    "Se cambió la contraseña; todas las sesiones acabaron",
    "Password changed; all sessions ended",
  ],
  member_removed: (value) => [`Se quitó a ${value("email")}`, `${value("email")} removed`],
  role_changed: (value) => [`Se cambió el rol de ${value("email")}`, `Role of ${value("email")} changed`],
  locations_set: (value) =>
    value("locations") === ""
      ? [
          `${value("email")} ve ${value("all") === "false" ? "ningún lugar" : "todos los lugares"}`,
          `${value("email")} sees ${value("all") === "false" ? "no location" : "all locations"}`,
        ]
      : [
          `${value("email")} ve solo: ${value("locations")}`,
          `${value("email")} is limited to ${value("locations")}`,
        ],
  link_made: (value) => [
    `Se creó un enlace para que ${value("email")} elija su contraseña`,
    `Link made for ${value("email")} to choose a password`,
  ],
  key_made: (value) => [`Se creó una clave para ${value("email")}`, `Key made for ${value("email")}`],
  key_revoked: (value) => [`Se anuló la clave de ${value("email")}`, `Key of ${value("email")} revoked`],
  sessions_ended: (value) => [
    `Se cerraron las sesiones de ${value("email")}`,
    `Sessions of ${value("email")} ended`,
  ],
  wiring_set: (value) =>
    value("valorBefore") === ""
      ? [
          `Línea ${value("line")} conectada a la habitación ${value("room")}, a ${value("valor")} la venta`,
          `Line ${value("line")} wired to room ${value("room")}, ${value("valor")} a sale`,
        ]
      : [
          `Precio de la habitación ${value("room")}: ${value("valor")} (antes ${value("valorBefore")})`,
          `Price of room ${value("room")}: ${value("valor")} (${value("valorBefore")} before)`,
        ],
  wiring_removed: (value) => [
    `Línea ${value("line")} desconectada de la habitación ${value("room")}`,
    `Line ${value("line")} unwired from room ${value("room")}`,
  ],
  room_renamed: (value) => [
    `La habitación ${value("from")} se llama ahora ${value("to")}`,
    `Room ${value("from")} is called ${value("to")} from here on`,
  ],
  price_planned: (value) => [
    `Precio de la habitación ${value("room")}: ${value("valor")} desde el ${value("from")}`,
    `Price of room ${value("room")}: ${value("valor")} from ${value("from")} on`,
  ],
  paid_time_moved: (value) => [
    `Lo pagado de la habitación ${value("room")} pasa a la ${value("toRoom")} (venta ${value("number")})`,
    `What is paid of room ${value("room")} moved to ${value("toRoom")} (sale ${value("number")})`,
  ],
  price_cancelled: (value) => [
    `Anulado el precio de ${value("valor")} previsto desde el ${value("from")} (habitaciones: ${value("rooms")})`,
    `Price of ${value("valor")} planned from ${value("from")} on cancelled (rooms: ${value("rooms")})`,
  ],
  test_begun: (value) => [
    `Prueba de ${value("minutes")} min, sin ventas de: ${value("rooms")}`,
    `Test of ${value("minutes")} min, without sales of: ${value("rooms")}`,
  ],
  test_ended: (value) => [
    `Fin de la prueba de: ${value("rooms")}. Encendidos, que no son ventas: ${value("edges")}`,
    `End of the test of: ${value("rooms")}. Times switched on, which are no sales: ${value("edges")}`,
  ],
  commissioned: (value) => [
    `Informe de puesta en marcha de ${value("technician")}: ${value("good")} de ${value("rooms")} bien`,
    `Acceptance report of ${value("technician")}: ${value("good")} of ${value("rooms")} good`,
  ],
  letterhead_set: (value) => [
    `Membrete de los informes: ${value("company")}, ${value("taxNumber")}`,
    `Head of the reports: ${value("company")}, ${value("taxNumber")}`,
  ],
  terms_set: (value) => [
    `Condiciones de ${value("location")} desde ${value("from")}`,
    `Terms of ${value("location")} from ${value("from")}`,
  ],
  month_closed: (value) => [`Mes cerrado: ${value("month")}`, `Month closed: ${value("month")}`],
  record_voided: (value) => [
    `Registro ${value("number")} anulado (${value("valor")}): ${value("reason")}`,
    `Record ${value("number")} voided (${value("valor")}): ${value("reason")}`,
  ],
  sale_added: (value) => [
    `Venta ${value("number")} añadida a mano, de la habitación ${value("room")} (${value("valor")}): ${value("reason")}`,
    `Sale ${value("number")} added by hand, of room ${value("room")} (${value("valor")}): ${value("reason")}`,
  ],
  record_refunded: (value) => [
    `Devolución ${value("number")} de la venta ${value("sale")} (${value("valor")}): ${value("reason")}`,
    `Refund ${value("number")} of the sale ${value("sale")} (${value("valor")}): ${value("reason")}`,
  ],
  data_imported: (value) => [
    `Registros importados de ${value("source")}. Lugares: ${value("locations")}; dispositivos: ${value("devices")}`,
    `Records imported from ${value("source")}. Locations: ${value("locations")}; devices: ${value("devices")}`,
  ],
  ledger_restored: (value) => [
    `Copia de seguridad restaurada: ${value("backup")}`,
    `Backup restored: ${value("backup")}`,
  ],
  sink_changed: (value) =>
    value("sink") === "update"
      ? ["Cambiaron las horas de las actualizaciones", "The hours of the updates were changed"]
      : value("host") === ""
        ? [
            `Cambió lo que el equipo envía: ${named(sinkTexts.es.names, value("sink"))}`,
            `What the gateway sends was changed: ${named(sinkTexts.en.names, value("sink"))}`,
          ]
        : [
            `El equipo envía a ${value("host")}: ${named(sinkTexts.es.names, value("sink"))}`,
            `The gateway sends to ${value("host")}: ${named(sinkTexts.en.names, value("sink"))}`,
          ],
  updated: (value) => [
    `Actualizaciones instaladas: ${value("packages")}`,
    `Updates installed: ${value("packages")}`,
  ],
  update_failed: (value) => [
    [named(updateTexts.es.failures, value("reason")), value("version")].join(" ").trim(),
    [named(updateTexts.en.failures, value("reason")), value("version")].join(" ").trim(),
  ],
  time_zone_changed: (value) => [
    `La zona horaria pasó de ${value("from")} a ${value("to")}. Registros que cambiaron de día: ${value("sales")}`,
    `The time zone was changed from ${value("from")} to ${value("to")}. Records that changed their day: ${value("sales")}`,
  ],
  ledger_rebuilt: (value) => [
    `Registros rehechos tras un daño, desde ${value("backup")}`,
    `Records built anew after damage, from ${value("backup")}`,
  ],
  secret_rotated: () => [
    "Se cambió el secreto de las sesiones: todos entran de nuevo",
    "The secret of sessions was changed: everybody signs in anew",
  ],
  clock_corrected: (value) => [
    `Hora corregida en ${value("seconds")} s. Registros: ${value("records")}`,
    `Time corrected by ${value("seconds")} s. Records: ${value("records")}`,
  ],
  findings_acknowledged: (value) => [
    `${value("name")} se da por enterado de lo que halló la comprobación: ${value("reason")}`,
    `${value("name")} knows of what the check has found: ${value("reason")}`,
  ],
};

/** What was done, by whom and from where. */
export const auditTexts = bilingual({
  title: ["Actividad", "Activity"],
  intro: [
    "Quién ha entrado y qué ha cambiado, lo último primero. Su técnico puede ver la lista entera.",
    "Who signed in and what was changed, the latest first. Your technician can see the whole list.",
  ],
  none: ["Nada todavía", "Nothing yet"],
  when: ["Cuándo", "When"],
  what: ["Qué", "What"],
  who: ["Quién", "Who"],
  fromAddress: (address: string) => [`desde ${address}`, `from ${address}`],
  byCommand: (user: string) => [`un comando de ${user} en el equipo`, `a command of ${user} on the gateway`],
  byService: ["el propio equipo", "the gateway itself"],
  somebody: ["sin identificar", "not identified"],
  kinds,
});
