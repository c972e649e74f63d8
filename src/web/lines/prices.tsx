import { useState } from "preact/hooks";
import { cancelPrices, loadPlannedPrices, loadPrices } from "../api/lines.ts";
import type { Price, Wiring } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { Confirm } from "../element/dialog.tsx";
import { useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";

/** Prices that are planned for days to come, of all rooms; each may be taken back. */
export function PlannedPrices({ onDone }: { readonly onDone: (text: string) => void }) {
  const texts = useTexts(linesTexts).planned;
  const { api, format } = useGateway();
  const { part, reload } = useLoaded(loadPlannedPrices, "", ["locations"]);
  const [cancelled, setCancelled] = useState<{ readonly price: Price; readonly rooms: number } | null>(null);
  const byPrice = new Map<string, Price[]>();
  for (const price of readyValue(part) ?? []) {
    const key = `${price.from} ${price.valor}`;
    byPrice.set(key, [...(byPrice.get(key) ?? []), price]);
  }
  const groups = [...byPrice].sort(([one], [other]) => format.compare(one, other));
  if (groups.length === 0) return null;
  const textOf = ({ from, valor }: Price, rooms: number) =>
    texts.price(format.dayName(from ?? "", "full"), format.money(valor), rooms, format.count(rooms));
  return (
    <>
      <ul class="planned">
        {groups.map(([key, group]) => {
          const [price] = group;
          if (price === undefined) return null;
          return (
            <li key={key}>
              <span>{textOf(price, group.length)}</span>
              <Button kind="quiet" onPress={() => setCancelled({ price, rooms: group.length })}>
                {texts.cancel}
              </Button>
            </li>
          );
        })}
      </ul>
      {cancelled !== null && (
        <Confirm
          title={texts.cancelTitle}
          action={texts.cancel}
          busyText={texts.cancelling}
          meaning={[textOf(cancelled.price, cancelled.rooms), texts.cancelMeaning]}
          onConfirm={() => cancelPrices(api, cancelled.price.from ?? "", cancelled.price.valor)}
          onDone={() => {
            setCancelled(null);
            reload();
            onDone(texts.cancelled);
          }}
          onClose={() => setCancelled(null)}
        />
      )}
    </>
  );
}

/** The prices that one room had, has and will have, the latest first. */
export function PriceHistory({ wiring: { dId, actuatorId } }: { readonly wiring: Wiring }) {
  const texts = useTexts(linesTexts).planned;
  const { format, now } = useGateway();
  const { part } = useLoaded((api) => loadPrices(api, dId, actuatorId), `${dId} ${actuatorId}`);
  const prices = readyValue(part) ?? [];
  return (
    <details class="wire-more">
      <summary>{texts.history}</summary>
      <ul class="price-history">
        {prices.map(({ from, setTime, valor, isComing }) => (
          <li key={`${from} ${setTime}`}>
            <span>
              {texts.from(from === null ? format.moment(setTime, now()) : format.dayName(from, "full"))}
              {isComing && " "}
              {isComing && <span class="tag tag-warn">{texts.coming}</span>}
            </span>
            <b>{format.money(valor)}</b>
          </li>
        ))}
      </ul>
    </details>
  );
}
