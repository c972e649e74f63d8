import type { ComponentChildren, RefObject } from "preact";

interface FormProps {
  /** Of `useFirstMistake`. */
  readonly form: RefObject<HTMLFormElement | null>;
  readonly onSubmit: () => Promise<void>;
  readonly children: ComponentChildren;
}

/** A form that says its mistakes itself: the browser's own bubbles speak the browser's language. */
export function Form({ form, onSubmit, children }: FormProps) {
  return (
    <form
      class="form"
      ref={form}
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
