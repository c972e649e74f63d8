import { useState } from "preact/hooks";
import { MINUTE_MS } from "../../domain/clock.ts";
import { DEFAULT_TEST_MS, MAX_TEST_MS } from "../../domain/line-test.ts";
import { beginTest } from "../api/lines.ts";
import { Dialog } from "../element/dialog.tsx";
import { SelectField } from "../element/field.tsx";
import { Form, FormActions, FormFailure, useForm } from "../element/form.tsx";
import { useGateway } from "../live/gateway.ts";
import { linesTexts } from "../messages/lines.ts";
import { useTexts } from "../messages/use-language.ts";
import type { Board } from "./board.ts";
import { RoomChoice } from "./room-choice.tsx";

const HOUR_MINUTES = 60;
const MINUTES = [15, DEFAULT_TEST_MS / MINUTE_MS, HOUR_MINUTES, 2 * HOUR_MINUTES, MAX_TEST_MS / MINUTE_MS];

interface TestDialogProps {
  readonly board: Board;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Which rooms do not count while they are tested, and for how long. Without any, only free lines are looked at. */
export function TestDialog({ board: { devices, wirings }, onDone, onClose }: TestDialogProps) {
  const texts = useTexts(linesTexts);
  const { api, format } = useGateway();
  const { form, isBusy, failure, submit } = useForm();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [minutes, setMinutes] = useState(DEFAULT_TEST_MS / MINUTE_MS);
  const send = async () => {
    const isDone = await submit(true, async () => {
      if (chosen.size > 0) await beginTest(api, [...chosen], minutes);
    });
    if (isDone) onDone();
  };
  return (
    <Dialog title={texts.test} onClose={onClose}>
      <Form form={form} onSubmit={send}>
        <p>{texts.testMeaning}</p>
        <SelectField
          label={texts.testFor}
          value={String(minutes)}
          choices={MINUTES.map((each) => ({ value: String(each), text: format.duration(each * MINUTE_MS) }))}
          onValue={(value) => setMinutes(Number(value))}
          hint={texts.testForHint}
        />
        <div class="test-form">
          <RoomChoice
            {...{ devices, wirings, chosen }}
            onChosen={setChosen}
            textOf={({ actuatorId }) => actuatorId}
          />
        </div>
        <FormFailure failure={failure} />
        <FormActions
          isBusy={isBusy}
          text={chosen.size > 0 ? texts.testBegin : texts.testFreeOnly}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}
