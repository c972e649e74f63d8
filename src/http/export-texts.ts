import { bilingual } from "../domain/language.ts";

/** The words of what records are downloaded as. */
export const EXPORT_TEXTS = bilingual({
  file: ["flanco-ventas", "flanco-sales"],
  /** States and origins of records. */
  words: {
    counted: ["contado", "counted"],
    voided: ["anulado", "voided"],
    provisional: ["provisional", "provisional"],
    posted: ["enviado por un programa", "posted by a program"],
    edge: ["relé", "relay"],
    found_at_start: ["encontrado al arrancar", "found at start"],
    imported: ["importado", "imported"],
    by_hand: ["a mano", "by hand"],
    refund: ["devolución", "refund"],
  },
  records: ["Registros", "Records"],
  days: ["Días", "Days"],
  rooms: ["Habitaciones", "Rooms"],
  settlement: ["Liquidación", "Settlement"],
  otherPlaces: ["Otros lugares", "Other locations"],
  otherRooms: ["Otras habitaciones", "Other rooms"],
  otherDays: ["Otros días", "Other days"],
  every: ["todos los registros", "all records"],
  made: ["hecho el", "made on"],
  /** What records are filtered by. */
  filter: {
    from: ["desde", "from"],
    to: ["hasta", "to"],
    location: ["Lugar", "Location"],
    within: ["solo", "only"],
    deviceId: ["Dispositivo", "Device"],
    room: ["Habitación", "Room"],
    roomPart: ["habitaciones con", "rooms with"],
    number: ["Registro", "Record"],
    state: ["Estado", "State"],
  },
});
