import { X509Certificate } from "node:crypto";
import { isIPv6 } from "node:net";
import Koa, { type Context } from "koa";
import { LANGUAGES, type Language } from "../../domain/language.ts";
import { SECURITY_HEADERS } from "../../http/middleware/head.ts";
import { clientAddress, hostNameOf } from "../../http/middleware/origin.ts";
import { CERTIFICATE_PATH, TRUST_PATH, trustPage, trustPageHeaders } from "./page.ts";

/** The authority that browsers are to trust. */
export interface TrustedAuthority {
  /** Its certificate, in PEM. */
  readonly cert: string;
  /** The certificate's SHA-256, in the lines that people compare. */
  readonly fingerprint: readonly string[];
}

export interface TrustDependencies {
  /** Gives null while an administrator's certificate is served, which browsers trust already. */
  readonly authority: () => TrustedAuthority | null;
  /** Whether a name or address, in lower case and without brackets, is this machine's. */
  readonly isKnownHost: (name: string) => boolean;
  readonly httpsPort: number;
}

const HTTPS_PORT = 443;
const API = /^\/api(?:\/|$)/;

/**
 * The application that plain HTTP serves on the network: the page that explains how to trust the appliance, the
 * authority's certificate, and redirects to HTTPS. It reads no body and no cookie and has no sign-in, because
 * anybody on the network can read along.
 */
export function createTrustApp(dependencies: TrustDependencies): Koa {
  const app = new Koa();
  app.silent = true;
  app.use((context) => {
    context.set({ ...SECURITY_HEADERS, "Cache-Control": "no-store" });
    // Of several Host headers a proxy may follow another one than this service.
    if ((context.req.headersDistinct["host"]?.length ?? 0) > 1) {
      return refuse(context, 400, "The request has several Host headers. Send one.\n");
    }
    const origin = originFor(context, dependencies);
    const reads = context.method === "GET" || context.method === "HEAD";
    if (!reads || API.test(context.path)) return refuse(context, 403, unencryptedText(origin));
    const authority = dependencies.authority();
    if (authority !== null && answer(context, authority, origin)) return;
    // `no-store` keeps browsers from remembering this permanent redirect: the port may change.
    context.status = 308;
    context.set("Location", origin + targetOf(context));
    context.body = `${origin}/\n`;
  });
  return app;
}

/** Answers without reading the body. No redirect, so that nothing is sent again. */
function refuse(context: Context, status: number, text: string): void {
  context.status = status;
  context.type = "text/plain; charset=utf-8";
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
  context.vary("Accept-Language");
  context.set(trustPageHeaders(origin));
  context.body = trustPage({ language: languageFor(context), origin, fingerprint });
  return true;
}

function languageFor(context: Context): Language {
  const asked = LANGUAGES.find((language) => language === context.query["lang"]);
  if (asked !== undefined) return asked;
  const accepted = context.acceptsLanguages(...LANGUAGES);
  return LANGUAGES.find((language) => language === accepted) ?? LANGUAGES[0];
}

/** The appliance's HTTPS origin: by the requested host name if it is this machine's, else by the address that was reached. */
function originFor(context: Context, { isKnownHost, httpsPort }: TrustDependencies): string {
  const asked = hostNameOf(context.get("Host"));
  const host = asked !== "" && isKnownHost(asked) ? asked : clientAddress(context.req.socket.localAddress);
  const port = httpsPort === HTTPS_PORT ? "" : `:${httpsPort}`;
  return `https://${isIPv6(host) ? `[${host}]` : host}${port}`;
}

/** Path and query as they came. An absolute URL, as a proxy sends it, leads to the start page. */
function targetOf({ req }: Context): string {
  const url = req.url ?? "/";
  return url.startsWith("/") ? url : "/";
}
