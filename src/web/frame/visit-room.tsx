import { useMemo } from "preact/hooks";
import type { Ahead } from "../api/ahead.ts";
import type { User } from "../api/session.ts";
import { createFormat } from "../format/format.ts";
import { readyValue } from "../live/part.ts";
import { useSpeech } from "../messages/speech.ts";
import type { View } from "../route.ts";
import { Shell } from "./shell.tsx";
import { ShownView } from "./shown-view.tsx";
import { useVisitFeed } from "./use-visit-feed.ts";
import { type Visit, VisitProvider } from "./visit.ts";

interface VisitRoomProps {
  readonly user: User;
  /** What was asked for before. */
  readonly ahead: Ahead;
  readonly view: View;
  readonly onEnded: () => void;
  readonly onSignOut: () => void;
}

/** Everything behind the session: one connection, one format, and the view of the address. */
export function VisitRoom({ user, ahead, view, onEnded, onSignOut }: VisitRoomProps) {
  const { locale } = useSpeech();
  const feed = useVisitFeed(ahead, onEnded);
  const status = readyValue(feed.status);
  const timeZone = status?.timeZone;
  const code = status?.currency.code;
  const decimals = status?.currency.decimals ?? 2;
  const format = useMemo(
    () => createFormat(locale, timeZone, code === undefined ? undefined : { code, decimals }),
    [locale, timeZone, code, decimals],
  );
  const visit = useMemo<Visit>(
    () => ({ ...feed, user, format }),
    [feed.api, feed.news, feed.live, feed.status, feed.reloadStatus, user, format],
  );
  // Amounts and dates need the gateway's currency and zone: nothing is shown by a guess and changed after.
  if (feed.status.kind === "waiting") return null;
  return (
    <VisitProvider value={visit}>
      <Shell view={view} onSignOut={onSignOut}>
        <ShownView view={view} />
      </Shell>
    </VisitProvider>
  );
}
