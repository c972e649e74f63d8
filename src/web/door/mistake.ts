import type { FieldFailure } from "../api/failure.ts";
import type { doorTexts } from "../messages/door.ts";

/** The fields of the forms, by the names that the API has for them. */
export type FieldName = "name" | "email" | "password";

/** Tells what is wrong with a field in the user's language, from the kind alone: the server's text is English. */
export function mistakeText(
  field: FieldName,
  { kind }: FieldFailure,
  { mistakes }: typeof doorTexts.es,
): string {
  if (kind === "required") return mistakes.required;
  if (kind === "unique" && field === "email") return mistakes.emailTaken;
  if (kind === "type" || kind === "length") return mistakes[field];
  return kind === "range" || kind === "unique" ? mistakes[kind] : mistakes.type;
}
