import type { Api } from "./api.ts";
import { object } from "./read.ts";

/** The months whose records are archived, as `2026-03`, oldest first: no list, export or report has them. */
export async function loadArchivedMonths(api: Pick<Api, "get">): Promise<readonly string[]> {
  const { months } = object((await api.get("/api/archives"))["data"], "data");
  if (!Array.isArray(months)) throw new TypeError("months is not a list");
  return months.map(String);
}
