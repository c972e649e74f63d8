import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiFailure, UNAVAILABLE, UNREACHABLE } from "../api/api.ts";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/use-language.ts";
import { Button } from "./button.tsx";
import { mistakeOf } from "./mistake.ts";

interface FormProps {
  /** Of `useForm`; not needed where no field tells its mistake. */
  readonly form?: RefObject<HTMLFormElement | null>;
  readonly onSubmit: () => Promise<unknown>;
  readonly children: ComponentChildren;
}

/** A form that says its mistakes itself: the browser's own bubbles speak the browser's language. */
export function Form({ form, onSubmit, children }: FormProps) {
  return (
    <form
      class="form"
      ref={form ?? null}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit();
      }}
    >
      {children}
    </form>
  );
}

interface FormFailureProps {
  readonly failure: ApiFailure | null;
  /** By the answer's status, where there is more to say than that it failed: `{ 409: "…" }`. */
  readonly texts?: Readonly<Record<number, string>>;
  /** Says it in place of all of these, also where the answer named fields. */
  readonly text?: string | undefined;
}

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
  return failure.status === UNAVAILABLE ? texts.overloaded : texts.failed;
}

/** A request that a person asked for: a form, a button. */
export interface Sending {
  readonly isBusy: boolean;
  /** Why the last one did not succeed; null while nothing is wrong. */
  readonly failure: ApiFailure | null;
  /** Runs it; true when it succeeded. Asked again while it runs, it does nothing and gives false. */
  readonly send: (work: () => Promise<unknown>) => Promise<boolean>;
}

export function useSending(): Sending {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const send = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy) return false;
    setBusy(true);
    setFailure(null);
    try {
      await work();
      return true;
    } catch (error) {
      console.warn(error);
      setFailure(error instanceof ApiFailure ? error : new ApiFailure(UNREACHABLE, String(error)));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, failure, send };
}

type Mistakes = (typeof elementTexts.es)["mistakes"];

interface FormControl extends Pick<Sending, "isBusy" | "failure"> {
  readonly form: RefObject<HTMLFormElement | null>;
  /** Sending was tried: what is missing is said. */
  readonly wasSent: boolean;
  /**
   * Sends what the person filled in, unless something is missing. True when it succeeded; otherwise the keyboard goes to
   * the first field that is wrong.
   */
  readonly submit: (isReady: boolean, work: () => Promise<unknown>) => Promise<boolean>;
  /** What is wrong with a field, by the API's path of it; `own` says more for some kinds of mistakes. */
  readonly mistake: (field: string, own?: Partial<Mistakes>) => string | undefined;
  /** The same for a text that must not be empty. */
  readonly requiredMistake: (field: string, value: string, own?: Partial<Mistakes>) => string | undefined;
}

/** What every form of the views does when it is sent. */
export function useForm(): FormControl {
  const { mistakes } = useTexts(elementTexts);
  const { isBusy, failure, send } = useSending();
  const form = useRef<HTMLFormElement>(null);
  const [wasSent, setSent] = useState(false);
  const [mistakenAttempts, setMistaken] = useState(0);
  useEffect(() => {
    if (mistakenAttempts > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [mistakenAttempts]);
  const submit = async (isReady: boolean, work: () => Promise<unknown>): Promise<boolean> => {
    setSent(true);
    if (isReady && (await send(work))) return true;
    setMistaken((before) => before + 1);
    return false;
  };
  const mistake = (field: string, own?: Partial<Mistakes>) => mistakeOf(failure, field, mistakes, own);
  const requiredMistake = (field: string, value: string, own?: Partial<Mistakes>) =>
    wasSent && value.trim() === "" ? mistakes.required : mistake(field, own);
  return { form, isBusy, failure, wasSent, submit, mistake, requiredMistake };
}

interface FormActionsProps {
  readonly isBusy: boolean;
  /** `bad`: what is sent takes something away. */
  readonly kind?: "main" | "bad";
  /** The main button's text; "save" without it. */
  readonly text?: string | undefined;
  readonly isDisabled?: boolean;
  readonly onCancel?: (() => void) | undefined;
  readonly children?: ComponentChildren;
}

export function FormActions({
  isBusy,
  kind = "main",
  text,
  isDisabled,
  onCancel,
  children,
}: FormActionsProps) {
  const { cancel, save, saving } = useTexts(elementTexts);
  return (
    <div class="actions">
      <Button kind={kind} type="submit" isBusy={isBusy} isDisabled={isDisabled === true}>
        {isBusy ? saving : (text ?? save)}
      </Button>
      {onCancel !== undefined && <Button onPress={onCancel}>{cancel}</Button>}
      {children}
    </div>
  );
}
