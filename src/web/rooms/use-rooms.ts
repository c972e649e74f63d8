import { useLayoutEffect, useReducer, useState } from "preact/hooks";
import { useVisit } from "../frame/visit.ts";
import { RoomsFeed } from "./rooms-feed.ts";
import { NO_ROOMS, type RoomsState, reduceRooms } from "./rooms-state.ts";

export interface RoomsShown {
  readonly state: RoomsState;
  readonly reload: () => void;
}

/** The rooms, live, for as long as the component is there; with the day's sales only where they are shown. */
export function useRooms({ withSales = true } = {}): RoomsShown {
  const { api, news, format, now } = useVisit();
  const [state, dispatch] = useReducer(reduceRooms, NO_ROOMS);
  const [feed, setFeed] = useState<RoomsFeed | null>(null);
  // Before the first paint, which would otherwise make the answer wait on a slow tablet.
  useLayoutEffect(() => {
    const own = new RoomsFeed(api, withSales ? () => format.day(now()) : null, dispatch);
    setFeed(own);
    own.reload();
    const stop = news.listen(own.take);
    return () => {
      stop();
      own.close();
    };
  }, [api, news, format, now, withSales]);
  return { state, reload: () => feed?.reload() };
}
