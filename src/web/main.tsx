import { render } from "preact";
import { Ahead } from "./api/ahead.ts";
import { App } from "./app.tsx";
import { firstRequestsOf } from "./first-requests.ts";
import { warmUpLanguage } from "./format/warm-up.ts";
import { loadSeldomViews } from "./frame/view-loader.ts";
import { currentRoute } from "./navigation.ts";
import { hasSessionMark } from "./session-mark.ts";

const page = document.getElementById("page");
if (page === null) throw new Error("index.html has no element #page");
const ahead = new Ahead();
const route = currentRoute();
if (hasSessionMark()) ahead.ask(firstRequestsOf(route));
// The view says so itself where it does not come.
if ("query" in route && route.view !== "panel") loadSeldomViews().catch((error) => console.info(error));
warmUpLanguage();
render(<App ahead={ahead} />, page);

// It serves the next opening, and would take its share of this one. By then the first view stands.
const KEEP_FILES_AFTER_MS = 1_000;
addEventListener("load", () => setTimeout(keepFiles, KEEP_FILES_AFTER_MS));

/** A browser that does not trust the gateway's certificate refuses it. */
function keepFiles(): void {
  navigator.serviceWorker?.register("/service-worker.js").catch((error) => console.info(error));
}
