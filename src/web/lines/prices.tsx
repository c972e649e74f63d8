import { useState } from "preact/hooks";
import { MAX_VALOR } from "../../domain/amount.ts";
import type { Price, Wiring } from "../api/shapes.ts";
import { Confirm, DialogButton, DialogForm } from "../element/dialog.tsx";
import { CheckField, TextField } from "../element/field.tsx";
import { type FormControl, useForm } from "../element/form.tsx";
import { daysBefore } from "../format/day.ts";
import { useGateway } from "../live/gateway.ts";
import { useData, useNewDay } from "../live/use-loaded.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";
import type { Board } from "./board.ts";
import { PaidField, paidText, usePriceText } from "./paid-field.tsx";
import { isGrouped, isOddPrice, priceOf } from "./price.ts";
import { RoomChoice } from "./room-choice.tsx";

/** Prices that are planned for days to come, of all rooms; each may be taken back. */
export function PlannedPrices({ onDone }: { readonly onDone: (text: string) => void }) {
  const { planned: texts, paid: paidTexts } = useTexts(linesTexts);
  const { api, format } = useGateway();
  const paidOf = (minutes: number) => paidText(minutes, paidTexts, format);
  const planned = useData("/api/wiring/price", ["locations"]);
  useNewDay(planned.reload);
  const byPrice = Map.groupBy(planned.value ?? [], ({ from, valor }) => `${from} ${valor}`);
  const groups = [...byPrice].sort(([one], [other]) => format.compare(one, other));
  if (groups.length === 0) return null;
  const textOf = ({ from, valor }: Price, group: readonly Price[]) => {
    const text = texts.price(
      format.dayName(from ?? "", "full"),
      format.money(valor),
      format.count(group.length),
    );
    const paid = new Set(
      group.flatMap(({ paidMinutes }) =>
        paidMinutes === null || paidMinutes === 0 ? [] : [paidOf(paidMinutes)],
      ),
    );
    return [text, ...paid].join(" · ");
  };
  const cancel = ({ from, valor }: Price, text: string) => (
    <Confirm
      title={texts.cancelTitle}
      action={texts.cancel}
      meaning={[text, texts.cancelMeaning]}
      onConfirm={() => api.remove("/api/wiring/price", { from: from ?? "", valor: String(valor) })}
      onDone={() => {
        planned.reload();
        onDone(texts.cancelled);
      }}
    />
  );
  return (
    <ul class="planned stack">
      {groups.map(([key, group]) => {
        const [price] = group;
        if (price === undefined) return null;
        const text = textOf(price, group);
        return (
          <li key={key} class="row spread">
            <span>{text}</span>
            <DialogButton kind="quiet" dialog={cancel(price, text)}>
              {texts.cancel}
            </DialogButton>
          </li>
        );
      })}
    </ul>
  );
}

/** The prices that one room had, has and will have, the latest first. */
export function PriceList({ wiring: { dId, actuatorId } }: { readonly wiring: Wiring }) {
  const texts = useTexts(linesTexts).planned;
  const { format, now } = useGateway();
  const priceText = usePriceText();
  const prices = useData("/api/wiring/price", ["locations"], { dId, room: actuatorId }).value ?? [];
  return (
    <ul class="stack">
      {prices.map(({ from, setTime, isComing, ...price }) => (
        <li key={`${from} ${setTime}`} class="row spread">
          <span>
            {texts.from(from === null ? format.moment(setTime, now()) : format.dayName(from, "full"))}
            {isComing && " "}
            {isComing && <span class="tag is-warn">{texts.coming}</span>}
          </span>
          <b>{priceText(price)}</b>
        </li>
      ))}
    </ul>
  );
}

/** The same behind a word, for a form. */
export function PriceHistory(props: { readonly wiring: Wiring }) {
  const texts = useTexts(linesTexts).planned;
  return (
    <details>
      <summary class="good strong">{texts.history}</summary>
      <PriceList {...props} />
    </details>
  );
}

interface PriceDraft {
  /** As it is typed. */
  readonly valor: string;
  /** A price that is in doubt was confirmed. */
  readonly isSure: boolean;
}

interface PriceFieldProps {
  readonly form: FormControl<PriceDraft>;
  /** Those of the account, with whose prices the new one is compared. */
  readonly wirings: readonly Wiring[];
  /** The price before, which is not asked about again. */
  readonly known?: number | null | undefined;
  /** By the currency; null for none. */
  readonly hint?: ((currency: string) => string) | null | undefined;
}

/** The price of a sale. One that is far from the account's others, or may be meant otherwise, has to be confirmed. */
export function PriceField({ form, wirings, known, hint }: PriceFieldProps) {
  const texts = useTexts(linesTexts);
  const { status, format } = useGateway();
  const currency = status.value?.currency.code;
  const valor = priceOf(form.values.valor);
  const doubt = doubtOf(form.values.valor, wirings, known);
  const hintOf = hint === undefined ? texts.priceHint : hint;
  return (
    <>
      <TextField
        label={texts.priceField}
        inputMode="decimal"
        isRequired
        hint={currency === undefined ? undefined : hintOf?.(currency)}
        {...form.checked("valor", valor !== undefined, texts.mistakes.price, {
          range: texts.mistakes.highPrice,
        })}
        onValue={(text) => form.set({ valor: text, isSure: false })}
        {...(form.wasSent && isTooHigh(valor) && { mistake: texts.mistakes.highPrice })}
      />
      {valor !== undefined && doubt !== null && (
        <CheckField
          label={texts.priceDoubts[doubt](format.money(valor))}
          isChecked={form.values.isSure}
          onCheck={(isSure) => form.set({ isSure })}
          isMistaken={form.wasSent && !form.values.isSure}
        />
      )}
    </>
  );
}

/** Whether it is a price, and confirmed where it has to be; `known` as in PriceField. */
export function isPriceReady(
  { valor: text, isSure }: PriceDraft,
  wirings: readonly Wiring[],
  known?: number | null,
): boolean {
  const valor = priceOf(text);
  return valor !== undefined && !isTooHigh(valor) && (isSure || doubtOf(text, wirings, known) === null);
}

function isTooHigh(valor = 0): boolean {
  return valor > MAX_VALOR;
}

function doubtOf(
  text: string,
  wirings: readonly Wiring[],
  known: number | null | undefined,
): "free" | "grouped" | "odd" | null {
  const valor = priceOf(text);
  if (valor === undefined || valor === known) return null;
  if (valor === 0) return "free";
  if (isGrouped(text)) return "grouped";
  const prices = wirings.map((wiring) => wiring.valor);
  return isOddPrice(valor, prices) ? "odd" : null;
}

interface PriceDialogProps {
  readonly board: Pick<Board, "devices" | "wirings">;
  readonly onDone: (text: string) => void;
}

/**
 * One price for many rooms at once, none of which is chosen at first. Its button says from which prices to which: the old
 * ones would have to be typed in one by one. What is planned stands in the list, with a way to cancel it.
 */
export function PriceDialog({ board: { wirings, devices }, onDone }: PriceDialogProps) {
  const texts = useTexts(linesTexts);
  const { api, format, now } = useGateway();
  /** `from` is a day to come; empty: from now on. */
  const form = useForm({ valor: "", isSure: false, paidMinutes: "", from: "" });
  const { from } = form.values;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const valor = priceOf(form.values.valor);
  const prices = new Set(wirings.filter(({ line }) => chosen.has(line)).map((wiring) => wiring.valor));
  const count = format.count(chosen.size);
  const [only = null] = prices;
  const before =
    prices.size === 1 && only !== null ? format.money(only) : texts.pricesDiffer(format.count(prices.size));
  const since = from === "" ? null : texts.sinceDay(format.dayName(from, "full"));
  const action =
    valor === undefined || chosen.size === 0
      ? texts.prices
      : texts.pricesChange(count, before, format.money(valor), since ?? "");
  const send = () => {
    const isReady = chosen.size > 0 && isPriceReady(form.values, wirings);
    return form.submit(isReady, async () => {
      if (valor === undefined) return;
      const { paidMinutes } = form.values;
      const paid = paidMinutes === "" ? {} : { paidMinutes: Number(paidMinutes) };
      const price = { lines: [...chosen], valor, ...paid, ...(from !== "" && { from }) };
      await api.send("put", "/api/wiring/price", { price });
      onDone(texts.pricesSaved(count, format.money(valor), since ?? texts.sinceNow));
    });
  };
  return (
    <DialogForm
      title={texts.prices}
      form={form}
      onSubmit={send}
      action={action}
      failureText={form.wasSent && chosen.size === 0 ? texts.mistakes.room : undefined}
    >
      <PriceField form={form} wirings={wirings} hint={from === "" ? undefined : null} />
      <PaidField {...form.field("paidMinutes")} canKeep />
      <TextField
        label={texts.priceFrom}
        type="date"
        min={daysBefore(format.day(now()), -1)}
        hint={texts.priceFromHint}
        {...form.field("from", { range: texts.mistakes.from })}
      />
      <RoomChoice
        groups={devices.map(({ dId, name, locationName }) => ({
          name: `${name} · ${locationName}`,
          rooms: wirings
            .filter((wiring) => wiring.dId === dId)
            .sort((one, other) => format.compare(one.actuatorId, other.actuatorId))
            .map(({ line, actuatorId, valor: now }) => ({
              line,
              text: texts.priceOf(actuatorId, format.money(now ?? 0)),
            })),
        }))}
        chosen={chosen}
        onChosen={setChosen}
      />
    </DialogForm>
  );
}
