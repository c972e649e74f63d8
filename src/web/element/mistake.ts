import { ApiFailure } from "../api/api.ts";
import type { elementTexts } from "../messages/element.ts";

type Mistakes = (typeof elementTexts.es)["mistakes"];

/**
 * What is wrong with a field, in the user's language, from the kind alone: the server's text is English.
 * `field` is the API's path of it (`newDevice.dId`); its last part alone is found too. `own` says more for some kinds.
 */
export function mistakeOf(
  failure: ApiFailure | null,
  field: string,
  mistakes: Mistakes,
  own: Partial<Mistakes> = {},
): string | undefined {
  const mistake =
    failure?.fields.get(field) ??
    [...(failure?.fields ?? [])].find(([path]) => path.endsWith(`.${field}`))?.[1];
  if (mistake === undefined) return undefined;
  const { kind } = mistake;
  const isKnown = kind === "required" || kind === "length" || kind === "range" || kind === "unique";
  const key = isKnown ? kind : "type";
  return own[key] ?? mistakes[key];
}

/**
 * A failure for the form as a whole: one whose mistakes are all of fields that the form does not show loses
 * them, so that it is told at all. `shown` are the fields that tell their mistakes themselves.
 */
export function unplacedFailure(failure: ApiFailure | null, shown: readonly string[]): ApiFailure | null {
  if (failure === null) return null;
  const isPlaced = [...failure.fields.keys()].some((path) => shown.includes(path.replace(/^.*\./, "")));
  return isPlaced ? failure : new ApiFailure(failure.status, failure.message);
}
