import { createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { type Bilingual, type Language, pickLanguage, pickLocale } from "../../domain/language.ts";

/** The language that the page speaks. */
interface Speech {
  readonly language: Language;
  /** BCP 47, for Intl. */
  readonly locale: string;
  readonly speak: (language: Language) => void;
}

const STORAGE_KEY = "flanco.language";

const LanguageContext = createContext<Speech | null>(null);
export const LanguageProvider = LanguageContext.Provider;

/** The speech of the page around a component. */
export function useLanguage(): Speech {
  const speech = useContext(LanguageContext);
  if (speech === null) throw new Error("no LanguageProvider around this component");
  return speech;
}

/** The texts in the language that the page speaks. */
export function useTexts<M>(texts: Bilingual<M>): M {
  return texts[useLanguage().language];
}

/** The page's one speech: remembers the choice, and tells the document its language. */
export function useChosenLanguage(): Speech {
  const [language, setLanguage] = useState(() => pickLanguage(recall(), navigator.languages));
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return useMemo(
    () => ({
      language,
      locale: pickLocale(language, navigator.languages),
      speak: (chosen: Language) => {
        remember(chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
}

function recall(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    // A browser that keeps nothing for this site: the choice then lasts as long as the page.
    return null;
  }
}

function remember(language: Language): void {
  try {
    localStorage.setItem(STORAGE_KEY, language);
  } catch {
    // See recall.
  }
}
