import type { Language } from "../../domain/language.ts";

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
  return value === "es" || value === "en";
}

function baseOf(locale: string): string {
  return locale.toLowerCase().split("-")[0] ?? "";
}
