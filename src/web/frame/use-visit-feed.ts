import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { Ahead } from "../api/ahead.ts";
import { Api } from "../api/api.ts";
import { ApiFailure, UNREACHABLE } from "../api/failure.ts";
import { loadStatus, type Status } from "../api/status.ts";
import { LiveConnection, type LiveState } from "../live/connection.ts";
import { Freshness } from "../live/freshness.ts";
import { News } from "../live/news.ts";
import { type Part, ready } from "../live/part.ts";
import { Refresher } from "../live/refresher.ts";

export interface VisitFeed {
  readonly api: Api;
  readonly news: News;
  readonly live: LiveState;
  readonly status: Part<Status>;
  readonly reloadStatus: () => void;
  /** Unix milliseconds by the gateway's clock. */
  readonly now: () => number;
}

const REST_MS = 250;
/** How often the gateway's state is asked for when nothing happens. */
const ROUND_MS = 60_000;

/**
 * Opens one live connection for all views, and keeps the gateway's status. `onEnded`: the session is over.
 * `ahead`: what was asked for before.
 */
export function useVisitFeed(ahead: Ahead, onEnded: () => void): VisitFeed {
  const [live, setLive] = useState<LiveState>("connecting");
  const [status, setStatus] = useState<Part<Status>>({ kind: "waiting" });
  const own = useMemo(() => {
    // How far the gateway's clock is ahead of this machine's.
    let aheadMs = 0;
    const news = new News();
    const freshness = new Freshness();
    const onBehind = () => {
      refresher.ask();
      news.tell({ kind: "behind" });
    };
    const api = new Api(ahead, {
      onEnded,
      onRead: (at) => {
        if (freshness.onRead(at)) onBehind();
      },
    });
    const refresher = new Refresher(async () => {
      try {
        const status = await loadStatus(api);
        aheadMs = status.clock.timeMs - Date.now();
        setStatus(ready(status));
      } catch (error) {
        console.warn(error);
        setStatus((before) => (before.kind === "ready" ? before : { kind: "failed" }));
        // A stream may be dead without knowing (a cable pulled). The round of the status finds that out.
        if (error instanceof ApiFailure && error.status === UNREACHABLE) connection.renew();
      }
    }, REST_MS);
    const connection = new LiveConnection({
      onState: setLive,
      onEvent: (event) => {
        if (event.kind !== "hello") {
          if (event.kind === "places" || event.kind === "gap") refresher.ask();
          return news.tell(event);
        }
        if (freshness.onStream(event.at)) onBehind();
      },
      onRefused: () => refresher.ask(),
    });
    return {
      api,
      news,
      refresher,
      connection,
      reloadStatus: () => refresher.ask(),
      now: () => Date.now() + aheadMs,
    };
  }, [ahead, onEnded]);

  // Before the first paint: on a slow tablet the requests would otherwise wait for it.
  useLayoutEffect(() => {
    own.refresher.ask();
    own.connection.open();
    const round = setInterval(own.reloadStatus, ROUND_MS);
    return () => {
      clearInterval(round);
      own.connection.close();
      own.refresher.close();
      own.api.close();
    };
  }, [own]);

  return { ...own, live, status };
}
