import { createHash } from "node:crypto";
import { renderSVG } from "uqr";
import { STYLE } from "./style.ts";
import { LANGUAGES, type Language, type TrustText, trustTexts } from "./text.ts";

/** Where the page is; the appliance's first page by plain HTTP is the same one. */
export const TRUST_PATH = "/confianza";
/** The authority's certificate in DER, as phones and Windows want it. */
export const CERTIFICATE_PATH = "/flanco-ca.crt";

/** What the page tells. */
export interface TrustPage {
  readonly language: Language;
  /** The appliance by HTTPS, as this browser reaches it: `https://192.168.1.20:8443`. */
  readonly origin: string;
  /** SHA-256 of the authority's certificate, in the lines that people compare. */
  readonly fingerprint: readonly string[];
}

/**
 * Asks the appliance by HTTPS for a sign of life: only a browser that trusts it gets one. Then the first page goes on to
 * it; nobody who trusts it already is told how to.
 */
const SCRIPT = `
"use strict";
const open = document.getElementById("open");
fetch(new URL("/healthz", open.href), { mode: "no-cors", cache: "no-store", credentials: "omit" }).then(
  () => {
    document.getElementById("trusted").hidden = false;
    if (location.pathname === "/") location.replace(open.href);
  },
  () => {},
);
`;

const hashes = { style: hashOf(STYLE), script: hashOf(SCRIPT) };

/** The policy that the page is served with: its own style and script by their hashes, and one question by HTTPS. */
export function trustPolicy(origin: string): string {
  return [
    "default-src 'none'",
    `style-src ${hashes.style}`,
    `script-src ${hashes.script}`,
    `connect-src ${origin}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Writes the page: whole, with nothing to load but the certificate that it offers. */
export function trustPage({ language, origin, fingerprint }: TrustPage): string {
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
${installing(text)}
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

function installing({ install }: TrustText): string {
  const guides = install.guides.map(
    ({ system, steps }) => `<details>
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

/** Black on white whatever the page's colours are: that is what cameras read. */
function qrCode(content: string, label: string): string {
  const svg = renderSVG(content, { border: 4 });
  return svg.replace("<svg ", `<svg class="qr" role="img" aria-label="${label}" `);
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "");
}

function hashOf(content: string): string {
  return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}
