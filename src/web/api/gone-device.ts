import type { Api } from "./api.ts";
import { loadRecords } from "./record-page.ts";

/** A page may be empty and yet have a next one: after so many the name is not worth the wait. */
const MAX_PAGES = 5;

/** Of more devices nobody needs the names: each is a request. */
const MAX_DEVICES = 20;

/** The names that devices which are gone had in their newest records; those of which that is found soon. */
export async function loadGoneNames(
  api: Pick<Api, "get">,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const asked = [...new Set(deviceIds)].slice(0, MAX_DEVICES);
  const names = await Promise.all(asked.map((id) => loadName(api, id)));
  return new Map(asked.flatMap((id, index) => names[index]?.map((name) => [id, name] as const) ?? []));
}

/** One name, or none. */
async function loadName(api: Pick<Api, "get">, deviceId: string): Promise<readonly string[]> {
  const filter = new URLSearchParams({ device: deviceId }).toString();
  let next: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await loadRecords(api, filter, next, 1);
    const [newest] = answer.records;
    if (newest !== undefined) return [newest.deviceName];
    next = answer.next;
    if (next === null) break;
  }
  return [];
}
