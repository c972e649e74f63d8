import { X509Certificate } from "node:crypto";
import { isIPv6 } from "node:net";
import Koa, { type Context } from "koa";
import { renderSVG } from "uqr";
import {
  CERTIFICATE_PATH,
  isOfTrust,
  type TrustedAuthority,
  type TrustSource,
} from "../../domain/gateway.ts";
import { LANGUAGES, type Language } from "../../domain/language.ts";
import { TRUST_PATH } from "../../domain/member.ts";
import { clientAddress } from "../../platform/socket.ts";
import { queryOf } from "../input.ts";
import { hostNameOf, pageHeaders, pathOf, SECURITY_HEADERS, sourceOf } from "../middleware.ts";
import { trustTexts } from "./text.ts";

const HTTPS_PORT = 443;
const API = /^\/api(?:\/|$)/;

/**
 * The application that plain HTTP serves on the network: the page that explains how to
 * trust the appliance, the authority's certificate, and redirects to HTTPS. It reads no
 * body and no cookie and has no sign-in, because anybody on the network can read along.
 */
export function createTrustApp(dependencies: TrustSource): Koa {
  const app = new Koa();
  app.silent = true;
  app.use((context) => {
    context.set({ ...SECURITY_HEADERS, "Cache-Control": "no-store" });
    // With several Host headers a proxy may follow another one than this service.
    if ((context.req.headersDistinct["host"]?.length ?? 0) > 1) {
      return refuse(context, 400, "The request has several Host headers. Send one.\n");
    }
    const path = pathOf(context);
    if (path === undefined) return refuse(context, 400, "The request's target is not a valid URL.\n");
    const origin = originFor(context, dependencies);
    const reads = context.method === "GET" || context.method === "HEAD";
    if (API.test(path)) {
      refuse(context, 403, "");
      // In the contract's envelope, which devices parse.
      const field = path === "/api/data" ? "message" : "error";
      context.body = { status: "error", [field]: unencryptedText(origin).trim().replace("\n", " ") };
      return;
    }
    if (!reads) return refuse(context, 403, unencryptedText(origin));
    const authority = dependencies.authority();
    if (authority !== null && answer(context, authority, origin)) return;
    // `no-store` keeps browsers from remembering this permanent redirect: the port may change.
    context.status = 308;
    // Keeps path and query. An absolute URL, which clients send to proxies, leads to the start page.
    const { url = "/" } = context.req;
    context.set("Location", origin + (url.startsWith("/") && !isOfTrust(url) ? url : "/"));
    context.body = `${origin}/\n`;
  });
  return app;
}

/**
 * Refuses a request without reading its body. It does not
 * redirect, so that the client does not send it again.
 */
function refuse(context: Context, status: number, text: string): void {
  context.status = status;
  context.set("Connection", "close");
  context.body = text;
}

function unencryptedText(origin: string): string {
  return (
    `Aquí no se hace nada sin cifrar: use ${origin}/. Lo que haya enviado pudo leerlo cualquiera en la red.\n` +
    `Nothing is done here without encryption: use ${origin}/. Whatever you sent could be read by anybody on the network.\n`
  );
}

/** Serves the page and the certificate; false for every other path. */
function answer(context: Context, { cert, fingerprint }: TrustedAuthority, origin: string): boolean {
  if (context.path === CERTIFICATE_PATH) {
    context.type = "application/x-x509-ca-cert";
    context.body = new X509Certificate(cert).raw;
    return true;
  }
  if (context.path !== "/" && context.path !== TRUST_PATH) return false;
  context.type = "text/html; charset=utf-8";
  context.vary("Accept-Language, User-Agent");
  // The page runs its own style and script alone, and connects to the HTTPS origin.
  context.set(
    pageHeaders({
      "style-src": sourceOf(STYLE),
      "script-src": sourceOf(SCRIPT),
      "connect-src": origin,
      "img-src": "data:",
    }),
  );
  const system = SYSTEMS.findIndex((pattern) => pattern.test(context.get("User-Agent")));
  context.body = trustPage(languageFor(context), origin, fingerprint, system);
  return true;
}

/** By what the browsers of each guide name themselves, in the guides' order: an Android is a Linux with a Firefox, too. */
const SYSTEMS = [/Windows/, /Android/, /iPhone|iPad/, /Macintosh/, /Firefox/];

function languageFor(context: Context): Language {
  const asked = LANGUAGES.find((language) => language === queryOf(context)["lang"]);
  if (asked !== undefined) return asked;
  const accepted = context.acceptsLanguages(...LANGUAGES);
  return LANGUAGES.find((language) => language === accepted) ?? LANGUAGES[0];
}

/**
 * The appliance's HTTPS origin: by the requested host name if
 * it is this machine's, else by the address that was reached.
 */
function originFor(context: Context, { isKnownHost, httpsPort }: TrustSource): string {
  const asked = hostNameOf(context.get("Host"));
  const host = asked !== "" && isKnownHost(asked) ? asked : clientAddress(context.req.socket.localAddress);
  const port = httpsPort === HTTPS_PORT ? "" : `:${httpsPort}`;
  return `https://${isIPv6(host) ? `[${host}]` : host}${port}`;
}

/**
 * Asks the appliance over HTTPS, which succeeds only in a browser that trusts
 * it. On success the first page continues to HTTPS without the explanation.
 */
const SCRIPT = `
"use strict";
const open = document.getElementById("open");
// An iPad says that it is a Mac, which has no touch.
const guides = document.querySelectorAll("details");
if (guides[3].open && navigator.maxTouchPoints > 1) [guides[2].open, guides[3].open] = [true, false];
fetch(new URL("/healthz", open.href), { mode: "no-cors", cache: "no-store", credentials: "omit" }).then(
  () => {
    document.getElementById("trusted").hidden = false;
    if (location.pathname === "/") location.replace(open.href);
  },
  () => {},
);
`;

/** The page's style stands in the page itself, so that it loads nothing; the policy has the style's hash. */
const STYLE = `
:root { color-scheme: light dark; --paper: #f3f5f0; --card: #fff; --sunk: #f0f3ee; --ink: #12201d; --soft: #50605b;
  --line: #dce2db; --accent: #0a6557; --accent-ink: #fff; --accent-wash: #e0f0ec }
@media (prefers-color-scheme: dark) { :root { --paper: #0b1312; --card: #131e1c; --sunk: #1a2725; --ink: #eaf1ee;
  --soft: #9fb2ac; --line: #243330; --accent: #5ad4be; --accent-ink: #04211b; --accent-wash: #12332d } }
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 400 1rem/1.5 "Inter", -apple-system,
  BlinkMacSystemFont, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif; overflow-wrap: break-word }
header, main { max-width: 44rem; margin: 0 auto; padding: 1rem }
header { display: flex; justify-content: space-between; align-items: center; gap: 1rem }
header strong { font-size: 1.15rem }
main { padding-top: 0; display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr) }
section { background: var(--card); border: 1px solid var(--line); border-radius: 1.1rem; padding: 1rem 1.1rem }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem }
h2 { font-size: 1.15rem; line-height: 1.25; margin: 0 0 .5rem }
p { margin: 0 0 .75rem } section > :last-child { margin-bottom: 0 }
a { color: var(--accent); text-underline-offset: .2em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.button { display: inline-block; padding: .7rem 1.2rem; min-height: 2.75rem; border-radius: .8rem;
  background: var(--accent); color: var(--accent-ink); font-weight: 600; text-decoration: none }
.switch { padding: .6rem .2rem }
.note { background: var(--accent-wash); padding: .7rem 1rem; border-radius: .8rem; margin: 0 }
.fingerprint { display: block; background: var(--sunk); border-radius: .8rem; padding: .7rem .8rem; margin: 0;
  font: 600 .95rem/1.7 ui-monospace, "SFMono-Regular", Consolas, "Liberation Mono", monospace; white-space: pre-wrap }
@media (max-width: 24rem) { .fingerprint { font-size: .8rem } }
details { border-top: 1px solid var(--line) } details:last-child { border-bottom: 1px solid var(--line) }
summary { padding: .7rem .2rem; font-weight: 600; cursor: pointer }
ol { margin: 0 0 .75rem; padding-left: 1.4rem } li { margin-bottom: .4rem }
.qr { display: block; width: 11rem; max-width: 100%; height: auto; margin-top: .75rem; background: #fff;
  border-radius: .8rem }
[hidden] { display: none }
`;

/** The whole page as HTML. It loads nothing. */
function trustPage(
  language: Language,
  origin: string,
  fingerprint: readonly string[],
  system: number,
): string {
  const text = trustTexts[language];
  const other = LANGUAGES.find((one) => one !== language) ?? language;
  const address = escaped(`${origin}/`);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>${text.title} · Flanco</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<header><strong>Flanco</strong><a class="switch" href="${TRUST_PATH}?lang=${other}" lang="${other}" hreflang="${other}">${text.otherLanguage}</a></header>
<main>
<section>
<h1>${text.title}</h1>
<p>${text.lead}</p>
<p id="trusted" class="note" role="status" hidden>${text.trusted}</p>
</section>
<section>
<h2>${text.download.title}</h2>
<p>${text.download.text}</p>
<p><a class="button" href="${CERTIFICATE_PATH}">${text.download.link}</a></p>
</section>
<section>
<h2>${text.compare.title}</h2>
<p>${text.compare.text}</p>
<p id="fingerprint-label">${text.compare.label}</p>
<code class="fingerprint" aria-labelledby="fingerprint-label" role="group">${fingerprint.map(escaped).join("\n")}</code>
</section>
${installing(text, system)}
<section>
<h2>${text.open.title}</h2>
<p>${text.open.text}</p>
<p><a id="open" class="button" href="${address}">${text.open.link} ${address}</a></p>
${qrCode(`${origin}/`, `${text.open.qr}: ${address}`)}
</section>
<section>
<h2>${text.safe.title}</h2>
<p>${text.safe.text}</p>
</section>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** The guide of the visitor's system is open. */
function installing({ install }: typeof trustTexts.es, own: number): string {
  const guides = install.guides.map(
    ({ system, steps }, index) => `<details${index === own ? " open" : ""}>
<summary>${system}</summary>
<ol>${steps.map((step) => `<li>${escaped(step)}</li>`).join("")}</ol>
</details>`,
  );
  return `<section>
<h2>${install.title}</h2>
<p>${install.text}</p>
${guides.join("\n")}
</section>`;
}

/** Black on white in either colour scheme, because cameras read nothing else. */
function qrCode(content: string, label: string): string {
  const svg = renderSVG(content, { border: 4 });
  return svg.replace("<svg ", `<svg class="qr" role="img" aria-label="${label}" `);
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
