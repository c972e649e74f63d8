import { setImmediate as turn } from "node:timers/promises";
import type { SettlementContent } from "../contract/settlement.ts";
import { contentOf, partWithin } from "../contract/settlement-text.ts";
import { microsFromValor } from "../domain/amount.ts";
import { formatMonth, monthOf } from "../domain/day.ts";
import type { Id } from "../domain/id.ts";
import type { Language, Pair } from "../domain/language.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import type { RecordFilter } from "../domain/record.ts";
import type { SettlementHead } from "../domain/settlement.ts";
import { EXPORT_TEXTS } from "./export-texts.ts";
import { type Column, type Sheet, sheetOf } from "./workbook.ts";

export type SettlementReads = Pick<LedgerReader, "settlements" | "settlement">;

/** Ten years of months. */
const MAX_MONTHS = 120;

type Location = SettlementContent["locations"][number];

interface SettledRow {
  readonly head: SettlementHead;
  readonly location: Location;
  readonly place: string;
}

function money(title: Pair<string>, valorOf: (location: Location) => number | null): Column<SettledRow> {
  const of = ({ location }: SettledRow) => {
    const valor = valorOf(location);
    return valor === null ? null : microsFromValor(valor);
  };
  return { title, kind: "money", of };
}

const COLUMNS: readonly Column<SettledRow>[] = [
  { title: ["Mes", "Month"], kind: "text", of: ({ head }) => formatMonth(head.month) },
  { title: ["Lugar", "Location"], kind: "text", of: ({ place }) => place },
  { title: ["Ventas", "Sales"], kind: "count", of: ({ location }) => location.sales },
  money(["Bruto", "Gross"], ({ gross }) => gross),
  money(["Devoluciones", "Refunds"], ({ refunded }) => -refunded),
  money(["Neto", "Net"], ({ net }) => net),
  money(["Regularización", "Corrections"], ({ corrected }) => corrected.net),
  money(["A liquidar", "Settled"], ({ due }) => due.net),
  money(["Base imponible", "VAT base"], ({ due }) => due.base),
  money(["IVA", "VAT"], ({ due }) => due.vat),
  money(["Parte de la clínica", "The clinic's part"], ({ due }) => due.clinic),
  money(["Parte de la empresa", "The company's part"], ({ due }) => due.company),
  money(["Contado", "Counted"], ({ counted }) => counted),
  money(["Diferencia", "Difference"], ({ difference }) => difference),
  { title: ["Entrada", "Entry"], kind: "text", of: ({ head }) => String(head.number) },
  { title: ["Huella", "Hash"], kind: "text", of: ({ head }) => head.hash },
];

interface SheetQuery {
  readonly userId: Id;
  readonly filter: RecordFilter;
  readonly language: Language;
  readonly note: string;
}

/**
 * A sheet of the closed months that a filter touches, by location, as they were settled. None where no month is
 * closed, and where the filter is by more than days and location: what is settled is of whole locations.
 */
export function settlementSheet(
  reads: SettlementReads,
  { userId, filter, language, note }: SheetQuery,
): readonly Sheet[] {
  const { settlement: name, otherPlaces } = EXPORT_TEXTS[language];
  const { from, to, location, within, deviceId, room, roomPart, number, state } = filter;
  if ([deviceId, room, roomPart, number, state].some((value) => value != null)) return [];
  const heads = reads
    .settlements(userId, MAX_MONTHS)
    .filter(
      ({ month }) => (from === null || month >= monthOf(from)) && (to === null || month <= monthOf(to)),
    );
  if (heads.length === 0) return [];
  const rows = async function* () {
    for (const head of heads) {
      const { locations } = partWithin(contentOf(reads.settlement(userId, head.month)), within);
      yield locations
        .filter(({ names }) => location === null || names.includes(location))
        .map((own) => ({ head, location: own, place: own.name === "" ? otherPlaces : own.name }));
      await turn();
    }
  };
  return [sheetOf({ name, note }, COLUMNS, rows())];
}
