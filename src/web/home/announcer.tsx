import { useEffect, useRef, useState } from "preact/hooks";
import type { LiveEvent } from "../api/live-event.ts";
import type { Format } from "../format/format.ts";
import type { LiveState } from "../live/connection.ts";
import { useMessages } from "../messages/speech.ts";
import { announcementOf } from "./announcement.ts";
import type { News } from "./use-feed.ts";

interface AnnouncerProps {
  readonly news: News;
  readonly live: LiveState;
  readonly format: Format;
}

/** Events are gathered for so long, so that a busy minute is not read out one by one. */
const GATHER_MS = 1_500;

/** Tells live changes to screen readers. */
export function Announcer({ news, live, format }: AnnouncerProps) {
  const messages = useMessages();
  const [text, setText] = useState("");
  const speech = useRef({ messages, format });
  speech.current = { messages, format };

  useEffect(() => {
    let gathered: LiveEvent[] = [];
    let timer: number | undefined;
    const tell = () => {
      timer = undefined;
      const announcement = announcementOf(gathered, speech.current.messages, speech.current.format);
      gathered = [];
      if (announcement !== "") setText(announcement);
    };
    const stop = news.listen((event) => {
      gathered.push(event);
      timer ??= setTimeout(tell, GATHER_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [news]);

  const before = useRef(live);
  useEffect(() => {
    if (live === "lost") setText(messages.news.lost);
    if (live === "live" && before.current === "lost") setText(messages.news.live);
    before.current = live;
  }, [live, messages]);

  return (
    <p class="aloud" aria-live="polite">
      {text}
    </p>
  );
}
