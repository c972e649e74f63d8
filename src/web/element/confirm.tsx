import type { ComponentChildren } from "preact";
import type { ApiFailure } from "../api/failure.ts";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/speech.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FormFailure } from "./form-failure.tsx";

interface ConfirmProps {
  readonly title: string;
  /** What the button does, as a verb: "Borrar el pasillo". */
  readonly action: string;
  readonly isBusy: boolean;
  readonly failure: ApiFailure | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  /** What it means, spelled out. */
  readonly children: ComponentChildren;
}

/** Asks before something is taken away. */
export function Confirm({ title, action, isBusy, failure, onConfirm, onClose, children }: ConfirmProps) {
  const texts = useTexts(elementTexts);
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="prose">{children}</div>
      <FormFailure failure={failure} />
      <div class="actions">
        <Button kind="bad" isBusy={isBusy} onPress={onConfirm}>
          {action}
        </Button>
        <Button onPress={onClose}>{texts.cancel}</Button>
      </div>
    </Dialog>
  );
}
