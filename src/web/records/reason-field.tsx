import { TextField } from "../element/field.tsx";
import type { FormControl } from "../element/form.tsx";
import { recordsTexts } from "../messages/records.ts";
import { useTexts } from "../messages/use-language.ts";

interface ReasonFieldProps {
  readonly form: FormControl<{ readonly reason: string }>;
  readonly reasonHint: string;
  /** Those that are usual. */
  readonly reasons: readonly string[];
}

/** Why a person changes what is counted. */
export function ReasonField({ form, reasonHint, reasons }: ReasonFieldProps) {
  const { reason } = useTexts(recordsTexts);
  return <TextField label={reason} hint={reasonHint} choices={reasons} {...form.required("reason")} />;
}
