import Koa from "koa";
import { getSummary, postData } from "../contract/data.ts";
import { API } from "../contract/declaration.ts";
import { MINUTE_MS } from "../domain/clock.ts";
import type { Work, WorkKind } from "../platform/work.ts";
import { dropBody } from "./input.ts";
import { headMiddleware, pageHeaders, sourceOf } from "./middleware.ts";

/** After how many seconds clients are told to ask again, and the page does. */
const RETRY_SECONDS = 5;
const DATA_PATHS: ReadonlySet<string> = new Set([getSummary.path, postData.path]);

const WHAT: Readonly<Record<WorkKind, { readonly es: string; readonly en: string }>> = {
  check: { es: "Se está comprobando el libro de ventas", en: "The ledger is being checked" },
  rebuild: { es: "Se está reparando el libro de ventas", en: "The ledger is being rebuilt" },
  upgrade: { es: "Se está actualizando el libro de ventas", en: "The ledger is being upgraded" },
  sums: { es: "Se están volviendo a calcular los totales", en: "The totals are being computed again" },
};

const STYLE = `:root { color-scheme: light dark }
body { margin: 15vh auto 0; max-width: 36rem; padding: 1rem; font: 400 1.1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem }
progress { width: 100%; height: 1.2rem; margin: 1rem 0; accent-color: #0a6557 }
section + section { margin-top: 2rem; opacity: .8 }
section + section h1 { font-size: 1.1rem }`;

/** The work and its progress as one line of English. */
export function describeWork({ kind, percent }: Work): string {
  return `${WHAT[kind].en}: ${percent} %`;
}

/**
 * The application while long work keeps the ledger from opening: it answers every request
 * with 503 and Retry-After, with a page that shows the progress, or JSON at `/healthz`.
 * @param nowMs Unix milliseconds
 */
export function createWaitingApp(work: () => Work, nowMs: () => number): Koa {
  const app = new Koa();
  app.silent = true;
  app.use(headMiddleware);
  app.use((context) => {
    const now = work();
    context.status = 503;
    context.set({ "Retry-After": String(RETRY_SECONDS), "Cache-Control": "no-store" });
    if (context.path === "/healthz") {
      const { kind, percent, sinceMs } = now;
      context.set("Cross-Origin-Resource-Policy", "cross-origin");
      context.body = { status: "error", work: { kind, percent, since: sinceMs } };
    } else if (context.path.startsWith(API)) {
      const field = DATA_PATHS.has(context.path) ? "message" : "error";
      context.body = { status: "error", [field]: `${describeWork(now)}. Try again later.` };
    } else {
      context.type = "text/html; charset=utf-8";
      context.set(pageHeaders({ "style-src": sourceOf(STYLE), "img-src": "data:" }));
      context.body = pageOf(now, Math.max(0, Math.floor((nowMs() - now.sinceMs) / MINUTE_MS)));
    }
    dropBody(context);
  });
  return app;
}

/** A page that reloads itself until the ledger is open. Then its address serves the real page. */
function pageOf({ kind, percent }: Work, minutes: number): string {
  const { es, en } = WHAT[kind];
  return `<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="${RETRY_SECONDS}">
<title>${percent} % · Flanco</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<section>
<h1>${es}: ${percent}&nbsp;%</h1>
<progress max="100" value="${percent}" aria-label="${es}"></progress>
<p>Empezó hace ${minutes} min y puede tardar un rato. Espere, por favor, y no apague el equipo. Al terminar se anotan también las ventas de los relés que ya se vigilaban antes.</p>
</section>
<section lang="en">
<h1>${en}: ${percent}&nbsp;%</h1>
<p>It began ${minutes} min ago and can take a while. Please wait, and leave the machine on. Sales of relays that were watched before are recorded when it is done.</p>
</section>
</body>
</html>
`;
}
