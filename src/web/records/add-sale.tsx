import { useEffect, useState } from "preact/hooks";
import type { Device, Gap, LastEdge } from "../api/shapes.ts";
import { Dialog, useDialogs } from "../element/dialog.tsx";
import { SelectField, TextField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { Waiting } from "../element/notice.tsx";
import { amountOf } from "../lines/price.ts";
import { useGateway, useGatewayStatus } from "../live/gateway.ts";
import { useDevices, useLoaded } from "../live/use-loaded.ts";
import { byHandTexts } from "../messages/by-hand.ts";
import { useTexts } from "../messages/use-language.ts";
import { roomKey } from "../rooms/rooms.ts";
import { ReasonField } from "./reason-field.tsx";
import { useRequestKey } from "./request-key.ts";

interface AddSaleProps {
  /** The gaps that the sale may have been lost in, which say the room and the time; none by default. */
  readonly gaps?: readonly Gap[];
}

/** Adds a sale by hand: room, time, price and reason. */
export function AddSale(props: AddSaleProps) {
  const { title } = useTexts(byHandTexts).add;
  const devices = useDevices().value;
  const edges = useGatewayStatus().value?.lastEdges;
  return (
    <Dialog title={title}>
      {devices === undefined || edges === undefined ? (
        <Waiting />
      ) : (
        <AddSaleForm devices={devices} edges={edges} {...props} />
      )}
    </Dialog>
  );
}

interface AddSaleFormProps extends AddSaleProps {
  readonly devices: readonly Device[];
  readonly edges: readonly LastEdge[];
}

function AddSaleForm({ devices, edges, gaps = [] }: AddSaleFormProps) {
  const texts = useTexts(byHandTexts).add;
  const { api, format, now } = useGateway();
  const { finish } = useDialogs();
  const keyOf = useRequestKey();
  const gapOf = (dId: string, room: string) => {
    const line = edges.find((edge) => edge.dId === dId && edge.room === room)?.line;
    return gaps.find((gap) => gap.line === line);
  };
  const choices = devices
    .flatMap(({ dId, name, locationName, actuators }) =>
      actuators.map(({ id }) => ({ dId, room: id, text: `${id} · ${name} · ${locationName}` })),
    )
    .filter(({ dId, room }) => gaps.length === 0 || gapOf(dId, room) !== undefined)
    .sort((one, other) => format.compare(one.text, other.text));
  const [first] = choices;
  const form = useForm({
    room: first === undefined ? "" : roomKey(first.dId, first.room),
    time: format.typedMoment(gaps[0]?.fromTime ?? now()),
    valor: "",
    reason: "",
  });
  const { room: chosen, time: typed, valor: typedValor, reason } = form.values;
  const { dId = "", room = "" } = choices.find((one) => roomKey(one.dId, one.room) === chosen) ?? {};
  const gap = gapOf(dId, room);
  // As it was proposed, to the millisecond: what is typed has no seconds.
  const proposedMs = gap?.fromTime;
  const isProposed = proposedMs !== undefined && typed === format.typedMoment(proposedMs);
  const time = isProposed ? proposedMs : format.momentOf(typed);
  const known = useLoaded(
    async (api) =>
      time === undefined
        ? null
        : (await api.data("/api/record/price", { dId, room, time: String(time) })).valor,
    JSON.stringify([dId, room, time]),
  );
  const [isOwn, setOwn] = useState(false);
  const { value: proposed = null, isStale } = known;
  useEffect(() => {
    if (!isOwn && !isStale) form.set({ valor: proposed === null ? "" : format.typedMoney(proposed) });
  }, [proposed, isStale, isOwn]);
  const valor = amountOf(typedValor, format);
  const isAhead = time !== undefined && time > now();
  const send = () =>
    form.submit(time !== undefined && !isAhead && valor !== undefined && reason.trim() !== "", async () => {
      const sale = { dId, room, time: time ?? 0, valor, reason, ...(gap && { gap: gap.number }) };
      const { data } = await api.send("post", "/api/record/sale", { sale }, undefined, keyOf(sale));
      finish(texts.done(String(data.number), format.money(data.valor)));
    });
  return (
    <Form form={form} onSubmit={send} action={texts.action}>
      <p>{texts.meaning}</p>
      <SelectField
        label={texts.room}
        choices={choices.map((choice) => ({ value: roomKey(choice.dId, choice.room), text: choice.text }))}
        {...form.checked("room", chosen !== "", texts.noRoom)}
      />
      <TextField
        label={texts.time}
        type="datetime-local"
        isRequired
        {...form.checked("time", time !== undefined, texts.noTime)}
        {...(isAhead && { mistake: texts.ahead })}
        hint={gap && texts.within(format.dateTime(gap.fromTime), format.dateTime(gap.toTime))}
        max={format.typedMoment(now())}
      />
      <TextField
        label={texts.price}
        inputMode="decimal"
        isRequired
        {...form.checked("valor", valor !== undefined, texts.noPrice)}
        hint={texts.priceHint}
        onValue={(text) => {
          setOwn(true);
          form.set({ valor: text });
        }}
      />
      <ReasonField form={form} {...texts} />
    </Form>
  );
}
