import { useEffect, useRef } from "preact/hooks";
import { BIASES, type Bias } from "../../domain/line.ts";
import { seesMoney } from "../../domain/member.ts";
import { DEFAULT_DEBOUNCE_MS, DEFAULT_REARM_MS } from "../../domain/wiring.ts";
import { CONFLICT, NOT_FOUND, UNAVAILABLE } from "../api/api.ts";
import type { Line, Wiring } from "../api/shapes.ts";
import { Confirm, Dialog, DialogForm } from "../element/dialog.tsx";
import { CheckField, SelectField, TextField } from "../element/field.tsx";
import { useForm } from "../element/form.tsx";
import { Nothing } from "../element/notice.tsx";
import { useGateway } from "../live/gateway.ts";
import { useData, useNewDay } from "../live/use-loaded.ts";
import { linesTexts } from "../messages/lines.ts";
import { locationsTexts } from "../messages/locations.ts";
import { useTexts } from "../messages/use-language.ts";
import { Link } from "../navigation.tsx";
import { roomKey } from "../rooms/rooms.ts";
import { type Board, freeRooms, lineName, wiringName, wiringOf } from "./board.ts";
import { PaidField } from "./paid-field.tsx";
import { priceOf } from "./price.ts";
import { isPriceReady, PriceField, PriceHistory } from "./prices.tsx";

interface WireFormProps {
  readonly line: Line;
  readonly board: Board;
  readonly onDone: (text: string) => void;
}

/** Says which room a line is, what a sale there costs, and how the line behaves. */
export function WireForm({ line, board, onDone }: WireFormProps) {
  const texts = useTexts(linesTexts);
  const { title: locationsTitle } = useTexts(locationsTexts);
  const { api, self, format } = useGateway();
  const withPrice = seesMoney(self.role);
  // One price may be set elsewhere or begin with its day, while the form is open.
  const current = useData("/api/wiring", ["locations"]);
  useNewDay(current.reload);
  const wirings = current.value ?? board.wirings;
  const known = wiringOf(line, wirings);
  const price = known?.valor == null ? "" : format.typedMoney(known.valor);
  const form = useForm({
    /** The room's key. */
    actuatorId: known === undefined ? "" : roomKey(known.dId, known.actuatorId),
    valor: price,
    isSure: false,
    paidMinutes: String(known?.paidMinutes ?? 0),
    activeLow: known?.activeLow ?? false,
    bias: biasOf(known?.bias),
    debounceMs: String(known?.debounceMs ?? DEFAULT_DEBOUNCE_MS),
    rearmMs: String(known?.rearmMs ?? DEFAULT_REARM_MS),
  });
  // One that has begun since the form was opened, as a planned one does at midnight: the form would take it back.
  const shownPrice = useRef(price);
  useEffect(() => {
    if (form.values.valor === shownPrice.current) form.set({ valor: price });
    shownPrice.current = price;
  }, [price]);
  const { actuatorId: room, activeLow, bias } = form.values;
  const rooms = freeRooms(board);
  // What is wrong with these the API says, for which a text that is no number is none either.
  const within = (mistake: string) => ({ range: mistake, type: mistake });
  const debounce = form.required("debounceMs", within(texts.mistakes.debounce));
  const rearm = form.required("rearmMs", within(texts.mistakes.rearm));
  const name = lineName(line);
  const title = known === undefined ? texts.wireTitle(name) : texts.wireChangeTitle(name);

  if (known === undefined && rooms.length === 0) {
    return (
      <Dialog title={title}>
        <Nothing title={board.devices.length === 0 ? texts.noDevices : texts.noRoomsLeft}>
          <Link to="locations">{locationsTitle}</Link>
        </Nothing>
      </Dialog>
    );
  }

  const send = () => {
    const isPriced = !withPrice || isPriceReady(form.values, wirings, known?.valor);
    const isReady = room !== "" && isPriced && debounce.value.trim() !== "" && rearm.value.trim() !== "";
    return form.submit(isReady, async () => {
      const valor = priceOf(form.values.valor);
      const address = known?.line ?? wiringName(board, line);
      const paid = withPrice ? { paidMinutes: Number(form.values.paidMinutes) } : {};
      const settings = {
        ...paid,
        activeLow,
        bias,
        debounceMs: Number(debounce.value),
        rearmMs: Number(rearm.value),
      };
      const wiring = { line: address, ...roomOf(room), valor, ...settings };
      await api.send("put", "/api/wiring", { wiring });
      onDone(texts.saved(name, roomOf(room).actuatorId));
    });
  };

  return (
    <DialogForm
      title={title}
      form={form}
      onSubmit={send}
      failures={{
        [NOT_FOUND]: texts.mistakes.gone,
        [CONFLICT]: texts.mistakes.taken,
        [UNAVAILABLE]: texts.mistakes.unavailable,
      }}
    >
      <SelectField
        label={texts.room}
        {...form.checked("actuatorId", room !== "", texts.mistakes.room, { unique: texts.mistakes.taken })}
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
      />
      {withPrice ? (
        <>
          <PriceField form={form} wirings={wirings} known={known?.valor} />
          <PaidField {...form.field("paidMinutes")} known={known?.paidMinutes} />
        </>
      ) : (
        <p class="soft">{texts.priceOfOwner}</p>
      )}
      <details open={(debounce.mistake ?? rearm.mistake) !== undefined}>
        <summary class="good strong">{texts.more}</summary>
        <div class="form column">
          <CheckField
            label={texts.activeLow}
            isChecked={activeLow}
            onCheck={(isChecked) => form.set({ activeLow: isChecked })}
          />
          <SelectField
            label={texts.bias}
            value={bias}
            choices={BIASES.map((value) => ({ value, text: texts.biases[value] }))}
            onValue={(chosen) => form.set({ bias: chosen })}
            mistake={form.mistake("bias")}
          />
          <TextField label={texts.debounce} inputMode="numeric" hint={texts.debounceHint} {...debounce} />
          <TextField label={texts.rearm} inputMode="numeric" hint={texts.rearmHint} {...rearm} />
        </div>
      </details>
      {withPrice && known !== undefined && <PriceHistory wiring={known} />}
    </DialogForm>
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

interface UnwireProps {
  readonly line: Line;
  readonly wiring: Wiring;
  readonly onDone: (text: string) => void;
}

export function Unwire({ line, wiring, onDone }: UnwireProps) {
  const texts = useTexts(linesTexts);
  const { api } = useGateway();
  const name = lineName(line);
  return (
    <Confirm
      title={texts.disconnectTitle(name, wiring.actuatorId)}
      action={texts.disconnectOf(name)}
      meaning={[texts.disconnectStops, texts.disconnectKept]}
      onConfirm={() => api.remove("/api/wiring", { line: wiring.line })}
      onDone={() => onDone(texts.disconnected(name))}
    />
  );
}
