/** A change of one source file: this text, which stands there once, becomes that one. */
export interface Patch {
  /** Path in the checkout. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * The text of a source file with changes. Throws unless each text to change stands in it exactly once: a control that changes
 * nothing must not pass.
 */
export function patched(file: string, source: string, patches: readonly Patch[]): string {
  let text = source;
  for (const { file: changed, from, to } of patches) {
    if (changed !== file) continue;
    const parts = text.split(from);
    if (parts.length !== 2) {
      throw new Error(
        `${file} has ${parts.length - 1} times, not once: ${from}\nAdapt the control to the file as it is.`,
      );
    }
    text = parts.join(to);
  }
  return text;
}
