import { MINUTE_MS } from "../clock.ts";
import { alarm, counted, grave, iso, warning } from "./entry.ts";

/** The network usually sets the clock within minutes of the boot. */
const CLOCK_GRACE_MS = 5 * MINUTE_MS;
/** Edges that hardware swallowed in a day. One may be a disturbance, three are a trait of the gateway. */
const MANY_SWALLOWED = 3;

/** Of the lines, and of the clock by which their sales get a time. */
export const LINE_FAULTS = {
  line_failed: grave("lines", {
    when: "a wired line is not watched",
    of: "line",
    find: ({ lineFailures }) => lineFailures.map(({ line, message }) => ({ line, reason: message })),
    message: ({ line, reason }: { line: string; reason: string }) =>
      `The line ${line} is not watched, and its sales are not recorded: ${reason}`,
    hint: "It is tried again every 5 seconds; flanco gpio detect shows all lines with the programs that use them.",
    what: ({ text }) => [
      `La línea ${text("line")} no se vigila: sus ventas no se registran.`,
      `The line ${text("line")} is not watched: its sales are not recorded.`,
    ],
    todo: [
      "Llame a su técnico y lea el texto de abajo.",
      "Call your technician and read out the text below.",
    ],
  }),
  edges_refused: grave("lines", {
    when: "edges wait for a reason other than a full disk, or the ledger refused one",
    // The fault of a full disk says already that switchings wait.
    find: ({ queues: { edges }, lasting }) =>
      edges.refused && !lasting.some(({ code }) => code === "disk_full") ? { waiting: edges.waiting } : null,
    message: ({ waiting }: { waiting?: number }) =>
      `The ledger refuses to record switchings: ${waiting ?? "they"} wait in memory, and one that it cannot take in becomes a gap.`,
    sales: ["waiting"],
    hint: "Read the service's log (journalctl -u flanco), which names the reason, and run flanco verify.",
    what: [
      "Hay encendidos que no se pueden anotar: el equipo los rechaza.",
      "Some switchings cannot be recorded: the gateway refuses them.",
    ],
    todo: [
      "Llame a su técnico hoy mismo y lea el texto de abajo. No apague el equipo: esperan en memoria.",
      "Call your technician today and read out the text below. Do not switch the gateway off: they wait in memory.",
    ],
  }),
  edges_lost: alarm("lines", {
    when: "edges came faster than they could be kept, in the last 24 hours",
    isPast: true,
    find: ({ troubles: { lost } }) => {
      if (lost === null) return null;
      const { gaps, edges, sales, lines } = lost;
      // Of a line with debounce it is not known how many of its lost edges are switchings.
      return { gaps, ...(edges > 0 && { edges, sales }), lines: lines.join(", ") };
    },
    beganMs: ({ troubles }) => troubles.lost?.toTimeMs ?? 0,
    message: ({ edges, sales, lines }: { gaps: number; edges?: number; sales?: number; lines: string }) => {
      const among = sales === undefined ? "" : `, ${counted(sales, "sale")} among them`;
      return `In the last 24 hours ${counted(edges, "switching")} went by unrecorded (${lines})${among}.`;
    },
    sales: ["edges", "sales"],
    hint: "Look at the relay and its contacts (a fluttering one needs a longer debounce_ms), and at whether the disk keeps up; then add what is missing: on the page beside the gap, or with flanco record add --gap.",
    what: ({ number, some }) =>
      number("sales") === 0
        ? [
            "Hubo momentos en que pudieron perderse ventas.",
            "There were moments in which sales may have been lost.",
          ]
        : [
            `${some("sales", "venta se perdió y no tiene", "ventas se perdieron y no tienen")} registro.`,
            `${some("sales", "sale was lost and has", "sales were lost and have")} no record.`,
          ],
    todo: ({ text }) => [
      `Compare esas horas con sus propios apuntes y añada lo que falte: en «Estado», junto a cada interrupción. Líneas: ${text("lines")}.`,
      `Compare those hours with your own notes, and add what is missing: under “Status”, beside each interruption. Lines: ${text("lines")}.`,
    ],
  }),
  edges_swallowed: alarm("lines", {
    when: "the hardware or the kernel did not report three edges or more in the last 24 hours",
    isPast: true,
    find: ({ troubles: { swallowed } }) =>
      swallowed !== null && swallowed.gaps >= MANY_SWALLOWED
        ? { edges: swallowed.gaps, lines: swallowed.lines.join(", ") }
        : null,
    beganMs: ({ troubles }) => troubles.swallowed?.toTimeMs ?? 0,
    message: ({ edges, lines }: { edges?: number; lines: string }) =>
      `In the last 24 hours the hardware or the kernel did not report ${counted(edges, "switching")} (${lines}): they were found up to two seconds late.`,
    sales: ["edges"],
    hint: "Debian's kernels for the Raspberry Pi 3, 4 and Zero 2 W lose edges where many lines change at once. Give every line its own 4.7 kΩ to 3.3 V and, against bounce, 100 nF to ground (docs/technician.md).",
    what: ({ some }) => [
      `En un día el equipo no avisó de ${some("edges", "cambio", "cambios", "algunos cambios")} de las líneas. Se encontraron al mirarlas, hasta dos segundos después.`,
      `In one day the hardware did not report ${some("edges", "change", "changes", "some changes")} of the lines. They were found by looking at them, up to two seconds late.`,
    ],
    todo: ({ text }) => [
      `Un apagado y encendido de menos de dos segundos puede haberse perdido. Lea a su técnico el texto de abajo. Líneas: ${text("lines")}.`,
      `A switching off and on of less than two seconds may be lost. Read the text below to your technician. Lines: ${text("lines")}.`,
    ],
  }),
  line_outage: alarm("lines", {
    when: "a line was not watched for a minute or more, in the last 24 hours",
    of: "to",
    isPast: true,
    find: ({ troubles: { unwatched }, simulated }) => {
      // Simulated lines miss nothing while the service does not run.
      if (unwatched === null || simulated) return null;
      const { gaps, fromTimeMs: from, toTimeMs: to, lines } = unwatched;
      return { gaps, from, to, lines: lines.join(", ") };
    },
    beganMs: (_reading, { to }) => to,
    message: ({ from, to, lines }: { gaps: number; from: number; to: number; lines: string }) =>
      `${lines} went unwatched for a time between ${iso(from)} and ${iso(to)}: what was switched on then has no record.`,
    hint: "Compare this time with your own papers, and add what is missing: on the page beside the gap, or with flanco record add --gap.",
    what: ({ moment }) => [
      `Entre ${moment("from")} y ${moment("to")} no se vigilaron todas las líneas: lo que se encendió entonces no tiene registro.`,
      `Between ${moment("from")} and ${moment("to")} not all lines were watched: what was switched on then has no record.`,
    ],
    todo: ({ text }) => [
      `Compare esas horas con sus propios apuntes y añada lo que falte: en «Estado», junto a la interrupción. Líneas: ${text("lines")}.`,
      `Compare those hours with your own notes, and add what is missing: under “Status”, beside the interruption. Lines: ${text("lines")}.`,
    ],
  }),
  clock_untrusted: warning("clock", {
    when: "the clock was not set within five minutes of boot",
    find: ({ clock, bootedForMs, provisional: { waiting } }) =>
      !clock.trusted && bootedForMs >= CLOCK_GRACE_MS ? { waiting } : null,
    beganMs: ({ clock, bootedForMs }) => clock.nowMs - bootedForMs,
    message: ({ waiting = 0 }: { waiting?: number }) => {
      const moved = waiting === 0 ? "" : ` ${counted(waiting, "record")} will be moved once it is.`;
      return `The clock was not set from the network since the gateway was started.${moved}`;
    },
    hint: "Connect the gateway to the network, and let it reach a time server (NTP).",
    sales: ["waiting"],
    what: ({ number, some }) =>
      number("waiting") === 0
        ? ["El reloj del equipo no está en hora.", "The gateway's clock is not set."]
        : [
            `El reloj del equipo no está en hora: ${some("waiting", "venta tiene", "ventas tienen")} la hora pendiente.`,
            `The gateway's clock is not set: ${some("waiting", "sale has", "sales have")} a time that is still to be settled.`,
          ],
    todo: [
      "Conecte el equipo a internet un momento. Las horas se corrigen solas; no se pierde nada.",
      "Connect the gateway to the internet for a moment. Times correct themselves; nothing is lost.",
    ],
  }),
  records_unplaced: warning("clock", {
    when: "the time of some records will never be known; the fault ends when they are voided",
    find: ({ provisional: { unplaced: records } }) => (records > 0 ? { records } : null),
    message: ({ records }: { records?: number }) =>
      `The time of ${counted(records, "record")} will never be known: the gateway lost its power before its clock was set.`,
    hint: "Compare them with your own papers: void each with flanco void, and add it again with its right time, by flanco record add or on the page.",
    sales: ["records"],
    what: ({ some }) => [
      `De ${some("records", "venta", "ventas", "algunas ventas")} no se sabe la hora exacta.`,
      `The exact time of ${some("records", "sale", "sales", "some sales")} is not known.`,
    ],
    todo: [
      "Los totales no cambian; solo la hora es aproximada.",
      "The totals stay the same; only the time is approximate.",
    ],
  }),
  clock_wrong: warning("clock", {
    when: "the clock was set to another time after it was trusted",
    find: ({ troubles: { misplaced } }) => misplaced,
    message: ({ records, seconds }: { records?: number; seconds: number }) =>
      `The clock was set by ${seconds} seconds after it was first trusted: ${counted(records, "sale")} stand under a wrong time.`,
    hint: "Check that the clock is right, then see what would be moved with flanco clock correct, and move it with --apply.",
    sales: ["records"],
    what: ({ some }) => [
      `El reloj estaba mal: ${some("records", "venta tiene", "ventas tienen", "algunas ventas tienen")} una hora equivocada.`,
      `The clock was wrong: ${some("records", "sale has", "sales have", "some sales have")} a wrong time.`,
    ],
    todo: [
      "Los totales no cambian. Su técnico puede corregir la hora: llámelo y lea el texto de abajo.",
      "The totals stay the same. Your technician can correct the time: call, and read the text below.",
    ],
  }),
};
