import { type ComponentChildren, createContext, type RefObject } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { ApiFailure, TOO_MANY_REQUESTS, UNAVAILABLE, UNREACHABLE } from "../api/api.ts";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/use-language.ts";
import { Button } from "./button.tsx";
import type { TextFieldProps } from "./field.tsx";
import { mistakeOf, unplacedFailure } from "./mistake.ts";

export interface FormProps {
  /** Of `useForm`. */
  readonly form: FormControl;
  readonly onSubmit: () => Promise<void>;
  /** By the answer's status, where there is more to say than that it failed: `{ 409: "…" }`. */
  readonly failures?: Readonly<Record<number, string>>;
  /** Says it in place of all of these, also where the answer named fields. */
  readonly failureText?: string | undefined;
  /** `bad`: what is sent takes something away. */
  readonly kind?: "main" | "bad";
  /** The main button's text; "save" without it. */
  readonly action?: string | undefined;
  /** Further buttons. */
  readonly buttons?: ComponentChildren;
  readonly children?: ComponentChildren;
}

const CloseContext = createContext<(() => void) | null>(null);
/** Says what closes the dialog in it. */
export const CloseProvider = CloseContext.Provider;

/** Closes the dialog around a component; null outside of one. */
export function useClose(): (() => void) | null {
  return useContext(CloseContext);
}

/**
 * A form with its fields, why it did not go through, and its buttons. It says its mistakes itself: the browser's own bubbles
 * speak the browser's language.
 */
export function Form({
  form,
  onSubmit,
  failures,
  failureText,
  kind = "main",
  children,
  ...props
}: FormProps) {
  const { cancel, save } = useTexts(elementTexts);
  const onCancel = useClose();
  const { isBusy, failure, values } = form;
  return (
    <form
      class="form column"
      ref={form.element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit();
      }}
    >
      {children}
      <FormFailure
        failure={unplacedFailure(failure, Object.keys(values))}
        texts={failures}
        text={failureText}
      />
      <div class="actions row">
        <Button kind={kind} type="submit" isBusy={isBusy}>
          {props.action ?? save}
        </Button>
        {onCancel !== null && <Button onPress={onCancel}>{cancel}</Button>}
        {props.buttons}
      </div>
    </form>
  );
}

interface FormFailureProps {
  readonly failure: ApiFailure | null;
  /** By the answer's status. */
  readonly texts?: Readonly<Record<number, string>> | undefined;
  readonly text?: string | undefined;
}

/** Why a form did not go through. It is there from the start, so that its text is read aloud when it comes. */
export function FormFailure({ failure, texts = {}, text }: FormFailureProps) {
  const own = useTexts(elementTexts);
  return (
    <p class="form-failure bad strong" role="alert">
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
  if (failure.status === TOO_MANY_REQUESTS) return texts.tooMany;
  return failure.status === UNAVAILABLE ? texts.overloaded : texts.failed;
}

/** A request that a person asked for: a form, a button. */
export interface Submission {
  readonly isBusy: boolean;
  /** Why the last one did not succeed; null while nothing is wrong. */
  readonly failure: ApiFailure | null;
  /** Runs it; true when it succeeded. Asked again while it runs, it does nothing and gives false. */
  readonly send: (work: () => Promise<unknown>) => Promise<boolean>;
}

export function useSending(): Submission {
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

/** The names of values that are texts of any kind. */
type TextName<V> = { [Name in keyof V]: string extends V[Name] ? Name : never }[keyof V] & string;

type TextControl = Pick<TextFieldProps, "value" | "onValue" | "mistake">;

/** A form that is filled in. */
export interface FormControl<V = object> extends Pick<Submission, "isBusy" | "failure"> {
  readonly element: RefObject<HTMLFormElement | null>;
  /** What stands in its fields, by the API's names for them: these fields tell their mistakes themselves. */
  readonly values: V;
  set(part: Partial<V>): void;
  /** Sending was tried: what is missing is said. */
  readonly wasSent: boolean;
  /**
   * Runs `work`, which sends what the person filled in, unless something is missing. Unless it succeeds, the keyboard goes
   * to the first field that is wrong.
   */
  submit(isReady: boolean, work: () => Promise<unknown>): Promise<void>;
  /** What is wrong with a field, by the API's path of it; `own` says more for some kinds of mistakes. */
  mistake(path: string, own?: Partial<Mistakes>): string | undefined;
  /** Connects a text field to its value. */
  field(name: TextName<V>, own?: Partial<Mistakes>): TextControl;
  /** The same, with a mistake once sending was tried, unless it is right. */
  checked(name: TextName<V>, isRight: boolean, mistake: string, own?: Partial<Mistakes>): TextControl;
  /** The same for a text that must not be empty. */
  required(name: TextName<V>, own?: Partial<Mistakes>): TextControl & { readonly isRequired: true };
}

/** What every form of the views does when it is filled in and sent. */
export function useForm<V extends object>(start: V): FormControl<V> {
  const { mistakes } = useTexts(elementTexts);
  const { isBusy, failure, send } = useSending();
  const element = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState(start);
  const [wasSent, setSent] = useState(false);
  const [mistakenAttempts, setMistaken] = useState(0);
  useEffect(() => {
    if (mistakenAttempts > 0) element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [mistakenAttempts]);
  const set = (part: Partial<V>) => setValues((before) => ({ ...before, ...part }));
  const mistake = (path: string, own?: Partial<Mistakes>) => mistakeOf(failure, path, mistakes, own);
  const field = (name: TextName<V>, own?: Partial<Mistakes>) => ({
    value: String(values[name]),
    onValue: (text: string) => setValues((before) => ({ ...before, [name]: text })),
    mistake: mistake(name, own),
  });
  const checked = (name: TextName<V>, isRight: boolean, mistake: string, own?: Partial<Mistakes>) => ({
    ...field(name, own),
    ...(wasSent && !isRight && { mistake }),
  });
  return {
    element,
    isBusy,
    failure,
    values,
    set,
    wasSent,
    mistake,
    field,
    checked,
    submit: async (isReady, work) => {
      setSent(true);
      if (!isReady || !(await send(work))) setMistaken((before) => before + 1);
    },
    required: (name, own) => ({
      ...checked(name, String(values[name]).trim() !== "", mistakes.required, own),
      isRequired: true as const,
    }),
  };
}
