import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/use-language.ts";
import { Button } from "./button.tsx";
import { CancelProvider, FormFailure, useSending } from "./form.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** A sheet at the side for what is long; else a card in the middle. On a phone both rise from the foot. */
  readonly isSheet?: boolean;
  readonly children: ComponentChildren;
}

/** A modal dialog over the page, for as long as it is in the tree. Escape and a press beside it close it. */
export function Dialog({ title, onClose, isSheet = false, children }: DialogProps) {
  const texts = useTexts(elementTexts);
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  // Before the next key: one that came in between would move the focus behind the dialog.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    heading.current?.focus();
    document.documentElement.classList.add("is-covered");
    return () => {
      document.documentElement.classList.remove("is-covered");
      // The browser gives the focus back to where it was.
      shown?.close();
    };
  }, []);

  return (
    <dialog
      class={isSheet ? "cover cover-sheet" : "cover"}
      aria-labelledby={titleId}
      ref={dialog}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div class="dialog">
        <div class="dialog-head">
          <h2 id={titleId} ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <Button kind="quiet" icon="close" label={texts.close} onPress={onClose} />
        </div>
        <div class="dialog-body">
          <CancelProvider value={onClose}>{children}</CancelProvider>
        </div>
      </div>
    </dialog>
  );
}

interface WorkControl<W> {
  /** What is being done: one dialog at a time. */
  readonly work: W | null;
  /** What was done last, in words. */
  readonly done: string;
  /** Opens a work's dialog, or closes the one that is open. */
  readonly begin: (work: W | null) => void;
  /** Says what was done, and goes on with another work, if there is one. */
  readonly finish: (text: string, next?: W) => void;
}

/** The dialogs of a view, and what was done in the last of them. `onDone` is called after each. */
export function useWork<W>(onDone: () => void): WorkControl<W> {
  const [{ work, done }, setState] = useState<Pick<WorkControl<W>, "work" | "done">>({
    work: null,
    done: "",
  });
  return {
    work,
    done,
    begin: (next) => setState({ work: next, done: "" }),
    finish: (text, next) => {
      setState({ work: next ?? null, done: text });
      onDone();
    },
  };
}

interface ConfirmProps<T> {
  readonly title: string;
  /** What the button does, as a verb: "Borrar el pasillo". */
  readonly action: string;
  /** The same while it is done. */
  readonly busyText: string;
  /** What it means, a sentence each. */
  readonly meaning: readonly string[];
  /** By the answer's status, where there is more to say than that it failed. */
  readonly failures?: Readonly<Record<number, string>>;
  /** `bad`, as by default, where something is taken away. */
  readonly kind?: "main" | "bad";
  readonly onConfirm: () => Promise<T>;
  /** Is given what `onConfirm` gave. */
  readonly onDone: (given: T) => void;
  readonly onClose: () => void;
}

/** Asks before something is done, and does it. */
export function Confirm<T>({
  title,
  action,
  busyText,
  meaning,
  kind = "bad",
  onConfirm,
  onDone,
  onClose,
  ...props
}: ConfirmProps<T>) {
  const texts = useTexts(elementTexts);
  const { isBusy, failure, send } = useSending();
  const confirm = () => send(async () => onDone(await onConfirm()));
  return (
    <Dialog title={title} onClose={onClose}>
      <ul class="prose">
        {meaning.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <FormFailure failure={failure} texts={props.failures ?? {}} />
      <div class="actions">
        <Button kind={kind} isBusy={isBusy} onPress={() => void confirm()}>
          {isBusy ? busyText : action}
        </Button>
        <Button onPress={onClose}>{texts.cancel}</Button>
      </div>
    </Dialog>
  );
}
