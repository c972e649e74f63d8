/** The views that have an address. */
export type Route =
  | { readonly view: "home" }
  /** `token` is empty when the address carries none. */
  | { readonly view: "first_run"; readonly token: string }
  | { readonly view: "unknown" };

export const HOME_PATH = "/";
const FIRST_RUN_PATH = "/primer-uso";

/** Reads an address: `pathname` and `hash` as the browser's location gives them. */
export function routeOf(pathname: string, hash: string): Route {
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, "") : pathname;
  if (path === HOME_PATH || path === "") return { view: "home" };
  // The token stands behind the hash, so that it reaches neither the server's log nor a proxy's.
  if (path === FIRST_RUN_PATH) return { view: "first_run", token: hash.replace(/^#/, "") };
  return { view: "unknown" };
}
