interface FormFailureProps {
  /** Null while nothing has failed. */
  readonly text: string | null;
}

/** Says why a form could not be sent, also aloud. Always present, because a live region must be there before its text. */
export function FormFailure({ text }: FormFailureProps) {
  return (
    <p class="form-failure" role="alert">
      {text}
    </p>
  );
}
