import { useEffect, useRef, useState } from "preact/hooks";
import type { LiveEvent } from "../live/events.ts";
import { useGateway } from "../live/gateway.ts";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/use-language.ts";
import { announcementOf } from "./announcement.ts";

/** Events are gathered for so long, so that a busy minute is not read out one by one. */
const GATHER_MS = 1_500;

/** Reads live changes aloud. */
export function Announcer() {
  const { events, live, format } = useGateway();
  const texts = useTexts(frameTexts);
  const [text, setText] = useState("");
  const speech = useRef({ texts, format });
  speech.current = { texts, format };

  useEffect(() => {
    let gathered: LiveEvent[] = [];
    let timer: number | undefined;
    const tell = () => {
      timer = undefined;
      const announcement = announcementOf(gathered, speech.current.texts, speech.current.format);
      gathered = [];
      if (announcement !== "") setText(announcement);
    };
    const stop = events.listen((event) => {
      gathered.push(event);
      timer ??= setTimeout(tell, GATHER_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [events]);

  const before = useRef(live);
  useEffect(() => {
    if (live === "lost") setText(texts.news.lost);
    if (live === "live" && before.current === "lost") setText(texts.news.live);
    before.current = live;
  }, [live, texts]);

  return (
    <p class="aloud" aria-live="polite">
      {text}
    </p>
  );
}
