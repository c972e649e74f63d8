import { CONFLICT, statusOf } from "../api/api.ts";
import type { Data, StoredRecord } from "../api/shapes.ts";
import { Dialog, Sentences, useDialogs } from "../element/dialog.tsx";
import { TextField } from "../element/field.tsx";
import { Form, useForm } from "../element/form.tsx";
import { MAX_DECIMALS } from "../format/format.ts";
import { amountOf } from "../lines/price.ts";
import { useFormat, useGateway } from "../live/gateway.ts";
import { useData } from "../live/use-loaded.ts";
import { byHandTexts } from "../messages/by-hand.ts";
import { recordsTexts } from "../messages/records.ts";
import { useTexts } from "../messages/use-language.ts";
import { ReasonField } from "./reason-field.tsx";
import { useRequestKey } from "./request-key.ts";

interface RecordDialogProps {
  readonly record: StoredRecord;
}

/** All that is known of one record, and an owner's ways to refund and void it. */
export function RecordDialog({ record }: RecordDialogProps) {
  const texts = useTexts(recordsTexts);
  const { shown, refund } = useTexts(byHandTexts);
  const { format, self } = useGateway();
  const { number, voided } = record;
  const left = leftOf(record);
  const isOwner = self.role === "owner" && self.serves === "gateway";
  const moment = (timeMs: number) =>
    `${format.dayName(format.day(timeMs), "full")}, ${format.exactTime(timeMs)}`;
  const rows = [
    [texts.date, moment(record.createdTime)],
    ...(record.endedTime === null ? [] : [[texts.ended, moment(record.endedTime)]]),
    [texts.room, record.habitacion],
    [texts.device, record.deviceName],
    [texts.location, record.locationName],
    [texts.value, format.money(record.valor)],
    ...(record.refunded === 0 ? [] : [[shown.refunded, format.money(record.refunded)]]),
    ...(record.refunded === 0 ? [] : [[shown.left, format.money(left)]]),
    ...(record.refundOf === null ? [] : [[shown.refund, shown.refundOf(String(record.refundOf))]]),
    ...(record.origin === "by_hand" ? [[texts.state, shown.byHand]] : []),
    ...(record.reason === null ? [] : [[texts.reason, record.reason]]),
    ...(record.paid === null
      ? []
      : [[texts.paidUntil, record.paid.doubtful ? texts.paidPerhaps : moment(record.paid.until)]]),
    ...(record.provisional ? [[texts.provisional, texts.provisionalWhy]] : []),
    ...(voided === null ? [] : [[texts.voidedOn(format.dateTime(voided.timeMs)), voided.reason]]),
    ...(voided?.who === undefined ? [] : [[texts.voidedBy, voided.who ?? texts.voidedBySelf]]),
  ];
  return (
    <Dialog title={texts.one(String(number))}>
      <dl class="fields">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt class="fine">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {self.serves === "gateway" && (record.reason !== null || record.refunded > 0) && (
        <Acts number={number} />
      )}
      {isOwner && voided === null && left > 0 && (
        <details class="stack">
          <summary class="button">{refund.open}</summary>
          <RefundForm record={record} />
        </details>
      )}
      {isOwner && voided === null && (
        <details class="stack">
          <summary class="button">{texts.voidIt}</summary>
          <VoidForm record={record} />
        </details>
      )}
    </Dialog>
  );
}

/** What is left of a sale to give back; nothing of a refund. Rounded as amounts are kept, because they are no binary fractions. */
function leftOf({ valor, refunded, refundOf }: StoredRecord): number {
  return refundOf === null ? Number((valor - refunded).toFixed(MAX_DECIMALS)) : 0;
}

/** The member that entered a record, and its refunds. */
function Acts({ number }: Pick<StoredRecord, "number">) {
  const { shown } = useTexts(byHandTexts);
  const { value } = useData("/api/record/one", ["record", "void"], { number: String(number) });
  if (value === undefined) return null;
  return (
    <>
      {value.who !== null && (
        <p class="fine">
          {shown.enteredBy}: {value.who}
        </p>
      )}
      {value.refunds.length > 0 && (
        <section class="stack">
          <h3>{shown.refunds}</h3>
          <ul class="ruled">
            {value.refunds.map((act) => (
              <Refund key={act.record.number} act={act} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Refund({ act: { record, who } }: { readonly act: Data<"/api/record/one">["refunds"][number] }) {
  const { shown } = useTexts(byHandTexts);
  const format = useFormat();
  const { voided, valor, createdTime, reason } = record;
  return (
    <li class={voided === null ? "stack" : "stack is-void"}>
      <span class="row spread">
        <span>{format.dateTime(createdTime)}</span>
        <b>{format.money(-valor)}</b>
      </span>
      <span class="fine">
        {[reason, who, voided === null ? null : `${shown.void}: ${voided.reason}`]
          .filter(Boolean)
          .join(" · ")}
      </span>
    </li>
  );
}

/** Gives a sale back, wholly or in part. */
function RefundForm({ record }: RecordDialogProps) {
  const texts = useTexts(byHandTexts).refund;
  const { api, format } = useGateway();
  const { finish } = useDialogs();
  const keyOf = useRequestKey();
  const left = leftOf(record);
  const form = useForm({ valor: format.typedMoney(left), reason: "" });
  const { number } = record;
  const { reason } = form.values;
  const valor = amountOf(form.values.valor, format) ?? 0;
  const fits = valor > 0 && valor <= left;
  const send = () =>
    form.submit(fits && reason.trim() !== "", async () => {
      const refund = { number, valor, reason };
      await api.send("post", "/api/record/refund", { refund }, undefined, keyOf(refund));
      finish(texts.done(String(number), format.money(valor)));
    });
  return (
    <Form
      form={form}
      onSubmit={send}
      kind="bad"
      action={texts.open}
      failures={{ [CONFLICT]: texts.conflict }}
    >
      <Sentences of={texts.meaning} />
      <TextField
        label={texts.amount}
        inputMode="decimal"
        isRequired
        hint={texts.left(format.money(left))}
        {...form.checked("valor", fits, texts.noAmount(format.money(left)))}
      />
      <ReasonField form={form} {...texts} />
    </Form>
  );
}

/** Says what a void means, and asks for its reason: that confirms it. */
function VoidForm({ record: { number, valor, refunded } }: RecordDialogProps) {
  const texts = useTexts(recordsTexts);
  const { api, format } = useGateway();
  const { finish } = useDialogs();
  const form = useForm({ reason: "" });
  const reason = form.values.reason.trim();
  const send = () =>
    form.submit(reason !== "", async () => {
      await api.send("post", "/api/record/void", { void: { number, reason } }).catch((error) => {
        // Somebody else has voided it meanwhile.
        if (statusOf(error) !== CONFLICT) throw error;
      });
      finish(texts.isVoid(String(number)));
    });
  return (
    <Form form={form} onSubmit={send} kind="bad" action={texts.voidIt}>
      <Sentences
        of={[
          ...(refunded > 0 ? [texts.voidRefunds] : []),
          ...texts.voidMeaning(format.money(valor - refunded)),
        ]}
      />
      <ReasonField form={form} {...texts} />
    </Form>
  );
}
