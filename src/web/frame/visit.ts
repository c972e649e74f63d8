import { createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import type { Api } from "../api/api.ts";
import type { User } from "../api/session.ts";
import type { Status } from "../api/status.ts";
import type { Format } from "../format/format.ts";
import type { LiveState } from "../live/connection.ts";
import type { News, NewsListener } from "../live/news.ts";
import type { Part } from "../live/part.ts";

/** What every view behind the session shares, from sign-in to sign-out. */
export interface Visit {
  readonly user: User;
  readonly api: Api;
  readonly news: News;
  readonly live: LiveState;
  readonly status: Part<Status>;
  /** Asks for the status anew. */
  readonly reloadStatus: () => void;
  /** Unix milliseconds by the gateway's clock: a tablet's own may be years off. */
  readonly now: () => number;
  /** By the page's locale, and the time zone and currency of the gateway. */
  readonly format: Format;
}

const VisitContext = createContext<Visit | null>(null);
export const VisitProvider = VisitContext.Provider;

export function useVisit(): Visit {
  const visit = useContext(VisitContext);
  if (visit === null) throw new Error("no VisitProvider around this component");
  return visit;
}

export function useFormat(): Format {
  return useVisit().format;
}

/** Tells `listener` every live event while the component is there. */
export function useNews(listener: NewsListener): void {
  const { news } = useVisit();
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => news.listen((event) => latest.current(event)), [news]);
}
