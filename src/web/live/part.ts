/** Something that is fetched. A failed refresh keeps what was there before. */
export type Part<T> =
  | { readonly kind: "waiting" }
  | { readonly kind: "ready"; readonly value: T }
  | { readonly kind: "failed" };

export function ready<T>(value: T): Part<T> {
  return { kind: "ready", value };
}

/** The value once it is there, else undefined. */
export function readyValue<T>(part: Part<T>): T | undefined {
  return part.kind === "ready" ? part.value : undefined;
}
