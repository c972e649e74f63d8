import { bilingual, counted } from "../../domain/language.ts";

export const settlementTexts = bilingual({
  title: ["Liquidación", "Settlement"],
  intro: [
    "Cada mes se cierra una vez: sus cifras quedan fijas y se firman. Lo que llegue después va a la liquidación siguiente.",
    "Each month is closed once: its figures are fixed, and signed. What comes later goes into the next settlement.",
  ],
  others: ["Otros lugares", "Other locations"],
  notClosed: (month: string) => [`${month} (sin cerrar)`, `${month} (not closed)`],
  close: (month: string) => [`Cerrar ${month}…`, `Close ${month}…`],
  closeTitle: (month: string) => [`Cerrar ${month}`, `Close ${month}`],
  closing: {
    meaning: [
      "Las cifras que ve quedan fijas para siempre, con su nombre. Un mes cerrado no se vuelve a abrir.",
      "The figures that you see are fixed for ever, with your name. A closed month is not opened again.",
    ],
    provisional: (count: string) => [
      `${counted(count, "venta todavía no tiene", "ventas todavía no tienen")} la hora segura: si cambia de mes, irá a la liquidación siguiente.`,
      `${counted(count, "sale has", "sales have")} no certain time yet: one that changes its month goes into the next settlement.`,
    ],
    noTerms: (names: string) => [
      `Sin condiciones: ${names}. Todo será de la empresa. Puede fijarlas antes en «Lugares».`,
      `Without terms: ${names}. All will be the company's. You can set them first in “Locations”.`,
    ],
    counted: ["Si ha contado el dinero, escríbalo:", "If you have counted the money, write it here:"],
    done: (month: string) => [`${month}: cerrado.`, `${month}: closed.`],
    conflict: [
      "No se puede: el mes no ha terminado o ya está cerrado, o el reloj del equipo no está en hora (vea «Estado»).",
      "Not possible: the month has not ended or is closed already, or the gateway's clock is not set (see “Status”).",
    ],
  },
  draft: (month: string) => [
    `Borrador: ${month} no está cerrado, y las cifras pueden cambiar.`,
    `Draft: ${month} is not closed, and the figures may change.`,
  ],
  nothingHere: ["Este mes no tiene nada que liquidar aquí.", "This month has nothing to settle here."],
  heading: (location: string) => [`Liquidación: ${location}`, `Settlement: ${location}`],
  number: (number: string) => [`Apunte ${number}`, `Entry ${number}`],
  closedBy: (when: string, who: string) => [`Cerrado el ${when} por ${who}`, `Closed ${when} by ${who}`],
  itself: ["el propio equipo", "the gateway itself"],
  figures: {
    due: ["A liquidar", "To settle"],
    clinic: ["Parte de la clínica", "The clinic's part"],
    company: ["Parte de la empresa", "The company's part"],
  },
  sum: ["Cuenta del mes", "Account of the month"],
  amountMistake: ["Escriba un importe, como 120,50.", "Write an amount, like 120.50."],
  concept: ["Concepto", "Item"],
  amount: ["Importe", "Amount"],
  gross: (count: string) => [
    `Bruto: ${counted(count, "venta", "ventas")}`,
    `Gross: ${counted(count, "sale", "sales")}`,
  ],
  byHand: (count: string) => [
    `de ello, ${counted(count, "venta añadida", "ventas añadidas")} a mano`,
    `of it, ${counted(count, "sale", "sales")} added by hand`,
  ],
  refunded: (count: string) => [
    counted(count, "devolución", "devoluciones"),
    counted(count, "refund", "refunds"),
  ],
  voided: (count: string) => [
    counted(count, "venta anulada, que no cuenta", "ventas anuladas, que no cuentan"),
    counted(count, "void sale, which does not count", "void sales, which do not count"),
  ],
  net: ["Neto del mes", "Net of the month"],
  corrected: ["Regularización de meses cerrados", "Corrections of closed months"],
  base: ["Base imponible", "VAT base"],
  vat: (rate: string) => [`IVA incluido${rate}`, `VAT included${rate}`],
  terms: {
    share: (share: string) => [`${share} % de lo vendido`, `${share} % of what is sold`],
    canon: (amount: string) => [`canon de ${amount} al mes`, `a canon of ${amount} a month`],
    minimum: (share: string, amount: string) => [
      `${share} % de lo vendido, y como mínimo ${amount} al mes`,
      `${share} % of what is sold, and at least ${amount} a month`,
    ],
    none: ["sin condiciones", "without terms"],
  },
  counted: ["Dinero contado", "Money counted"],
  difference: ["Diferencia", "Difference"],
  grossShort: ["Bruto", "Gross"],
  refundedShort: ["Devuelto", "Refunded"],
  netShort: ["Neto", "Net"],
  correctedShort: ["Regulariz.", "Corrected"],
  numbers: ["Números", "Numbers"],
  corrections: ["Regularización", "Corrections"],
  correctionsIntro: [
    "Lo que cambió en meses ya cerrados desde la liquidación anterior:",
    "What changed in closed months since the settlement before:",
  ],
  record: ["Registro", "Record"],
  why: {
    late: ["llegó después del cierre", "came after the closing"],
    voided: ["anulado después del cierre", "voided after the closing"],
    moved: ["su hora se supo después", "its time was learned later"],
  },
  moreCorrections: (count: string) => [
    `Y otras ${count}, que están en las sumas.`,
    `And ${count} more, which are in the sums.`,
  ],
  numbersText: (first: string, last: string, count: string, others: string, missing: string) => [
    `Números ${first} a ${last}: ${count}. De otros meses: ${others}. Faltan: ${missing}.`,
    `Numbers ${first} to ${last}: ${count}. Of other months: ${others}. Missing: ${missing}.`,
  ],
  provisional: (count: string) => [
    `Sin hora segura: ${counted(count, "venta", "ventas")}. Cuentan en este mes mientras no se sepa otra cosa.`,
    `Without a certain time: ${counted(count, "sale", "sales")}. They count in this month until more is known.`,
  ],
  noGaps: ["Sin interrupciones.", "No interruptions."],
  rounding: [
    "La base y la parte de la clínica se redondean al céntimo; el IVA y la parte de la empresa son el resto.",
    "VAT base and the clinic's part are rounded to the cent; VAT and the company's part are the rest.",
  ],
  seal: ["Huella de la liquidación en código QR", "Fingerprint of the settlement as a QR code"],
  sealed: [
    "Huella del apunte de esta liquidación en el libro de ventas. Con «Comprobar» en la página, o con «flanco verify --settlement», se ve si el papel dice lo que dice el libro.",
    "Fingerprint of this settlement's entry in the ledger. “Check” on the page, or “flanco verify --settlement”, shows whether the paper says what the ledger says.",
  ],

  check: {
    open: ["Comprobar…", "Check…"],
    title: ["Comprobar un papel", "Check a paper"],
    intro: [
      "Escriba la huella o el número del apunte, o pegue lo que lee la cámara, y el importe a liquidar.",
      "Write the fingerprint or the entry's number, or paste what the camera reads, and the amount to settle.",
    ],
    which: ["Huella o número", "Fingerprint or number"],
    whichMistake: [
      "Escriba al menos 16 cifras de la huella, o el número.",
      "Write at least 16 digits of the fingerprint, or the number.",
    ],
    net: ["A liquidar, según el papel (opcional)", "To settle, by the paper (optional)"],
    action: ["Comprobar", "Check"],
    unknown: [
      "Este libro no tiene ninguna liquidación con esa huella o ese número.",
      "This ledger has no settlement with that fingerprint or number.",
    ],
    found: (month: string, net: string) => [
      `Es la liquidación de ${month}: ${net}.`,
      `It is the settlement of ${month}: ${net}.`,
    ],
    wrongNet: ["El importe del papel es otro.", "The paper's amount is another one."],
    right: [
      "El apunte está intacto, y las cifras, hechas de nuevo con los registros, son las mismas.",
      "The entry is intact, and the figures, made anew from the records, are the same.",
    ],
    differs: (part: string, name: string, settled: string, ledger: string) => [
      `${part} ${name}: la liquidación dice ${settled}; los registros, ${ledger}.`,
      `${part} ${name}: the settlement says ${settled}; the records, ${ledger}.`,
    ],
    parts: {
      entry: ["El apunte está alterado.", "The entry was altered."],
      totals: ["Total", "Total"],
      numbers: ["Números que faltan", "Missing numbers"],
      location: ["Lugar", "Location"],
      month: ["Regularización", "Corrections"],
      room: ["Habitación", "Room"],
      correction: ["Registro", "Record"],
    },
  },

  later: {
    title: ["Rectificaciones posteriores al cierre", "Corrections after the closing"],
    sums: (then: string, today: string) => [
      `Al cerrar el mes: ${then}. Hoy: ${today}.`,
      `When the month was closed: ${then}. Today: ${today}.`,
    ],
  },

  termsOf: {
    open: (name: string) => [`Condiciones de ${name}`, `Terms of ${name}`],
    button: ["Condiciones", "Terms"],
    intro: [
      "Lo acordado con la clínica. Vale desde el mes que indique; los meses cerrados no cambian.",
      "What is agreed with the clinic. It holds from the month that you name; closed months do not change.",
    ],
    from: ["Desde el mes", "From the month"],
    fromMistake: ["Escriba el mes como 2026-10.", "Write the month like 2026-10."],
    kind: ["La clínica recibe", "The clinic gets"],
    kinds: {
      share: ["un porcentaje de lo vendido", "a share of what is sold"],
      canon: ["un canon fijo al mes", "a fixed canon each month"],
      minimum: ["un porcentaje, con un mínimo al mes", "a share, with a minimum each month"],
    },
    share: ["Porcentaje, con IVA", "Share in percent, VAT included"],
    shareMistake: ["Escriba un porcentaje mayor que 0, como 25,5.", "Write a percentage above 0, like 25.5."],
    amount: ["Importe al mes", "Amount each month"],
    vat: ["IVA incluido en los precios, en %", "VAT included in prices, in %"],
    percentMistake: ["Escriba un porcentaje, como 21.", "Write a percentage, like 21."],
    companySigner: ["Firma por la empresa", "Signs for the company"],
    clinicSigner: ["Firma por la clínica", "Signs for the clinic"],
    closesItself: ["Cerrar cada mes por sí solo, el día 3", "Close each month by itself, on the third day"],
    saved: (name: string) => [`Condiciones de ${name}: guardadas.`, `Terms of ${name}: saved.`],
    closed: [
      "Ese mes ya está cerrado: elija uno posterior.",
      "That month is closed already: choose a later one.",
    ],
  },
});
