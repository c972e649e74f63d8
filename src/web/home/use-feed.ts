import { useLayoutEffect, useMemo, useReducer, useState } from "preact/hooks";
import { Api } from "../api/api.ts";
import type { LiveEvent } from "../api/live-event.ts";
import { HomeFeed } from "./feed.ts";
import { EMPTY_HOME, type HomeState, reduceHome } from "./state.ts";

/** Told to whoever listens, as live events come. */
export type NewsListener = (event: LiveEvent) => void;

/** Where live events can be listened to. */
export interface News {
  /** Gives back the way to stop. */
  listen(listener: NewsListener): () => void;
}

export interface FeedView {
  readonly state: HomeState;
  readonly news: News;
  readonly reload: () => void;
  /** Fetches the sales before the given one. */
  readonly loadOlder: (before: number) => void;
}

/** Opens a feed for as long as the component is there. `onEnded`: the server says that the session is over. */
export function useFeed(onEnded: () => void): FeedView {
  const [state, dispatch] = useReducer(reduceHome, EMPTY_HOME);
  const [listeners] = useState(() => new Set<NewsListener>());
  const { api, feed } = useMemo(() => {
    const api = new Api(onEnded);
    const tell: NewsListener = (event) => {
      for (const listener of listeners) listener(event);
    };
    return { api, feed: new HomeFeed(api, dispatch, tell) };
  }, [onEnded, listeners, dispatch]);

  // Before the first paint: on a slow tablet the requests would otherwise wait for it.
  useLayoutEffect(() => {
    feed.open();
    return () => {
      feed.close();
      api.close();
    };
  }, [feed, api]);

  const news = useMemo<News>(
    () => ({
      listen: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
    [listeners],
  );
  return { state, news, reload: feed.reload, loadOlder: (before) => void feed.loadOlder(before) };
}
