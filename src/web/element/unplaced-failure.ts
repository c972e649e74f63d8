import { ApiFailure } from "../api/failure.ts";

/**
 * A failure for the form as a whole: one whose mistakes are all of fields that the form does not show loses
 * them, so that it is told at all. `shown` are the fields that tell their mistakes themselves.
 */
export function unplacedFailure(failure: ApiFailure | null, shown: readonly string[]): ApiFailure | null {
  if (failure === null) return null;
  const isPlaced = [...failure.fields.keys()].some((path) => shown.includes(path.replace(/^.*\./, "")));
  return isPlaced ? failure : new ApiFailure(failure.status, failure.message);
}
