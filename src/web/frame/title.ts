import { useEffect } from "preact/hooks";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/speech.ts";

/** Names the view in the browser's tab; undefined for the view that is the product itself. */
export function useTitle(view: string | undefined): void {
  const { appName } = useTexts(frameTexts);
  useEffect(() => {
    document.title = view === undefined ? appName : `${view} · ${appName}`;
  }, [view, appName]);
}
