import { render } from "preact";
import { App } from "./app.tsx";
import { loadSeldomViews } from "./frame/shown-view.tsx";
import { currentRoute } from "./navigation.tsx";

/** The address of worker/warm-up.ts, as it is built. */
declare const WARM_UP_WORKER: string;

const page = document.getElementById("page");
if (page === null) throw new Error("index.html has no element #page");
const route = currentRoute();
// The view itself says so where its file does not come.
if ("query" in route && route.view !== "panel") loadSeldomViews().catch((error) => console.info(error));
warmUpLanguage();
render(<App />, page);

// It serves the next opening, and would take its share of this one. By then the first view stands.
const KEEP_FILES_AFTER_MS = 1_000;
addEventListener("load", () => setTimeout(keepFiles, KEEP_FILES_AFTER_MS));

/**
 * Makes the browser read its data on languages beside the page's own thread. Its first number format takes a slow
 * tablet a fifth of a second, in whichever thread, and every later one in any thread next to nothing.
 */
function warmUpLanguage(): void {
  try {
    new Worker(WARM_UP_WORKER, { name: navigator.language });
  } catch (error) {
    // Without it the first amounts come a moment later.
    console.info(error);
  }
}

/** A browser that does not trust the gateway's certificate refuses it. */
function keepFiles(): void {
  navigator.serviceWorker?.register("/service-worker.js").catch((error) => console.info(error));
}
