import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Api } from "../api/api.ts";
import { useVisit } from "../frame/visit.ts";
import type { NewsEvent } from "./news.ts";
import { type Part, ready } from "./part.ts";
import { Refresher } from "./refresher.ts";

export interface Loaded<T> {
  readonly part: Part<T>;
  /** True while what is shown belongs to the key before: the answer for this one is still to come. */
  readonly isStale: boolean;
  /** Fetches it again; what is shown stays until the answer is there. */
  readonly reload: () => void;
}

const REST_MS = 1_000;
const NO_EVENTS: readonly NewsEvent["kind"][] = [];

/**
 * Fetches something for a view and keeps it current: anew when `key` changes, when changes may have been missed,
 * and after the live events that are named, at most once a second. A failure of a refresh keeps what is shown.
 * `key` holds everything that `load` depends on.
 */
export function useLoaded<T>(
  load: (api: Api) => Promise<T>,
  key: string,
  refreshOn: readonly NewsEvent["kind"][] = NO_EVENTS,
): Loaded<T> {
  const { api, news } = useVisit();
  const [state, setState] = useState<{ readonly key: string; readonly part: Part<T> }>({
    key,
    part: { kind: "waiting" },
  });
  const latest = useRef({ load, refreshOn });
  latest.current = { load, refreshOn };
  const refresher = useRef<Refresher | null>(null);

  // Before the first paint, which would otherwise make the answer wait on a slow tablet.
  useLayoutEffect(() => {
    let isCurrent = true;
    const own = new Refresher(async () => {
      try {
        const part = ready(await latest.current.load(api));
        if (isCurrent) setState({ key, part });
      } catch (error) {
        console.warn(error);
        if (isCurrent) {
          setState((before) =>
            before.key === key && before.part.kind === "ready" ? before : { key, part: { kind: "failed" } },
          );
        }
      }
    }, REST_MS);
    refresher.current = own;
    own.ask();
    const stop = news.listen((event) => {
      if (event.kind === "behind" || latest.current.refreshOn.includes(event.kind)) own.ask();
    });
    return () => {
      isCurrent = false;
      stop();
      own.close();
    };
  }, [api, news, key]);

  const [reload] = useState(() => () => refresher.current?.hurry());
  return { part: state.part, isStale: state.key !== key, reload };
}
