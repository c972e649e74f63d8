import type { Api } from "../api/api.ts";
import type { Report, Settlement } from "../api/shapes.ts";
import { useFormat } from "../live/gateway.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { reportTexts } from "../messages/report.ts";
import { settlementTexts } from "../messages/settlement.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { SheetTable } from "../report/sheet.tsx";

/** The most later settlements that are looked through: two years. */
const MAX_LATER = 24;

/** Under the report of a closed month: what has changed in it since, record by record. */
export function LaterCorrections({ report: { month, location, totals } }: { readonly report: Report }) {
  const { later } = useTexts(settlementTexts);
  const { money } = useFormat();
  // Not with each sale: a draft adds up a whole month.
  const found = useLoaded((api) => loadLater(api, month, location), `${month} ${location}`, [
    "settlement",
    "void",
    "time",
  ]).value;
  if (found == null || found.corrections.length === 0) return null;
  return (
    <CorrectionTable
      title={later.title}
      intro={later.sums(money(found.net), money(totals.revenue))}
      rows={found.corrections}
    />
  );
}

/** Null for a month that is not closed. */
async function loadLater(api: Api, month: string, location: string | null) {
  const { closed, next } = await api.data("/api/settlements");
  if (!closed.some((one) => one.month === month)) return null;
  const { content } = await api.data("/api/settlement", { month });
  const later = closed.filter((one) => one.month > month).slice(-MAX_LATER);
  const settlements: Settlement[] = [await api.data("/api/settlement/draft", { month: next })];
  for (const { month: of } of later)
    settlements.push((await api.data("/api/settlement", { month: of })).content);
  const isHere = (name: string) => location === null || name === location;
  const own = content.locations.find(({ name }) => name === location);
  return {
    net: location === null ? content.totals.net : (own?.net ?? 0),
    corrections: settlements.flatMap(({ corrections }) =>
      corrections.filter((one) => one.month === month && isHere(one.location)),
    ),
  };
}

interface CorrectionTableProps {
  readonly title: string;
  readonly intro: string;
  readonly rows: Settlement["corrections"];
}

/** Each record that changed a closed month, by its number. */
export function CorrectionTable(props: CorrectionTableProps) {
  const texts = useTexts(settlementTexts);
  const { month, room } = useTexts(reportTexts);
  const { dateTime, money } = useFormat();
  return (
    <SheetTable
      {...props}
      class="table-cards"
      keyOf={({ number, valor, month }) => `${number} ${month} ${Math.sign(valor)}`}
      columns={[
        {
          title: texts.record,
          isName: true,
          cell: ({ number }) => (
            <Link to="records" query={{ number: String(number) }}>
              {number}
            </Link>
          ),
        },
        { title: room, cell: ({ room, deviceName }) => `${room} · ${deviceName}` },
        { title: month, cell: ({ time, why }) => `${dateTime(time)}, ${texts.why[why]}` },
        { title: texts.amount, isNumber: true, cell: ({ valor }) => money(valor) },
      ]}
    />
  );
}
