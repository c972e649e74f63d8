import { useState } from "preact/hooks";
import { setPrices } from "../api/lines.ts";
import { Dialog } from "../element/dialog.tsx";
import { CheckField, TextField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { daysBefore } from "../format/day.ts";
import { useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";
import type { Board } from "./board.ts";
import { isOddPrice, priceOf } from "./price.ts";
import { RoomChoice } from "./room-choice.tsx";

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
