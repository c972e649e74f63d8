import type { Sale } from "../api/sale.ts";
import type { Format } from "../format/format.ts";
import { useMessages } from "../messages/speech.ts";

interface SaleRowProps {
  readonly sale: Sale;
  /** True while its room is still on. */
  readonly isOngoing: boolean;
  readonly format: Format;
}

/** One sale. */
export function SaleRow({ sale, isOngoing, format }: SaleRowProps) {
  const { sales: texts } = useMessages();
  return (
    <li class={classOf(sale)}>
      <time class="sale-time" dateTime={format.iso(sale.createdTimeMs)}>
        {format.time(sale.createdTimeMs)}
      </time>
      <span class="sale-room">
        <span class="sale-room-word">{texts.room}</span> {sale.room}
      </span>
      <span class="sale-place">
        {sale.deviceName} · {sale.locationName}
        {sale.origin === "found_at_start" && ` · ${texts.foundAtStart}`}
        {sale.isProvisional && ` · ${texts.provisional}`}
        {sale.voidReason !== null && ` · ${texts.voided(sale.voidReason)}`}
      </span>
      <span class="sale-valor">{format.money(sale.valor)}</span>
      <span class="sale-length">
        {isOngoing ? (
          <span class="sale-ongoing">{texts.ongoing}</span>
        ) : (
          sale.endedTimeMs !== null && format.duration(sale.endedTimeMs - sale.createdTimeMs)
        )}
      </span>
    </li>
  );
}

function classOf(sale: Sale): string {
  if (sale.voidReason !== null) return "sale sale-void";
  return sale.origin === "live" ? "sale sale-new" : "sale";
}
