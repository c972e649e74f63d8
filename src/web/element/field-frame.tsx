import type { ComponentChildren } from "preact";

interface FieldFrameProps {
  /** The id of the control. */
  readonly id: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly mistake?: string | undefined;
  readonly describedBy?: string | undefined;
  /** Gets the ids of what explains the control, for its aria-describedby. */
  readonly children: (describedBy: string | undefined) => ComponentChildren;
}

/** What stands around every control of a form: its label, its hint, its mistake. */
export function FieldFrame({ id, label, hint, mistake, describedBy, children }: FieldFrameProps) {
  const hintId = `${id}-hint`;
  const mistakeId = `${id}-mistake`;
  const described = [
    describedBy,
    hint === undefined ? undefined : hintId,
    mistake === undefined ? undefined : mistakeId,
  ].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="field-box">{children(described.length === 0 ? undefined : described.join(" "))}</div>
      {hint !== undefined && (
        <p class="field-hint" id={hintId}>
          {hint}
        </p>
      )}
      {mistake !== undefined && (
        <p class="field-mistake" id={mistakeId}>
          {mistake}
        </p>
      )}
    </div>
  );
}
