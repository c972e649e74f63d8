import { useState } from "preact/hooks";
import { cancelPrices, loadPlannedPrices, loadPrices, setPrices } from "../api/lines.ts";
import type { Price, Wiring } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { Confirm, Dialog } from "../element/dialog.tsx";
import { CheckField, TextField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { daysBefore } from "../format/day.ts";
import { useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { useLoaded } from "../live/use-loaded.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";
import type { Board } from "./board.ts";
import { isOddPrice, priceOf } from "./price.ts";
import { RoomChoice } from "./room-choice.tsx";

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

interface PriceDialogProps {
  readonly board: Board;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

/** One price for many rooms at once. */
export function PriceDialog({ board: { wirings, devices }, onDone, onClose }: PriceDialogProps) {
  const texts = useTexts(linesTexts);
  const { api, format, now, status } = useGateway();
  const { form, isBusy, failure, wasSent, submit, mistake } = useForm();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(wirings.map(({ line }) => line)));
  const [price, setPrice] = useState("");
  const [isSure, setSure] = useState(false);
  /** A day to come; empty: from now on. */
  const [from, setFrom] = useState("");
  const valor = priceOf(price);
  const isOdd = isOddPrice(
    valor,
    wirings.map((wiring) => wiring.valor),
  );
  const currency = readyValue(status)?.currency.code;
  const send = async () => {
    const isReady = valor !== undefined && chosen.size > 0 && (!isOdd || isSure);
    const isDone = await submit(isReady, async () => {
      if (valor !== undefined) await setPrices(api, [...chosen], valor, from === "" ? undefined : from);
    });
    if (isDone && valor !== undefined) {
      const since = from === "" ? texts.sinceNow : texts.sinceDay(format.dayName(from, "full"));
      onDone(texts.pricesSaved(chosen.size, format.count(chosen.size), format.money(valor), since));
    }
  };
  return (
    <Dialog title={texts.prices} onClose={onClose}>
      <Form form={form} onSubmit={send}>
        <RoomChoice
          {...{ devices, wirings, chosen }}
          onChosen={setChosen}
          textOf={({ actuatorId, valor: now }) => texts.priceOf(actuatorId, format.money(now ?? 0))}
        />
        <TextField
          label={texts.priceField}
          value={price}
          inputMode="decimal"
          onValue={(text) => {
            setPrice(text);
            setSure(false);
          }}
          isRequired
          hint={currency === undefined || from !== "" ? undefined : texts.priceHint(currency)}
          mistake={wasSent && valor === undefined ? texts.mistakes.price : mistake("valor")}
        />
        <TextField
          label={texts.priceFrom}
          type="date"
          value={from}
          min={daysBefore(format.day(now()), -1)}
          onValue={setFrom}
          hint={texts.priceFromHint}
          mistake={mistake("from", { range: texts.mistakes.from })}
        />
        {isOdd && valor !== undefined && (
          <CheckField label={texts.oddPrice(format.money(valor))} isChecked={isSure} onCheck={setSure} />
        )}
        <FormFailure
          failure={failure}
          text={wasSent && chosen.size === 0 ? texts.mistakes.room : undefined}
        />
        <FormActions isBusy={isBusy} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
