import { useState } from "preact/hooks";
import { setPrices } from "../api/lines.ts";
import type { Wiring } from "../api/shapes.ts";
import { Dialog } from "../element/dialog.tsx";
import { CheckField, TextField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";
import type { Board } from "./board.ts";
import { isOddPrice, priceOf } from "./price.ts";

interface PriceDialogProps {
  readonly board: Board;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

/** One price for many rooms at once. */
export function PriceDialog({ board: { wirings, devices }, onDone, onClose }: PriceDialogProps) {
  const texts = useTexts(linesTexts);
  const { api, format, status } = useGateway();
  const { form, isBusy, failure, wasSent, submit, mistake } = useForm();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(wirings.map(({ line }) => line)));
  const [price, setPrice] = useState("");
  const [isSure, setSure] = useState(false);
  const valor = priceOf(price);
  const isOdd = isOddPrice(
    valor,
    wirings.map((wiring) => wiring.valor),
  );
  const currency = readyValue(status)?.currency.code;
  const check = (lines: readonly Wiring[], isChecked: boolean) => {
    const next = new Set(chosen);
    for (const { line } of lines) {
      if (isChecked) next.add(line);
      else next.delete(line);
    }
    setChosen(next);
  };
  const send = async () => {
    const isReady = valor !== undefined && chosen.size > 0 && (!isOdd || isSure);
    const isDone = await submit(isReady, async () => {
      if (valor !== undefined) await setPrices(api, [...chosen], valor);
    });
    if (isDone && valor !== undefined) {
      onDone(texts.pricesSaved(chosen.size, format.count(chosen.size), format.money(valor)));
    }
  };
  return (
    <Dialog title={texts.prices} onClose={onClose}>
      <Form form={form} onSubmit={send}>
        {devices.map(({ dId, name, locationName }) => {
          const own = wirings
            .filter((wiring) => wiring.dId === dId)
            .sort((one, other) => format.compare(one.actuatorId, other.actuatorId));
          if (own.length === 0) return null;
          const isAll = own.every(({ line }) => chosen.has(line));
          return (
            <fieldset key={dId} class="price-rooms">
              <legend>
                <CheckField
                  label={`${name} · ${locationName}`}
                  isChecked={isAll}
                  onCheck={(isChecked) => check(own, isChecked)}
                />
              </legend>
              {own.map((wiring) => (
                <CheckField
                  key={wiring.line}
                  label={texts.priceOf(wiring.actuatorId, format.money(wiring.valor ?? 0))}
                  isChecked={chosen.has(wiring.line)}
                  onCheck={(isChecked) => check([wiring], isChecked)}
                />
              ))}
            </fieldset>
          );
        })}
        <TextField
          label={texts.priceField}
          value={price}
          inputMode="decimal"
          onValue={(text) => {
            setPrice(text);
            setSure(false);
          }}
          isRequired
          hint={currency === undefined ? undefined : texts.priceHint(currency)}
          mistake={wasSent && valor === undefined ? texts.mistakes.price : mistake("valor")}
        />
        {isOdd && valor !== undefined && (
          <CheckField label={texts.oddPrice(format.money(valor))} isChecked={isSure} onCheck={setSure} />
        )}
        <FormFailure
          failure={failure}
          text={wasSent && chosen.size === 0 ? texts.mistakes.room : undefined}
        />
        <FormActions isBusy={isBusy} text={texts.save} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
