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

/** Spanish comes first: it is shown where a browser asks for neither. */
const FALLBACK: Language = "es";

/** The page's language: what was chosen before, else the first that the browser asks for and the page has. */
export function pickLanguage(chosen: string | null, browser: readonly string[]): Language {
  if (isLanguage(chosen)) return chosen;
  return browser.map(baseOf).find(isLanguage) ?? FALLBACK;
}

/** The locale for numbers and dates: the browser's own variant of the language (es-MX, say) where it has one. */
export function pickLocale(language: Language, browser: readonly string[]): string {
  return browser.find((locale) => baseOf(locale) === language) ?? language;
}

export function otherLanguage(language: Language): Language {
  return language === "es" ? "en" : "es";
}

function isLanguage(value: string | null): value is Language {
  return LANGUAGES.some((language) => language === value);
}

function baseOf(locale: string): string {
  return locale.toLowerCase().split("-")[0] ?? "";
}
