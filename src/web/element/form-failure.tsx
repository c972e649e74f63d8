import { type ApiFailure, UNREACHABLE } from "../api/failure.ts";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/speech.ts";

interface FormFailureProps {
  readonly failure: ApiFailure | null;
  /** By the answer's status, where there is more to say than that it failed: `{ 409: "…" }`. */
  readonly texts?: Readonly<Record<number, string>>;
  /** Says it in place of all of these, also where the answer named fields. */
  readonly text?: string | undefined;
}

const OVERLOADED = 503;

/** Why a form did not go through. It is there from the start, so that its text is read aloud when it comes. */
export function FormFailure({ failure, texts = {}, text }: FormFailureProps) {
  const own = useTexts(elementTexts);
  return (
    <p class="form-failure" role="alert">
      {text}
      {text === undefined &&
        failure !== null &&
        failure.fields.size === 0 &&
        (texts[failure.status] ?? defaultText(failure, own))}
    </p>
  );
}

function defaultText(failure: ApiFailure, texts: typeof elementTexts.es): string {
  if (failure.status === UNREACHABLE) return texts.unreachable;
  return failure.status === OVERLOADED ? texts.overloaded : texts.failed;
}
