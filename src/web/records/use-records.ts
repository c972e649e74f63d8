import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { useNews, useVisit } from "../frame/visit.ts";
import { lets, queryOf, type RecordFilter } from "./filter.ts";
import { RecordFeed } from "./record-feed.ts";
import { NO_RECORDS, type RecordList, reduceRecords } from "./record-list.ts";

export interface Records {
  readonly list: RecordList;
  /** Fetches all anew, from the newest. */
  readonly begin: () => void;
  /** Fetches the page after the last. */
  readonly more: () => void;
}

/** The records that a filter lets through, fetched as they are asked for; void ones are marked as that is told. */
export function useRecords(filter: RecordFilter): Records {
  const { api, format, live } = useVisit();
  const [list, dispatch] = useReducer(reduceRecords, NO_RECORDS);
  const feed = useRef<RecordFeed | null>(null);
  const query = queryOf(filter);

  // Before the first paint, which would otherwise make the answer wait on a slow tablet.
  useLayoutEffect(() => {
    const own = new RecordFeed(api, query, dispatch);
    feed.current = own;
    own.begin();
    return () => own.close();
  }, [api, query]);

  useNews((event) => {
    if (event.kind === "record" && lets(filter, event.sale, format.day)) dispatch({ kind: "sold" });
    if (event.kind === "time") dispatch({ kind: "moved", recordId: event.recordId });
    if (event.kind === "void") dispatch({ kind: "voided", recordId: event.recordId, reason: event.reason });
  });

  const liveBefore = useRef(live);
  useEffect(() => {
    if (liveBefore.current === "lost" && live === "live") dispatch({ kind: "reconnected" });
    liveBefore.current = live;
  }, [live]);

  return {
    list,
    begin: () => feed.current?.begin(),
    more: () => feed.current?.more(),
  };
}
