import { useState } from "preact/hooks";
import type { Line } from "../api/line.ts";
import {
  BIASES,
  type Bias,
  DEFAULT_DEBOUNCE_MS,
  DEFAULT_REARM_MS,
  type Wiring,
  wire,
} from "../api/wiring.ts";
import { Button } from "../element/button.tsx";
import { CheckField } from "../element/check-field.tsx";
import { Dialog } from "../element/dialog.tsx";
import { Form } from "../element/form.tsx";
import { FormFailure } from "../element/form-failure.tsx";
import { Link } from "../element/link.tsx";
import { mistakeOf } from "../element/mistake.ts";
import { Nothing } from "../element/nothing.tsx";
import { SelectField } from "../element/select-field.tsx";
import { TextField } from "../element/text-field.tsx";
import { unplacedFailure } from "../element/unplaced-failure.ts";
import { useFirstMistake } from "../element/use-first-mistake.ts";
import { useVisit } from "../frame/visit.ts";
import { readyValue } from "../live/part.ts";
import { useSending } from "../live/use-sending.ts";
import { elementTexts } from "../messages/element.ts";
import { linesTexts } from "../messages/lines.ts";
import { placesTexts } from "../messages/places.ts";
import { useTexts } from "../messages/speech.ts";
import { addressOf } from "../route.ts";
import { freeRooms, lineName, wiringName, wiringOf } from "./board.ts";
import { priceOf, wholeOf } from "./price.ts";
import type { Board } from "./use-board.ts";

interface WireFormProps {
  readonly line: Line;
  readonly board: Board;
  /** Gets what to say about it. */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

const SHOWN_FIELDS = ["actuatorId", "valor", "bias", "debounceMs", "rearmMs"] as const;
const NOT_FOUND = 404;
const CONFLICT = 409;
const UNAVAILABLE = 503;
const MAX_DEBOUNCE_MS = 60_000;
const MAX_REARM_MS = 86_400_000;

/** Says which room a line is, what a sale there costs, and how the line behaves. */
export function WireForm({ line, board, onDone, onClose }: WireFormProps) {
  const texts = useTexts(linesTexts);
  const shared = useTexts(elementTexts);
  const { title: placesTitle } = useTexts(placesTexts);
  const { api, status } = useVisit();
  const { isBusy, failure, send } = useSending();
  const { form, look } = useFirstMistake();
  const known = wiringOf(line, board.wirings);
  const [room, setRoom] = useState(known === undefined ? "" : roomKey(known.dId, known.room));
  const [price, setPrice] = useState(known === undefined ? "" : priceText(known.valor, texts));
  const [activeLow, setActiveLow] = useState(known?.activeLow ?? false);
  const [bias, setBias] = useState<Bias>(known?.bias ?? "as-is");
  const [debounce, setDebounce] = useState(String(known?.debounceMs ?? DEFAULT_DEBOUNCE_MS));
  const [rearm, setRearm] = useState(String(known?.rearmMs ?? DEFAULT_REARM_MS));
  const [wasSent, setSent] = useState(false);
  const rooms = freeRooms(board.boxes, board.wirings);
  const valor = priceOf(price);
  const debounceMs = wholeOf(debounce, MAX_DEBOUNCE_MS);
  const rearmMs = wholeOf(rearm, MAX_REARM_MS);
  const name = lineName(line);
  const currency = readyValue(status)?.currency.code;
  const title = known === undefined ? texts.wireTitle(name) : texts.wireChangeTitle(name);

  if (known === undefined && rooms.length === 0) {
    return (
      <Dialog title={title} onClose={onClose}>
        <Nothing title={board.boxes.length === 0 ? texts.noDevices : texts.noRoomsLeft}>
          <Link to={addressOf("places")}>{placesTitle}</Link>
        </Nothing>
      </Dialog>
    );
  }

  const submit = async () => {
    setSent(true);
    if (room === "" || valor === undefined || debounceMs === undefined || rearmMs === undefined)
      return look();
    const chosen = roomOf(room);
    const wiring: Wiring = {
      line: known?.line ?? wiringName(board.lines, line),
      ...chosen,
      valor,
      activeLow,
      bias,
      debounceMs,
      rearmMs,
    };
    if (await send(() => wire(api, wiring))) onDone(texts.saved(name, chosen.room));
    else look();
  };

  const wrong = (isWrong: boolean, text: string, field: string) =>
    wasSent && isWrong ? text : mistakeOf(failure, field, shared.mistakes);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form form={form} onSubmit={submit}>
        <SelectField
          label={texts.roomField}
          value={room}
          isDisabled={known !== undefined}
          choices={
            known === undefined
              ? [
                  { value: "", text: texts.roomChoose },
                  ...rooms.map((free) => ({
                    value: roomKey(free.dId, free.room),
                    text: texts.roomOf(free.room, free.deviceName),
                  })),
                ]
              : [{ value: room, text: texts.roomOf(known.room, line.wired?.deviceName ?? known.dId) }]
          }
          onValue={setRoom}
          mistake={
            wasSent && room === ""
              ? texts.mistakes.room
              : mistakeOf(failure, "actuatorId", shared.mistakes, { unique: texts.mistakes.taken })
          }
        />
        <TextField
          label={texts.priceField}
          value={price}
          inputMode="decimal"
          onValue={setPrice}
          isRequired
          hint={currency === undefined ? undefined : texts.priceHint(currency)}
          mistake={wrong(valor === undefined, texts.mistakes.price, "valor")}
        />
        <details class="wire-more" open={wasSent && (debounceMs === undefined || rearmMs === undefined)}>
          <summary>{texts.more}</summary>
          <div class="form">
            <CheckField label={texts.activeLow} isChecked={activeLow} onCheck={setActiveLow} />
            <SelectField
              label={texts.bias}
              value={bias}
              choices={BIASES.map((value) => ({ value, text: texts.biases[value] }))}
              onValue={(value) => setBias(BIASES.find((candidate) => candidate === value) ?? "as-is")}
              mistake={mistakeOf(failure, "bias", shared.mistakes)}
            />
            <TextField
              label={texts.debounce}
              value={debounce}
              inputMode="numeric"
              onValue={setDebounce}
              hint={texts.debounceHint}
              mistake={wrong(debounceMs === undefined, texts.mistakes.debounce, "debounceMs")}
            />
            <TextField
              label={texts.rearm}
              value={rearm}
              inputMode="numeric"
              onValue={setRearm}
              hint={texts.rearmHint}
              mistake={wrong(rearmMs === undefined, texts.mistakes.rearm, "rearmMs")}
            />
          </div>
        </details>
        <FormFailure
          failure={unplacedFailure(failure, SHOWN_FIELDS)}
          texts={{
            [NOT_FOUND]: texts.mistakes.gone,
            [CONFLICT]: texts.mistakes.taken,
            [UNAVAILABLE]: texts.mistakes.unavailable,
          }}
        />
        <div class="actions">
          <Button kind="main" type="submit" isBusy={isBusy}>
            {isBusy ? texts.saving : texts.save}
          </Button>
          <Button onPress={onClose}>{shared.cancel}</Button>
        </div>
      </Form>
    </Dialog>
  );
}

function roomKey(dId: string, room: string): string {
  return JSON.stringify([dId, room]);
}

function roomOf(key: string): { readonly dId: string; readonly room: string } {
  const [dId, room] = JSON.parse(key) as readonly unknown[];
  return { dId: String(dId), room: String(room) };
}

/** As it would be typed: no grouping, no currency, the language's own decimal sign. */
function priceText(valor: number, { decimalSign }: { readonly decimalSign: string }): string {
  return String(valor).replace(".", decimalSign);
}
