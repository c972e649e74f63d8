/** The languages of the page and of notices. Spanish comes first. */
export const LANGUAGES = ["es", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

/** How what the gateway writes itself has numbers and dates (BCP 47). */
export const LOCALES = { es: "es-ES", en: "en-GB" } as const;

/** The same in Spanish and in English: a text, several, or the words of one field. */
export type Pair<T = unknown> = readonly [es: T, en: T];

/** Texts by their names. A text with values in it is a function of these values. */
interface Pairs {
  readonly [name: string]: Pair | ((...values: never[]) => Pair) | Pairs;
}

/** The texts of pairs in one language. */
type TextsOf<P> =
  P extends Pair<infer T>
    ? T
    : P extends (...values: infer V) => Pair<infer T>
      ? (...values: V) => T
      : { readonly [Name in keyof P]: TextsOf<P[Name]> };

/** Texts of one subject in both languages. */
export interface Bilingual<M> {
  readonly es: M;
  readonly en: M;
}

/** Makes the texts of one subject from pairs: each text stands beside its translation. */
export function bilingual<P extends Pairs>(pairs: P): Bilingual<TextsOf<P>> {
  return { es: spoken(pairs, 0) as TextsOf<P>, en: spoken(pairs, 1) as TextsOf<P> };
}

/** One of a pair. */
export function inLanguage<T>([es, en]: Pair<T>, language: Language): T {
  return language === "es" ? es : en;
}

/** A count with its noun: `1 sale`, `1,204 sales`. `count` is formatted; one is "1" in both languages. */
export function counted(count: string, one: string, many: string): string {
  return `${count} ${count === "1" ? one : many}`;
}

function spoken(pairs: Pairs, at: 0 | 1): object {
  const entries = Object.entries(pairs).map(([name, pair]) => {
    if (isPair(pair)) return [name, pair[at]];
    if (typeof pair === "function") return [name, (...values: never[]) => pair(...values)[at]];
    return [name, spoken(pair, at)];
  });
  return Object.fromEntries(entries);
}

function isPair(pairs: Pairs[string]): pairs is Pair {
  return Array.isArray(pairs);
}

/** Spanish comes first: it is shown where a browser asks for neither. */
const FALLBACK: Language = "es";

/** The page's language: what was chosen before, else the first that the browser asks for and the page has. */
export function pickLanguage(chosen: string | null, browser: readonly string[]): Language {
  if (isLanguage(chosen)) return chosen;
  return browser.map(baseOf).find(isLanguage) ?? FALLBACK;
}

/**
 * The locale for numbers and dates: the browser's own variant of the language (es-MX, say) where it has one. English in a
 * browser of another language is written as in Europe: bare `en` would mean the twelve hours of the United States.
 */
export function pickLocale(language: Language, browser: readonly string[]): string {
  if (language === "en" && baseOf(browser[0] ?? "") !== "en") return "en-GB";
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
