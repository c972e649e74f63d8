import { DAY_MS, HOUR_MS } from "../clock.ts";
import { after, alarm, counted, warning } from "./entry.ts";

/** The first backup is made a minute after the start; a failed backup is tried again every hour. */
const FIRST_BACKUP_GRACE_MS = 25 * HOUR_MS;
/** A backup is made every day. */
const OLD_BACKUP_MS = 2 * DAY_MS;

/** Of the ledger and its copies. */
export const LEDGER_FAULTS = {
  backup_failed: alarm("backup", {
    when: "the last backup failed",
    of: "directory",
    message: ({ directory, reason }: { directory: string; reason: string }) =>
      `The backup to ${directory} has failed: ${reason}`,
    hint: "It is tried again every hour; earlier backups were kept. Run flanco backup to see it work.",
    what: ["La última copia de seguridad ha fallado.", "The last backup has failed."],
    todo: [
      "Se intenta de nuevo cada hora. Si mañana sigue este aviso, llame a su técnico.",
      "It is tried again every hour. If this is still here tomorrow, call your technician.",
    ],
  }),
  backup_missing: warning("backup", {
    when: "the service has run for 25 hours without a backup",
    find: ({ lastBackup, uptimeMs }) =>
      lastBackup === null && uptimeMs >= FIRST_BACKUP_GRACE_MS
        ? { hours: Math.floor(uptimeMs / HOUR_MS) }
        : null,
    beganMs: ({ startedMs }) => startedMs + FIRST_BACKUP_GRACE_MS,
    message: ({ hours }: { hours: number }) =>
      `There is no proven backup of the ledger, though the service has run for ${hours} hours.`,
    hint: "Run flanco backup: it says what keeps it from working.",
    what: ["Todavía no hay ninguna copia de seguridad.", "There is no backup yet."],
    todo: [
      "Pida a su técnico que revise dónde se guardan las copias.",
      "Ask your technician to check where backups are kept.",
    ],
  }),
  backup_old: warning("backup", {
    when: "the newest proved backup is more than two days old",
    find: ({ lastBackup, uptimeMs }) => {
      if (lastBackup === null) return null;
      // A backup of unknown age was there when this process began, so it is at least as old as the process.
      const ageMs = lastBackup.ageMs ?? uptimeMs;
      return ageMs > OLD_BACKUP_MS ? { madeTime: lastBackup.madeMs, days: Math.floor(ageMs / DAY_MS) } : null;
    },
    beganMs: (_reading, { madeTime }) => madeTime + OLD_BACKUP_MS,
    message: ({ days }: { madeTime: number; days: number }) =>
      `The newest proven backup of the ledger is ${days} days old.`,
    hint: "Run flanco backup: it says what keeps it from working.",
    what: ({ some }) => [
      `La última copia de seguridad es de hace ${some("days", "día", "días", "días")}.`,
      `The last backup is ${some("days", "day", "days", "days")} old.`,
    ],
    todo: [
      "Pida a su técnico que revise por qué no se hacen copias nuevas.",
      "Ask your technician to check why no new ones are made.",
    ],
  }),
  remote_backup_old: warning("backup", {
    when: "a remote place is set up for backups, and for two days no new one has reached it",
    find: ({ sinks }) => {
      const remote = sinks.find(({ name }) => name === "remote");
      const ageMs = remote?.backup?.ageMs ?? remote?.behindMs ?? 0;
      return ageMs > OLD_BACKUP_MS ? { days: Math.floor(ageMs / DAY_MS) } : null;
    },
    message: ({ days }: { days: number }) =>
      `For ${days} days no backup has reached the remote place, outside of the house.`,
    hint: "flanco forward test remote says what keeps it from working. Backups are made here all the same.",
    what: ({ some }) => [
      `Desde hace ${some("days", "día", "días")} ninguna copia de seguridad sale de la casa.`,
      `For ${some("days", "day", "days")} no backup has left the house.`,
    ],
    todo: [
      "Las copias se hacen igualmente aquí. Pida a su técnico que revise el envío.",
      "Backups are made here all the same. Ask your technician to check the remote place.",
    ],
  }),
  remote_backups_removed: alarm("backup", {
    when: "backups at the remote place were removed by somebody else, for a day",
    find: ({ sinks, clock }) => {
      const { removed = null } = sinks.find(({ name }) => name === "remote")?.backup ?? {};
      if (removed === null || clock.nowMs - removed.seenMs > DAY_MS) return null;
      return { files: removed.count, seenTime: removed.seenMs };
    },
    beganMs: (_reading, { seenTime }) => seenTime,
    isPast: true,
    message: ({ files }: { files: number; seenTime: number }) =>
      `Files of backups are missing at the remote place, which flanco has not removed: ${files}.`,
    hint: "Ask who removed them, and give the login another password. The newest backup is sent again by itself.",
    what: [
      "Alguien ha borrado copias de seguridad fuera de la casa.",
      "Somebody has removed backups outside of the house.",
    ],
    todo: [
      "La última se vuelve a enviar sola. Pida a su técnico que averigüe quién fue y cambie la contraseña.",
      "The newest is sent again by itself. Have your technician find out who did, and change the password.",
    ],
  }),
  backup_disk_missing: alarm("backup", {
    when: "no disk has been mounted at backup_disk_dir for an hour",
    of: "directory",
    message: ({ directory }: { directory: string }) =>
      `No disk is mounted at ${directory}: there is no backup there.`,
    hint: "Put the backup disk in, then run flanco backup. Another disk: flanco backup-disk /dev/sda.",
    what: [
      "Falta el disco de copias: las copias están solo en la tarjeta, y se perderían con ella.",
      "The backup disk is missing: the backups are on the card alone, and would be lost with it.",
    ],
    todo: [
      "Conecte el disco de copias. Si sigue este aviso una hora después, llame a su técnico.",
      "Put the backup disk in. If this is still here an hour later, call your technician.",
    ],
  }),
  backup_foreign: alarm("backup", {
    when: "the removable disk holds backups of another ledger",
    of: "directory",
    message: ({ directory, ledgers }: { directory: string; ledgers?: string }) =>
      `The backup disk ${directory} holds backups of another ledger${ledgers === undefined ? "" : `: ${ledgers}`}.`,
    sales: ["ledgers"],
    hint: "If the disk is another gateway's, give it back. If they are this gateway's, from before its card was replaced, keep them elsewhere and remove the folder.",
    what: ({ text }) => [
      `El disco de copias tiene copias de otro libro de ventas${after(text("ledgers"))}.`,
      `The backup disk holds backups of another ledger${after(text("ledgers"))}.`,
    ],
    todo: [
      "Si el disco es de otro equipo, devuélvalo. Si no, avise a su técnico.",
      "If the disk is another gateway's, give it back. Otherwise tell your technician.",
    ],
  }),
  tail_failed: warning("ledger", {
    when: "the tail, which a rebuild needs beside the newest backup, cannot be written",
    message: ({ reason }: { reason: string }) =>
      `The copy of what the newest backup lacks cannot be written: ${reason}.`,
    hint: "Everything is recorded all the same. It goes on by itself once the disk takes it again, or with the next backup: look at the backup disk.",
    what: [
      "La copia de las últimas ventas no se puede escribir.",
      "The copy of the newest sales cannot be written.",
    ],
    todo: [
      "Todo se registra. Si mañana sigue este aviso, pida a su técnico que revise el disco de copias.",
      "Everything is recorded. If this is still here tomorrow, ask your technician to check the backup disk.",
    ],
  }),
  copy_damaged: alarm("backup", {
    when: "the weekly check found a damaged backup, or damage in the tail, until the next backup is proved",
    message: ({ what }: { what: string }) => `A copy of the ledger is damaged: ${what}`,
    hint: "The ledger itself is whole. Another backup is made by itself, within the hour. If this comes again, replace the card or the disk.",
    what: ["Una copia de seguridad está dañada.", "A backup is damaged."],
    todo: [
      "Se hace otra sola. Si este aviso vuelve, pida a su técnico que cambie la tarjeta o el disco de copias.",
      "Another one is made by itself. If this comes again, have your technician replace the card or the backup disk.",
    ],
  }),
  ledger_damaged: alarm("ledger", {
    when: "the full check, or the one of a backup, has findings that are not acknowledged",
    message: ({ what }: { what?: string }) =>
      `The full check of the ledger has found a mistake${what === undefined ? "." : `: ${what}`}`,
    sales: ["what"],
    hint: "Run flanco verify to see all of it. Keep a copy of the data directory: the file may have been altered on purpose.",
    what: [
      "La revisión del libro de ventas ha encontrado un error.",
      "The check of the ledger has found a mistake.",
    ],
    todo: [
      "No apague el equipo y llame a su técnico.",
      "Do not switch the gateway off, and call your technician.",
    ],
  }),
  ledger_unread: warning("ledger", {
    when: "the records, lines and gaps that the status tells of cannot be read",
    find: ({ unread }) => (unread === null ? null : { reason: unread }),
    message: ({ reason }: { reason: string }) =>
      `Today's records, the lines and the gaps cannot be read from the ledger: ${reason}`,
    hint: "What else is told here is true. Run flanco verify: the file may be damaged.",
    what: [
      "Las ventas de hoy no se pueden leer del libro de ventas.",
      "Today's sales cannot be read from the ledger.",
    ],
    todo: [
      "Se siguen registrando. Si dentro de una hora sigue este aviso, llame a su técnico.",
      "They are still recorded. If this is still here in an hour, call your technician.",
    ],
  }),
  check_failed: alarm("ledger", {
    when: "the full check could not run",
    message: ({ reason }: { reason: string }) => `The full check of the ledger could not be made: ${reason}`,
    hint: "It is tried again every hour. Run flanco verify to see it work.",
    what: [
      "La revisión completa del libro de ventas no se ha podido hacer.",
      "The full check of the records could not be made.",
    ],
    todo: [
      "Se intenta de nuevo cada hora. Si mañana sigue este aviso, llame a su técnico.",
      "It is tried again every hour. If this is still here tomorrow, call your technician.",
    ],
  }),
  records_lost: alarm("ledger", {
    when: "a damaged file was rebuilt, and some entries could not be recovered",
    of: "to",
    message: ({ from, to, reason }: { from?: number; to?: number; reason: string }) => {
      const one = `The entry ${from} of the ledger was`;
      const several = `The entries ${from} to ${to} of the ledger were`;
      const entries = from === undefined ? "Entries of the ledger were" : from === to ? one : several;
      return `${entries} lost with a damaged file: ${reason}.`;
    },
    sales: ["from", "to"],
    hint: "Compare these hours with your own papers, and add what is missing: on the page under Records, or with flanco record add.",
    what: ["Se perdieron registros con un fichero dañado.", "Records were lost with a damaged file."],
    todo: [
      "Compare esas horas con sus propios apuntes y añada lo que falte: en «Registros», «Añadir una venta».",
      "Compare those hours with your own notes, and add what is missing: under “Records”, “Add a sale”.",
    ],
  }),
  restore_dropped: alarm("ledger", {
    when: "a restored backup lacks sales of the ledger that it replaced, until an owner acknowledges it (flanco verify)",
    message: ({
      backup,
      sales,
      since,
      until,
    }: {
      backup: string;
      since: string;
      until: string;
      sales?: string | number;
    }) => {
      const records = typeof sales === "number" ? counted(sales, "record") : "records";
      const span = since === "" ? "" : `, from ${since} to ${until}`;
      return `The restored backup ${backup} lacks ${records} of the ledger that it replaced${span}.`;
    },
    sales: ["sales"],
    hint: "Bring them over from the replaced ledger, which is kept, or add them with flanco record add. Then an owner acknowledges it: flanco verify --acknowledge NAME.",
    what: ({ text }) => [
      `Faltan ventas desde que se restauró una copia de seguridad${after(text("sales"))}.`,
      `Sales are missing since a backup was restored${after(text("sales"))}.`,
    ],
    todo: [
      "Pida a su técnico que las recupere, o añádalas en «Registros». El aviso sigue hasta que el responsable lo confirme con él.",
      "Have your technician bring them back, or add them under “Records”. This stays until the owner confirms it with the technician.",
    ],
  }),
  time_zone_changed: alarm("ledger", {
    when: "another time zone moved sales to other days, until an owner acknowledges it (flanco verify)",
    of: "to",
    message: ({ from, to, sales }: { from: string; to: string; sales?: number }) =>
      `The time zone is ${to} and was ${from}: ${counted(sales, "sale")} changed the day, and the totals of days and months with it.`,
    sales: ["sales"],
    hint: "If that is wrong, set time_zone in flanco.toml and restart: the totals are as before then. An owner acknowledges it: flanco verify --acknowledge NAME.",
    what: ({ text }) => [
      `La zona horaria es ahora ${text("to")}. Hay ventas que cuentan en otro día${after(text("sales"))}.`,
      `The time zone is now ${text("to")}. There are sales that count on another day${after(text("sales"))}.`,
    ],
    todo: ({ text }) => [
      `Antes era ${text("from")}. Si no es correcto, llame a su técnico: los totales pueden volver a ser los de antes.`,
      `It was ${text("from")}. If that is wrong, call your technician: the totals can be as they were before.`,
    ],
  }),
};
