/** Of what people read on the page and in notices. Spanish comes first. */
export const LANGUAGES = ["es", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Texts of one subject in both languages, with the same keys. */
export interface Bilingual<M> {
  readonly es: M;
  readonly en: M;
}

/** The Spanish texts' shape is the shape of the others. A text with values in it is a function. */
export function bilingual<M extends object>(es: M, en: NoInfer<M>): Bilingual<M> {
  return { es, en };
}
