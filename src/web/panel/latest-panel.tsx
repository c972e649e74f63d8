import type { Api } from "../api/api.ts";
import { loadRecords } from "../api/record-page.ts";
import type { Sale } from "../api/sale.ts";
import { Link } from "../element/link.tsx";
import { Nothing, Unread } from "../element/nothing.tsx";
import { useVisit } from "../frame/visit.ts";
import type { Part } from "../live/part.ts";
import { panelTexts } from "../messages/panel.ts";
import { useTexts } from "../messages/speech.ts";
import { addressOf } from "../route.ts";

export const LATEST_SHOWN = 6;

export async function loadLatest(api: Api): Promise<readonly Sale[]> {
  return (await loadRecords(api, "", null, LATEST_SHOWN)).records;
}

interface LatestPanelProps {
  readonly part: Part<readonly Sale[]>;
  readonly onRetry: () => void;
}

/** The last few sales, as they come. */
export function LatestPanel({ part, onRetry }: LatestPanelProps) {
  const texts = useTexts(panelTexts);
  const sales = part.kind === "ready" ? part.value : [];
  return (
    <section class="panel latest" aria-labelledby="latest-title">
      <div class="panel-head">
        <h2 id="latest-title">{texts.latest.title}</h2>
        <Link to={addressOf("records")}>{texts.latest.all}</Link>
      </div>
      {part.kind === "failed" && <Unread text={texts.latest.failed} onRetry={onRetry} />}
      {part.kind === "ready" && sales.length === 0 && (
        <Nothing title={texts.latest.none} detail={texts.latest.noneDetail} />
      )}
      {sales.length > 0 && (
        <ol class="latest-list">
          {sales.map((sale) => (
            <LatestSale key={sale.recordId} sale={sale} />
          ))}
        </ol>
      )}
    </section>
  );
}

function LatestSale({ sale }: { readonly sale: Sale }) {
  const { latest } = useTexts(panelTexts);
  const { format, now } = useVisit();
  const isVoid = sale.voidReason !== null;
  return (
    <li class={isVoid ? "latest-sale latest-void" : "latest-sale"}>
      <span class="latest-room">{latest.room(sale.room)}</span>
      <span class="latest-money">{format.money(sale.valor)}</span>
      <span class="latest-place">
        {sale.deviceName} · {sale.locationName}
        {isVoid && ` · ${latest.voided}`}
      </span>
      <time class="latest-time" dateTime={format.iso(sale.createdTimeMs)}>
        {format.moment(sale.createdTimeMs, now())}
        {sale.isProvisional && ` · ${latest.provisional}`}
      </time>
    </li>
  );
}
