import { X509Certificate } from "node:crypto";
import { isIPv6 } from "node:net";
import Koa, { type Context } from "koa";
import { CERTIFICATE_PATH, TRUST_PATH, trustPage, trustPolicy } from "./page.ts";
import { LANGUAGES, type Language } from "./text.ts";

/** The authority that a browser is to trust. */
export interface TrustedAuthority {
  /** Its certificate, in PEM. */
  readonly cert: string;
  /** Its SHA-256, in the lines that people compare. */
  readonly fingerprint: readonly string[];
}

export interface TrustDependencies {
  /** Null: HTTPS is served with a certificate of another authority, and there is nothing to tell a browser. */
  readonly authority: () => TrustedAuthority | null;
  /** Which names and addresses are this machine's, in lower case and without brackets. */
  readonly isKnownHost: (name: string) => boolean;
  readonly httpsPort: number;
}

const HTTPS_PORT = 443;
const API = /^\/api(?:\/|$)/;
const HEADERS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/**
 * What plain HTTP serves on the network: how to trust the appliance, the certificate of its authority, and for all else the
 * way to HTTPS. Nothing here reads a body or a cookie, and nobody can sign in: whoever listens would learn it, and
 * no browser would keep the session's cookie.
 */
export function createTrustApp(dependencies: TrustDependencies): Koa {
  const app = new Koa();
  app.silent = true;
  app.use((context) => {
    context.set(HEADERS);
    if ((context.req.headersDistinct["host"]?.length ?? 0) > 1) return refuseAmbiguous(context);
    const origin = originFor(context, dependencies);
    const reads = context.method === "GET" || context.method === "HEAD";
    if (!reads || API.test(context.path)) return refuse(context, origin);
    const authority = dependencies.authority();
    if (authority !== null && answer(context, authority, origin)) return;
    // Not kept by browsers, though it is permanent by its number: the port may be another one tomorrow.
    context.status = 308;
    context.set("Location", origin + targetOf(context));
    context.body = `${origin}/\n`;
  });
  return app;
}

/** What was sent has gone over the network for everybody to read: it must not be sent again, and not be acted on. */
function refuse(context: Context, origin: string): void {
  context.status = 403;
  context.type = "text/plain; charset=utf-8";
  // What is left of a body is not read.
  context.set("Connection", "close");
  context.body =
    `Aquí no se hace nada sin cifrar: use ${origin}/. Lo que haya enviado pudo leerlo cualquiera en la red.\n` +
    `Nothing is done here without encryption: use ${origin}/. Whatever you sent could be read by anybody on the network.\n`;
}

/** Who is meant is unknown: a proxy may take the other one. */
function refuseAmbiguous(context: Context): void {
  context.status = 400;
  context.type = "text/plain; charset=utf-8";
  context.set("Connection", "close");
  context.body = "The request has several Host headers. Send one.\n";
}

/** Answers the paths that explain; false: this is none of them. */
function answer(context: Context, { cert, fingerprint }: TrustedAuthority, origin: string): boolean {
  if (context.path === CERTIFICATE_PATH) {
    context.type = "application/x-x509-ca-cert";
    context.body = new X509Certificate(cert).raw;
    return true;
  }
  if (context.path !== "/" && context.path !== TRUST_PATH) return false;
  context.type = "text/html; charset=utf-8";
  context.vary("Accept-Language");
  context.set("Content-Security-Policy", trustPolicy(origin));
  context.body = trustPage({ language: languageFor(context), origin, fingerprint });
  return true;
}

function languageFor(context: Context): Language {
  const asked = LANGUAGES.find((language) => language === context.query["lang"]);
  if (asked !== undefined) return asked;
  const accepted = context.acceptsLanguages(...LANGUAGES);
  return LANGUAGES.find((language) => language === accepted) ?? LANGUAGES[0];
}

/** The appliance by HTTPS: by the name that it was asked for by, if that is its own, or by the address that was reached. */
function originFor(context: Context, { isKnownHost, httpsPort }: TrustDependencies): string {
  const asked = hostOf(context.get("Host"));
  const host = asked !== "" && isKnownHost(asked) ? asked : reachedAddress(context);
  const port = httpsPort === HTTPS_PORT ? "" : `:${httpsPort}`;
  return `https://${isIPv6(host) ? `[${host}]` : host}${port}`;
}

/** The name in a Host header, in lower case, without port and brackets; empty for what is none. */
function hostOf(header: string): string {
  const target = `http://${header}/`;
  if (!/^[\w.:[\]-]+$/.test(header) || !URL.canParse(target)) return "";
  return new URL(target).hostname.replaceAll(/[[\]]/g, "").replace(/\.$/, "");
}

/** As the kernel tells it, without the zone and the form that IPv4 has within IPv6. */
function reachedAddress({ req }: Context): string {
  const [address = ""] = (req.socket.localAddress ?? "").split("%");
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

/** Path and query as they came; an address in their place (a proxy's request) leads to the start. */
function targetOf({ req }: Context): string {
  const url = req.url ?? "/";
  return url.startsWith("/") ? url : "/";
}
