import { useEffect, useState } from "preact/hooks";
import { DialogHost } from "../element/dialog.tsx";
import { Unread, Waiting } from "../element/notice.tsx";
import { frameTexts } from "../messages/frame.ts";
import { useTexts } from "../messages/use-language.ts";
import { PanelView } from "../panel/panel-view.tsx";
import type { View } from "../route.ts";

type SeldomViews = typeof import("./seldom-views.ts").SELDOM_VIEWS;

/** By then the first view stands, whose figures come first. */
const SOON_MS = 1_000;
let loading: Promise<SeldomViews> | undefined;

/** Loads the views that an opening seldom begins with, once. Rejects where their file cannot be had; then it may be tried again. */
export function loadSeldomViews(): Promise<SeldomViews> {
  loading ??= import("./seldom-views.ts").then(
    ({ SELDOM_VIEWS }) => SELDOM_VIEWS,
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** The view of an address. The panel is there at once, the others once their file is. */
export function ShownView({ view }: { readonly view: View }) {
  const texts = useTexts(frameTexts);
  const [seldom, setSeldom] = useState<SeldomViews | "waiting" | "failed">("waiting");
  const isSeldom = view !== "panel";

  // So that the next view is there at a touch. A failure shows when one is asked for: then its file is requested again.
  useEffect(() => {
    const timer = setTimeout(() => loadSeldomViews().catch((error) => console.info(error)), SOON_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (!isSeldom) return;
    let isCurrent = true;
    const show = (views: SeldomViews | "failed") => isCurrent && setSeldom(views);
    loadSeldomViews().then(show, () => show("failed"));
    return () => {
      isCurrent = false;
    };
  }, [isSeldom]);

  const Shown = view === "panel" ? PanelView : typeof seldom === "object" ? seldom[view] : null;
  if (Shown !== null) {
    return (
      <DialogHost key={view}>
        <Shown />
      </DialogHost>
    );
  }
  // An update has taken the file away, or the gateway is gone: reload the page at its address.
  if (seldom === "failed") return <Unread text={texts.viewFailed} onRetry={() => location.reload()} />;
  return <Waiting />;
}
