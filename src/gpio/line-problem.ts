import { FlancoError, withHint } from "../domain/error.ts";

/** Shown in place of an error that was not written for people: its text may have paths and codes in it. */
const UNNAMED_PROBLEM = "The line cannot be watched; the log says more.";

/** Why a line is not watched, for people. */
export function problemOf(error: unknown): string {
  return error instanceof FlancoError ? withHint(error) : UNNAMED_PROBLEM;
}
