/** Texts of one part of the page in both languages, with the same keys. */
export interface Bilingual<M> {
  readonly es: M;
  readonly en: M;
}

/** Spanish comes first: its shape is the shape of the other. A text with values in it is a function. */
export function bilingual<M extends object>(es: M, en: NoInfer<M>): Bilingual<M> {
  return { es, en };
}
