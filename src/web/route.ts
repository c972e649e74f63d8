import { FIRST_RUN_PATH, LINK_PATH, type Role } from "../domain/member.ts";
import { MAX_TEXT } from "../domain/text.ts";
import type { Self } from "./api/shapes.ts";

/** The views behind the session, each with its address. */
const PATHS = {
  panel: "/",
  clinics: "/clinicas",
  gateways: "/equipos",
  settlements: "/liquidaciones",
  rooms: "/habitaciones",
  records: "/registros",
  report: "/informe",
  settlement: "/liquidacion",
  prices: "/precios",
  locations: "/lugares",
  lines: "/lineas",
  commission: "/puesta-en-marcha",
  notices: "/avisos",
  state: "/estado",
  people: "/personas",
  guide: "/guia",
  self: "/mi-cuenta",
} as const;
export type View = keyof typeof PATHS;
export const VIEWS = Object.keys(PATHS) as readonly View[];

/** What an address leads to. */
export type Route =
  | { readonly view: View; readonly query: URLSearchParams }
  /** `token` is empty when the address carries none; so is `email`, which the form begins with. */
  | { readonly view: "first_run" | "link"; readonly token: string; readonly email: string }
  | { readonly view: "unknown" };

const COMPANY_VIEWS: readonly View[] = [
  "panel",
  "clinics",
  "records",
  "gateways",
  "settlements",
  "report",
  "locations",
  "self",
];
/** The views of each role, those of every day first; it begins with the first. The API refuses what the others ask for. */
const VIEWS_OF: Readonly<Record<Self["serves"], Partial<Record<Role, readonly View[]>>>> = {
  company: {
    owner: [...COMPANY_VIEWS, "people"],
    staff: COMPANY_VIEWS,
    accountant: ["panel", "clinics", "records", "settlements", "report", "self"],
  },
  gateway: {
    owner: VIEWS.filter((view) => !["clinics", "gateways", "settlements"].includes(view)),
    staff: ["panel", "rooms", "records", "report", "settlement", "self"],
    accountant: ["panel", "records", "report", "settlement", "self"],
    technician: ["lines", "commission", "rooms", "state", "locations", "guide", "self"],
    display: ["rooms", "self"],
  },
};

/** Of a member and what its page is of. */
type Viewer = Pick<Self, "role" | "serves"> & Partial<Pick<Self, "locationIds">>;

function viewsOf({ role, serves, locationIds = null }: Viewer): readonly View[] {
  const views = VIEWS_OF[serves][role] ?? ["self"];
  // The guide makes a location.
  return locationIds === null ? views : views.filter((view) => view !== "guide");
}

export function maySee(viewer: Viewer, view: View): boolean {
  return viewsOf(viewer).includes(view);
}

export type NavView = Exclude<View, "guide" | "self">;

/** A phone's bar has room for so many views: those of every day. */
const DAILY_COUNT = 3;
/** The views of money that are opened now and then; all others are the installation's. */
const ACCOUNT_VIEWS: readonly View[] = ["settlements", "report", "settlement", "prices"];

interface NavGroup {
  readonly name: "daily" | "accounts" | "installation";
  readonly views: readonly NavView[];
}

/** The views that the navigation leads to, those of every day first. */
export function navGroupsOf(viewer: Viewer): readonly NavGroup[] {
  const views = viewsOf(viewer).filter((view) => view !== "guide" && view !== "self");
  const isMoney = (view: View) => ACCOUNT_VIEWS.includes(view);
  const seldom = views.slice(DAILY_COUNT);
  const groups: readonly NavGroup[] = [
    { name: "daily", views: views.slice(0, DAILY_COUNT) },
    { name: "accounts", views: seldom.filter(isMoney) },
    { name: "installation", views: seldom.filter((view) => !isMoney(view)) },
  ];
  return groups.filter((group) => group.views.length > 0);
}

export function homeOf(viewer: Viewer): View {
  return viewsOf(viewer)[0] ?? "self";
}

/**
 * Reads an address: `pathname`, `search` and `hash` as the browser's location gives them. What is longer than any name is
 * left out of the query.
 */
export function routeOf(pathname: string, search: string, hash: string): Route {
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, "") : "/";
  // The token stands behind the hash, so that it reaches neither the server's log nor a proxy's.
  if (path === FIRST_RUN_PATH || path === LINK_PATH) {
    const [token = "", email = ""] = hash.replace(/^#/, "").split("/");
    return { view: path === LINK_PATH ? "link" : "first_run", token, email };
  }
  const view = VIEWS.find((candidate) => PATHS[candidate] === path);
  if (view === undefined) return { view: "unknown" };
  const values = [...new URLSearchParams(search)].filter(([, value]) => [...value].length <= MAX_TEXT);
  return { view, query: new URLSearchParams(values) };
}

/** The address of a view. */
export function addressOf(view: View, query: QueryValues = {}): string {
  return withQuery(PATHS[view], query);
}

export type QueryValues = Readonly<Record<string, string | undefined>>;

/** A path with a query. Values that are undefined or empty are left out. */
export function withQuery(path: string, query: QueryValues = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}
