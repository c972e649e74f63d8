import { useState } from "preact/hooks";
import type { StoredRecord } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { Dialog } from "../element/dialog.tsx";
import { TextField } from "../element/field.tsx";
import { Form, FormActions, useForm } from "../element/form.tsx";
import { useGateway } from "../live/gateway.ts";
import { recordsTexts } from "../messages/records.ts";
import { useTexts } from "../messages/use-language.ts";

interface RecordDialogProps {
  readonly record: StoredRecord;
  readonly onVoid: (recordId: number, reason: string) => void;
  readonly onClose: () => void;
}

/** All that is known of one record, and an owner's way to void it. */
export function RecordDialog({ record, onVoid, onClose }: RecordDialogProps) {
  const texts = useTexts(recordsTexts);
  const { format, user } = useGateway();
  const [isVoiding, setVoiding] = useState(false);
  const { recordId, voided } = record;
  const moment = (timeMs: number) =>
    `${format.dayName(format.day(timeMs), "full")}, ${format.exactTime(timeMs)}`;
  const rows = [
    [texts.date, moment(record.createdTime)],
    ...(record.endedTime === null ? [] : [[texts.ended, moment(record.endedTime)]]),
    [texts.room, record.habitacion],
    [texts.device, record.deviceName],
    [texts.location, record.locationName],
    [texts.value, format.money(record.valor)],
    ...(record.provisional ? [[texts.provisional, texts.provisionalWhy]] : []),
    ...(voided === null ? [] : [[texts.voidedOn(format.dateTime(voided.timeMs)), voided.reason]]),
  ];
  return (
    <Dialog title={texts.one(String(recordId))} onClose={onClose}>
      <dl class="record-facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt class="fine">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {voided === null && isVoiding && (
        <VoidForm
          money={format.money(record.valor)}
          onVoid={(reason) => onVoid(recordId, reason)}
          onClose={onClose}
        />
      )}
      {voided === null && !isVoiding && user.role === "owner" && (
        <div class="actions">
          <Button onPress={() => setVoiding(true)}>{texts.voidIt}</Button>
        </div>
      )}
    </Dialog>
  );
}

interface VoidFormProps {
  readonly money: string;
  readonly onVoid: (reason: string) => void;
  readonly onClose: () => void;
}

function VoidForm({ money, onVoid, onClose }: VoidFormProps) {
  const texts = useTexts(recordsTexts);
  const [reason, setReason] = useState("");
  const { form, submit, requiredMistake } = useForm();
  return (
    <Form form={form} onSubmit={() => submit(reason.trim() !== "", async () => onVoid(reason.trim()))}>
      <ul class="prose">
        {texts.voidMeaning(money).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <TextField
        label={texts.reason}
        hint={texts.reasonHint}
        value={reason}
        choices={texts.reasons}
        isRequired
        mistake={requiredMistake("reason", reason)}
        onValue={setReason}
      />
      <FormActions kind="bad" isBusy={false} text={texts.voidIt} onCancel={onClose} />
    </Form>
  );
}
