import { useState } from "preact/hooks";
import { finishCommission } from "../api/commission.ts";
import { Dialog } from "../element/dialog.tsx";
import { TextField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { Notice } from "../element/notice.tsx";
import { useGateway } from "../live/gateway.ts";
import { commissionTexts } from "../messages/commission.ts";
import { useTexts } from "../messages/use-language.ts";

interface FinishDialogProps {
  /** Rooms that are not ticked off. */
  readonly untested: number;
  /** Takes the report's number. */
  readonly onDone: (number: number) => void;
  readonly onClose: () => void;
}

/** Asks for the two names that sign, and ends the round with its report. */
export function FinishDialog({ untested, onDone, onClose }: FinishDialogProps) {
  const texts = useTexts(commissionTexts);
  const { api, user, format } = useGateway();
  const { form, isBusy, failure, submit, requiredMistake } = useForm();
  const [technician, setTechnician] = useState(user.name);
  const [clinic, setClinic] = useState("");
  const send = async () => {
    let number: number | undefined;
    const isReady = technician.trim() !== "" && clinic.trim() !== "";
    await submit(isReady, async () => {
      number = await finishCommission(api, { technician, clinic });
    });
    if (number !== undefined) onDone(number);
  };
  return (
    <Dialog title={texts.finishTitle} onClose={onClose}>
      <Form form={form} onSubmit={send}>
        <p>{texts.finishMeaning}</p>
        {untested > 0 && <Notice kind="warn" title={texts.untestedNow(untested, format.count(untested))} />}
        <TextField
          label={texts.technician}
          autocomplete="name"
          value={technician}
          onValue={setTechnician}
          isRequired
          mistake={requiredMistake("technician", technician)}
        />
        <TextField
          label={texts.clinic}
          autocomplete="name"
          value={clinic}
          onValue={setClinic}
          isRequired
          mistake={requiredMistake("clinic", clinic)}
        />
        <FormFailure failure={failure} />
        <FormActions isBusy={isBusy} text={texts.finish} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
