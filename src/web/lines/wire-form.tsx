import { useState } from "preact/hooks";
import { BIASES, type Bias } from "../../domain/line.ts";
import { seesMoney } from "../../domain/member.ts";
import { DEFAULT_DEBOUNCE_MS, DEFAULT_REARM_MS, MAX_DEBOUNCE_MS, MAX_REARM_MS } from "../../domain/wiring.ts";
import { CONFLICT, NOT_FOUND, UNAVAILABLE } from "../api/api.ts";
import { unwire, wire } from "../api/lines.ts";
import type { Line, Wiring } from "../api/shapes.ts";
import { Confirm, Dialog } from "../element/dialog.tsx";
import { CheckField, SelectField, TextField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { unplacedFailure } from "../element/mistake.ts";
import { Nothing } from "../element/notice.tsx";
import { useGateway } from "../live/gateway.ts";
import { readyValue } from "../live/loading.ts";
import { linesTexts } from "../messages/lines.ts";
import { locationsTexts } from "../messages/locations.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { roomKey } from "../rooms/rooms.ts";
import { addressOf } from "../route.ts";
import { type Board, freeRooms, lineName, wiringName, wiringOf } from "./board.ts";
import { isOddPrice, priceOf, wholeOf } from "./price.ts";
import { PriceHistory } from "./prices.tsx";

interface WireFormProps {
  readonly line: Line;
  readonly board: Board;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

const SHOWN_FIELDS = ["actuatorId", "valor", "bias", "debounceMs", "rearmMs"] as const;

/** Says which room a line is, what a sale there costs, and how the line behaves. */
export function WireForm({ line, board, onDone, onClose }: WireFormProps) {
  const texts = useTexts(linesTexts);
  const { title: locationsTitle } = useTexts(locationsTexts);
  const { api, status, user, format } = useGateway();
  const withPrice = seesMoney(user.role);
  const { form, isBusy, failure, wasSent, submit, mistake } = useForm();
  const known = wiringOf(line, board.wirings);
  const [room, setRoom] = useState(known === undefined ? "" : roomKey(known.dId, known.actuatorId));
  const [price, setPrice] = useState(priceText(known?.valor, texts));
  const [activeLow, setActiveLow] = useState(known?.activeLow ?? false);
  const [bias, setBias] = useState<Bias>(biasOf(known?.bias));
  const [debounce, setDebounce] = useState(String(known?.debounceMs ?? DEFAULT_DEBOUNCE_MS));
  const [rearm, setRearm] = useState(String(known?.rearmMs ?? DEFAULT_REARM_MS));
  const [isSure, setSure] = useState(false);
  const rooms = freeRooms(board);
  const valor = priceOf(price);
  const debounceMs = wholeOf(debounce, MAX_DEBOUNCE_MS);
  const rearmMs = wholeOf(rearm, MAX_REARM_MS);
  const name = lineName(line);
  const isOdd =
    valor !== known?.valor &&
    isOddPrice(
      valor,
      board.wirings.map((wiring) => wiring.valor),
    );
  const currency = readyValue(status)?.currency.code;
  const title = known === undefined ? texts.wireTitle(name) : texts.wireChangeTitle(name);

  if (known === undefined && rooms.length === 0) {
    return (
      <Dialog title={title} onClose={onClose}>
        <Nothing title={board.devices.length === 0 ? texts.noDevices : texts.noRoomsLeft}>
          <Link to={addressOf("locations")}>{locationsTitle}</Link>
        </Nothing>
      </Dialog>
    );
  }

  const send = async () => {
    const isPriced = valor !== undefined || !withPrice;
    const isReady = room !== "" && isPriced && debounceMs !== undefined && rearmMs !== undefined;
    const isDone = await submit(isReady && (!isOdd || isSure), async () => {
      if (!isReady) return;
      const address = known?.line ?? wiringName(board, line);
      await wire(api, { line: address, ...roomOf(room), valor, activeLow, bias, debounceMs, rearmMs });
    });
    if (isDone) onDone(texts.saved(name, roomOf(room).actuatorId));
  };

  const wrong = (isWrong: boolean, text: string, field: string) =>
    wasSent && isWrong ? text : mistake(field);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form form={form} onSubmit={send}>
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
              : [{ value: room, text: texts.roomOf(known.actuatorId, line.wired?.deviceName ?? known.dId) }]
          }
          onValue={setRoom}
          mistake={
            wasSent && room === ""
              ? texts.mistakes.room
              : mistake("actuatorId", { unique: texts.mistakes.taken })
          }
        />
        {withPrice ? (
          <>
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
              mistake={wrong(valor === undefined, texts.mistakes.price, "valor")}
            />
            {isOdd && valor !== undefined && (
              <CheckField label={texts.oddPrice(format.money(valor))} isChecked={isSure} onCheck={setSure} />
            )}
          </>
        ) : (
          <p class="soft">{texts.priceOfOwner}</p>
        )}
        <details class="wire-more" open={wasSent && (debounceMs === undefined || rearmMs === undefined)}>
          <summary>{texts.more}</summary>
          <div class="form">
            <CheckField label={texts.activeLow} isChecked={activeLow} onCheck={setActiveLow} />
            <SelectField
              label={texts.bias}
              value={bias}
              choices={BIASES.map((value) => ({ value, text: texts.biases[value] }))}
              onValue={(value) => setBias(biasOf(value))}
              mistake={mistake("bias")}
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
        {withPrice && known !== undefined && <PriceHistory wiring={known} />}
        <FormFailure
          failure={unplacedFailure(failure, SHOWN_FIELDS)}
          texts={{
            [NOT_FOUND]: texts.mistakes.gone,
            [CONFLICT]: texts.mistakes.taken,
            [UNAVAILABLE]: texts.mistakes.unavailable,
          }}
        />
        <FormActions isBusy={isBusy} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

/** From its `roomKey`. */
function roomOf(key: string): { readonly dId: string; readonly actuatorId: string } {
  const [dId, room] = JSON.parse(key) as readonly unknown[];
  return { dId: String(dId), actuatorId: String(room) };
}

function biasOf(text: string | undefined): Bias {
  return BIASES.find((bias) => bias === text) ?? "as-is";
}

/** As it would be typed: no grouping, no currency, the language's own decimal sign. */
function priceText(
  valor: number | null | undefined,
  { decimalSign }: { readonly decimalSign: string },
): string {
  return String(valor ?? "").replace(".", decimalSign);
}

interface UnwireProps {
  readonly line: Line;
  readonly wiring: Wiring;
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

export function Unwire({ line, wiring, onDone, onClose }: UnwireProps) {
  const texts = useTexts(linesTexts);
  const { api } = useGateway();
  const name = lineName(line);
  return (
    <Confirm
      title={texts.disconnectTitle(name, wiring.actuatorId)}
      action={texts.disconnectOf(name)}
      busyText={texts.disconnecting}
      meaning={[texts.disconnectStops, texts.disconnectKept]}
      onConfirm={() => unwire(api, wiring.line)}
      onDone={() => onDone(texts.disconnected(name))}
      onClose={onClose}
    />
  );
}
