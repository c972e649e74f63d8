/**
 * Options of Node that the released program always runs with; there are no others, whatever NODE_OPTIONS says.
 * docs/packaging.md has what each brings.
 */
export const NODE_FLAGS: readonly string[] = ["--max-semi-space-size=4"];
