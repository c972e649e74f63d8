import { render } from "preact";
import { App } from "./app.tsx";

const page = document.getElementById("page");
if (page === null) throw new Error("index.html has no element #page");
render(<App />, page);

// It can wait: it serves the next opening. A browser that does not trust the gateway's certificate refuses it.
addEventListener("load", () => {
  navigator.serviceWorker?.register("/service-worker.js").catch((error) => console.info(error));
});
