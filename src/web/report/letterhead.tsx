import { useState } from "preact/hooks";
import { MAX_LOGO_BYTES } from "../../domain/account.ts";
import { ApiFailure, BAD_REQUEST } from "../api/api.ts";
import type { Letterhead } from "../api/shapes.ts";
import { Button } from "../element/button.tsx";
import { DialogForm, useDialogs } from "../element/dialog.tsx";
import { TextField } from "../element/field.tsx";
import { useForm } from "../element/form.tsx";
import { useGateway } from "../live/gateway.ts";
import { reportTexts } from "../messages/report.ts";
import { useTexts } from "../messages/use-language.ts";

interface LetterheadDialogProps {
  readonly letterhead: Letterhead;
  readonly onSaved: () => void;
}

/** What stands at the head of the account's reports. */
export function LetterheadDialog({ letterhead, onSaved }: LetterheadDialogProps) {
  const texts = useTexts(reportTexts).letterhead;
  const { api } = useGateway();
  const { open } = useDialogs();
  const form = useForm(letterhead);
  const { logo } = form.values;
  const [isTooLarge, setTooLarge] = useState(false);
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    setTooLarge(file.size > MAX_LOGO_BYTES);
    if (file.size <= MAX_LOGO_BYTES) form.set({ logo: await dataUrlOf(file) });
  };
  const send = () =>
    form.submit(true, async () => {
      await api.send("put", "/api/letterhead", { letterhead: form.values });
      open(null);
      onSaved();
    });
  const field = (name: "company" | "taxNumber" | "address") => (
    <TextField label={texts[name]} {...form.field(name, { length: texts.long })} />
  );
  return (
    <DialogForm
      title={texts.title}
      form={form}
      onSubmit={send}
      failureText={form.mistake("logo") === undefined ? undefined : texts.noPicture}
      failures={{ [BAD_REQUEST]: texts.noPicture }}
    >
      <p class="soft">{texts.intro}</p>
      {field("company")}
      {field("taxNumber")}
      {field("address")}
      <div class="field stack">
        <label for="logo">{texts.logo}</label>
        {logo !== "" && <img class="letterhead-logo" src={logo} alt={texts.logo} />}
        <input
          id="logo"
          class="input"
          type="file"
          accept="image/png,image/jpeg"
          aria-describedby="logo-hint"
          aria-invalid={isTooLarge}
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
        <p class={isTooLarge ? "field-mistake bad strong" : "fine"} id="logo-hint" role="status">
          {isTooLarge ? texts.tooLarge : texts.logoHint}
        </p>
        {logo !== "" && (
          <div class="actions row">
            <Button icon="remove" onPress={() => form.set({ logo: "" })}>
              {texts.removeLogo}
            </Button>
          </div>
        )}
      </div>
    </DialogForm>
  );
}

/** A file as the API takes it. Throws ApiFailure where it cannot be read. */
function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new ApiFailure(BAD_REQUEST, String(reader.error)));
    reader.readAsDataURL(file);
  });
}
