import { useEffect } from "preact/hooks";
import { useMessages } from "../messages/speech.ts";

/** Names the view in the browser's tab; undefined for the view that is the product itself. */
export function useTitle(view: string | undefined): void {
  const { appName } = useMessages();
  useEffect(() => {
    document.title = view === undefined ? appName : `${view} · ${appName}`;
  }, [view, appName]);
}
