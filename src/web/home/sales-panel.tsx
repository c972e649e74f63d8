import { useMemo } from "preact/hooks";
import type { Device } from "../api/device.ts";
import type { Sale } from "../api/sale.ts";
import type { Format } from "../format/format.ts";
import { useMessages } from "../messages/speech.ts";
import type { Ledger } from "./ledger.ts";
import { Nothing, Unread } from "./nothing.tsx";
import { ongoingSales } from "./rooms.ts";
import { SaleRow } from "./sale-row.tsx";
import { type SalesDay, salesByDay } from "./sales-day.ts";
import type { Part } from "./state.ts";

interface SalesPanelProps {
  readonly part: Part<Ledger>;
  readonly devices: readonly Device[];
  readonly format: Format;
  readonly isLoadingOlder: boolean;
  /** Asks for the sales before the given one. */
  readonly onOlder: (before: number) => void;
  readonly onRetry: () => void;
}

/** The ledger, newest first, under the days on which things were sold. */
export function SalesPanel({ part, devices, format, isLoadingOlder, onOlder, onRetry }: SalesPanelProps) {
  const { sales: texts } = useMessages();
  const ledger = part.kind === "ready" ? part.value : null;
  return (
    <section class="panel sales" aria-labelledby="sales-title">
      <h2 id="sales-title">{texts.title}</h2>
      {part.kind === "failed" && <Unread text={texts.failed} onRetry={onRetry} />}
      {ledger !== null && ledger.sales.length === 0 && (
        <Nothing title={texts.none} detail={texts.noneDetail} />
      )}
      {ledger !== null && ledger.sales.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls by itself must be reachable by keyboard.
        // biome-ignore lint/a11y/useSemanticElements: a group of sales is no form's fieldset.
        <div class="sales-scroll" role="group" tabIndex={0} aria-labelledby="sales-title">
          <SaleDays sales={ledger.sales} devices={devices} format={format} />
          <Older ledger={ledger} isLoading={isLoadingOlder} onOlder={onOlder} />
        </div>
      )}
    </section>
  );
}

interface SaleDaysProps {
  readonly sales: readonly Sale[];
  readonly devices: readonly Device[];
  readonly format: Format;
}

function SaleDays({ sales, devices, format }: SaleDaysProps) {
  const days = useMemo(() => salesByDay(sales, format.day), [sales, format]);
  const ongoing = useMemo(() => ongoingSales(devices, sales), [devices, sales]);
  return (
    <>
      {days.map((day) => (
        <div key={day.key} class="sales-day">
          <h3>
            <DayName day={day} format={format} />
          </h3>
          <ol>
            {day.sales.map((sale) => (
              <SaleRow
                key={sale.recordId}
                sale={sale}
                isOngoing={ongoing.has(sale.recordId)}
                format={format}
              />
            ))}
          </ol>
        </div>
      ))}
    </>
  );
}

function DayName({ day, format }: { readonly day: SalesDay; readonly format: Format }) {
  const { sales: texts } = useMessages();
  const daysAgo = format.daysAgo(day.timeMs, Date.now());
  if (daysAgo === undefined) return <>{format.longDay(day.timeMs)}</>;
  return <>{daysAgo === 0 ? texts.today : texts.yesterday}</>;
}

interface OlderProps {
  readonly ledger: Ledger;
  readonly isLoading: boolean;
  readonly onOlder: (before: number) => void;
}

function Older({ ledger, isLoading, onOlder }: OlderProps) {
  const messages = useMessages();
  const { next } = ledger;
  if (next === null) return <p class="sales-end">{messages.sales.end}</p>;
  return (
    <button type="button" class="quiet-button sales-older" disabled={isLoading} onClick={() => onOlder(next)}>
      {isLoading ? messages.loading : messages.sales.older}
    </button>
  );
}
