import { type ComponentChildren, createContext } from "preact";
import { useContext, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { elementTexts } from "../messages/element.ts";
import { useTexts } from "../messages/use-language.ts";
import { Button, type ButtonProps } from "./button.tsx";
import { CloseProvider, Form, type FormProps, useClose, useForm } from "./form.tsx";

interface DialogProps {
  readonly title: string;
  /** A sheet at the side for what is long; else a card in the middle. On a phone both rise from the foot. */
  readonly isSheet?: boolean;
  readonly children: ComponentChildren;
}

/** A modal dialog over the page, for as long as it is in the tree. Escape and a press beside it close it. */
export function Dialog({ title, isSheet = false, children }: DialogProps) {
  const texts = useTexts(elementTexts);
  const close = useClose() ?? (() => {});
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
        // A field of files tells with the same event that none was chosen.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => {
        // The second press of a double click was meant for the button that opened it.
        if (event.target === event.currentTarget && event.detail === 1) close();
      }}
    >
      <div class="dialog">
        <div class="dialog-head beside spread">
          <h2 id={titleId} ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <Button kind="quiet" icon="close" label={texts.close} onPress={close} />
        </div>
        <div class="dialog-body column">{children}</div>
      </div>
    </dialog>
  );
}

interface Dialogs {
  /** Shows a dialog in place of the one before; null closes it. It is drawn as it was when it was opened. */
  readonly open: (dialog: ComponentChildren) => void;
  /** Closes it, and says what was done. */
  readonly finish: (done: string) => void;
  /** What was done last, in words; empty before, and while a dialog is open. */
  readonly done: string;
}

const DialogsContext = createContext<Dialogs | null>(null);

/** The dialogs of the view around a component: one at a time. */
export function useDialogs(): Dialogs {
  const dialogs = useContext(DialogsContext);
  if (dialogs === null) throw new Error("no DialogHost around this component");
  return dialogs;
}

/** Holds a view and its dialogs. */
export function DialogHost({ children }: { readonly children: ComponentChildren }) {
  const [{ dialog, done }, setShown] = useState<{ dialog: ComponentChildren; done: string }>({
    dialog: null,
    done: "",
  });
  const control = useMemo(
    () => ({
      open: (next: ComponentChildren) => setShown({ dialog: next, done: "" }),
      finish: (text: string) => setShown({ dialog: null, done: text }),
    }),
    [],
  );
  const dialogs = useMemo(() => ({ ...control, done }), [control, done]);
  return (
    <DialogsContext.Provider value={dialogs}>
      {children}
      <CloseProvider value={() => control.open(null)}>{dialog}</CloseProvider>
    </DialogsContext.Provider>
  );
}

/** Gives what closes a dialog, says what was done, and has what is shown fetched again. */
export function useFinish(reload: () => void): (done: string) => void {
  const { finish } = useDialogs();
  return (done) => {
    finish(done);
    reload();
  };
}

interface DialogButtonProps extends Omit<ButtonProps, "onPress"> {
  readonly dialog: ComponentChildren;
}

/** A button that opens a dialog. */
export function DialogButton({ dialog, ...button }: DialogButtonProps) {
  const { open } = useDialogs();
  return <Button {...button} onPress={() => open(dialog)} />;
}

/** A dialog that is a form. */
export function DialogForm({ title, ...form }: FormProps & Pick<DialogProps, "title">) {
  return (
    <Dialog title={title}>
      <Form {...form} />
    </Dialog>
  );
}

/** What something means, a sentence each. */
export function Sentences({ of }: { readonly of: readonly string[] }) {
  return (
    <ul class="prose">
      {of.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

interface ConfirmProps<T> {
  readonly title: string;
  /** What the button does, as a verb: "Borrar el pasillo". */
  readonly action: string;
  /** What it means, a sentence each. */
  readonly meaning: readonly string[];
  /** By the answer's status, where there is more to say than that it failed. */
  readonly failures?: Readonly<Record<number, string>>;
  /** `bad`, as by default, where something is taken away. */
  readonly kind?: "main" | "bad";
  readonly onConfirm: () => Promise<T>;
  /** Is given what `onConfirm` gave, once the dialog is closed. */
  readonly onDone: (given: T) => void;
}

/** Asks before something is done, and does it. */
export function Confirm<T>({ title, meaning, kind = "bad", onConfirm, onDone, ...props }: ConfirmProps<T>) {
  const { open } = useDialogs();
  const form = useForm({});
  const confirm = () =>
    form.submit(true, async () => {
      const given = await onConfirm();
      open(null);
      onDone(given);
    });
  return (
    <DialogForm title={title} form={form} onSubmit={confirm} kind={kind} {...props}>
      <Sentences of={meaning} />
    </DialogForm>
  );
}
