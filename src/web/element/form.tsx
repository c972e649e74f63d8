import type { ComponentChildren, RefObject } from "preact";

interface FormProps {
  /** Of `useFirstMistake`; not needed where no field tells its mistake. */
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
