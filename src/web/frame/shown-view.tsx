import { useEffect, useState } from "preact/hooks";
import { Unread } from "../element/nothing.tsx";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/speech.ts";
import { PanelView } from "../panel/panel-view.tsx";
import type { View } from "../route.ts";
import { loadSeldomViews, loadSeldomViewsSoon, type SeldomViews } from "./view-loader.ts";

/** The view of an address. The panel is there at once, the others once their file is. */
export function ShownView({ view }: { readonly view: View }) {
  const texts = useTexts(frameTexts);
  const [seldom, setSeldom] = useState<SeldomViews | "waiting" | "failed">("waiting");
  const isSeldom = view !== "panel";

  // So that the next view is there at a touch.
  useEffect(loadSeldomViewsSoon, []);
  useEffect(() => {
    if (!isSeldom) return;
    let isCurrent = true;
    const show = (views: SeldomViews | "failed") => isCurrent && setSeldom(views);
    loadSeldomViews().then(show, () => show("failed"));
    return () => {
      isCurrent = false;
    };
  }, [isSeldom]);

  if (view === "panel") return <PanelView />;
  if (seldom === "waiting") return null;
  // An update has taken the file away, or the gateway is gone: the page begins anew, where it is.
  if (seldom === "failed") return <Unread text={texts.viewFailed} onRetry={() => location.reload()} />;
  const Shown = seldom[view];
  return <Shown key={view} />;
}
