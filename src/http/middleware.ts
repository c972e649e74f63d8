import { hash } from "node:crypto";
import { isIP } from "node:net";
import type { Context, Middleware, Next } from "koa";
import { API, boundADay, type Declaration, type ErrorField, statusOf } from "../contract/declaration.ts";
import { type Clock, DAY_MS, MINUTE_MS, PeriodCounts, SECOND_MS } from "../domain/clock.ts";
import { FlancoError, withHint } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { Log } from "../domain/log.ts";
import { clientAddress } from "../platform/socket.ts";
import { dropBody } from "./input.ts";

/**
 * Kinds of failures that have a line of their own in a
 * minute; the others are told apart by their codes alone.
 */
const MAX_KINDS = 32;
/** The Retry-After of an error that does not say when to try again. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Writes every error body, and drops the rest of the request's body. Internal
 * errors are logged; the client gets a text without a stack, path or SQL.
 * @param fieldAt the field of the error's text for a path, also for a method that the path does not take
 * @param showsInside whether the client is the machine's own operator, who is shown internal errors
 */
export function errorMiddleware(log: Log, fieldAt: (path: string) => ErrorField, showsInside = false) {
  const note = failureLog(log);
  return async (context: Context, next: Next): Promise<void> => {
    const path = pathOf(context);
    try {
      if (path === undefined) {
        const hint = "Send a path that begins with /.";
        throw new FlancoError("invalid", "The request's target is not a valid URL.", { hint });
      }
      await next();
    } catch (thrown) {
      const error = toFlancoError(thrown);
      if (statusOf(error.code) >= 500) note(error, { method: context.method, path });
      writeError(context, fieldAt(path ?? ""), error, showsInside);
    }
    dropBody(context);
  };
}

/**
 * Logs failed requests: the first of each kind, and then once a minute how many there were,
 * so that no client floods the log. Only internal errors are logged with their stack.
 */
function failureLog(log: Log): (error: FlancoError, request: object) => void {
  /** Failures of each kind since its last line, for a minute after that line. */
  const counts = new Map<string, number>();
  const wait = (kind: string): void => {
    counts.set(kind, 0);
    setTimeout(() => tell(kind), MINUTE_MS).unref();
  };
  const tell = (kind: string): void => {
    const count = counts.get(kind) ?? 0;
    counts.delete(kind);
    if (count === 0) return;
    log.error({ kind, count }, "more requests failed with this error in the last minute");
    wait(kind);
  };
  return (error, request) => {
    const { code } = error;
    const kind = counts.has(error.message) || counts.size < MAX_KINDS ? error.message : code;
    const count = counts.get(kind);
    if (count !== undefined) {
      counts.set(kind, count + 1);
      return;
    }
    const isBusy = statusOf(code) === 503;
    const why = isBusy ? { cause: error.cause && String(error.cause) } : { err: error.cause ?? error };
    log.error({ ...request, code, ...why }, error.message);
    wait(kind);
  };
}

/**
 * The request's path. Undefined where the target is no URL, for which koa throws at
 * each access, or a URL without a path, for which koa gives null despite its type.
 */
export function pathOf(context: Context): string | undefined {
  try {
    const path: string | null = context.path;
    return path ?? undefined;
  } catch {
    return undefined;
  }
}

function writeError(context: Context, field: ErrorField, error: FlancoError, showsInside: boolean): void {
  const { declaration } = context.state;
  const status = statusOf(error.code, declaration);
  const fixedText = declaration?.texts?.[status === 500 ? "internal" : error.code];
  const showFields =
    fixedText === undefined && error.fields !== undefined && (status === 400 || status === 409);
  context.status = status;
  if (status === 503 || error.retryAfterSeconds !== undefined) {
    context.set("Retry-After", String(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS));
  }
  context.body = {
    status: "error",
    [field]: fixedText ?? textOf(error, status !== 500 || showsInside),
    ...(showFields ? { errors: error.fields } : {}),
  };
}

/**
 * The error's text for the client. That of an internal error may
 * have a path or SQL in it, and is shown to operators alone.
 */
function textOf(error: FlancoError, isShown: boolean): string {
  if (!isShown) return "Something went wrong inside the service. Try again; its log says more.";
  return withHint(error);
}

function toFlancoError(thrown: unknown): FlancoError {
  if (thrown instanceof FlancoError) return thrown;
  return new FlancoError("internal", thrown instanceof Error ? thrown.message : "Unknown failure", {
    cause: thrown,
  });
}

/** Headers that limit what browsers do with an answer. The two pages replace the policy by their own. */
export const SECURITY_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

const HEADERS = Object.entries(SECURITY_HEADERS);

const DENIED_FEATURES = [
  ...["accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "hid"],
  ...["magnetometer", "microphone", "midi", "payment", "publickey-credentials-get", "serial", "usb"],
];

/** The further headers of an HTML page that loads only what `sources` permits, by directive of the policy. */
export function pageHeaders(sources: Readonly<Record<string, string>>): Record<string, string> {
  const permitted = Object.entries(sources).map(([directive, source]) => `${directive} ${source}; `);
  return {
    "Content-Security-Policy": `default-src 'none'; ${permitted.join("")}base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "Permissions-Policy": DENIED_FEATURES.map((feature) => `${feature}=()`).join(", "),
  };
}

/** A style or script that stands in a page, as a source of the policy. */
export function sourceOf(content: string): string {
  return `'sha256-${hash("sha256", content, "base64")}'`;
}

/** Adds the security headers to every answer, and keeps the API's answers out of caches. */
export function headMiddleware({ path, res }: Context, next: Next): Promise<void> {
  // Directly on Node's response: koa's `set` costs a tenth of a whole post.
  for (const [name, value] of HEADERS) res.setHeader(name, value);
  if (path.startsWith(API)) res.setHeader("Cache-Control", "no-store");
  return next();
}

/** Whether a name or address, in lower case and without brackets, is this machine. */
export type IsKnownHost = (name: string) => boolean;

/**
 * How many accepted Host headers are remembered, as they
 * came: a client sends the same one with every request.
 */
const MAX_REMEMBERED = 64;

/**
 * Refuses requests for other hosts than this machine. Another site may let its own name point here, and its
 * page could then read everything as of its own origin (DNS rebinding). The Host header shows that name.
 */
export function hostMiddleware(isKnown: IsKnownHost): Middleware {
  const good = new Set<string>();
  return (context: Context, next: Next): Promise<void> => {
    requireOneHost(context);
    const { host = "", cookie } = context.req.headers;
    // A browser names the host always. A balancer's sign of life (HTTP/1.0) may not.
    const isNoBrowser = !("host" in context.req.headers) && cookie === undefined;
    if (!isNoBrowser && !good.has(host)) {
      if (!isKnown(hostNameOf(host))) {
        throw new FlancoError("misdirected", "This machine does not serve that host name.", {
          hint: "Use the machine's name or address; further names go into host_names in the configuration.",
        });
      }
      if (good.size >= MAX_REMEMBERED) good.clear();
      good.add(host);
    }
    return next();
  };
}

/**
 * Node takes the first of several Host headers where a proxy
 * may take the last: the two could mean different hosts.
 */
function requireOneHost({ req: { rawHeaders }, res }: Context): void {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === "host".length && name.toLowerCase() === "host") count += 1;
  }
  if (count <= 1) return;
  res.setHeader("Connection", "close");
  throw new FlancoError("invalid", "The request has several Host headers.", { hint: "Send one." });
}

/** The name in a Host header, in lower case, without port and brackets; empty where the header is malformed. */
export function hostNameOf(host: string): string {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]*)\]|([\w.-]*))(?::\d*)?$/i.exec(host) ?? [];
  return (bracketed ?? plain ?? "").toLowerCase().replace(/\.$/, "");
}

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const PREFLIGHT_MAX_AGE_SECONDS = "600";

/**
 * Browsers send the contract's cookie with requests of any site, so the service itself refuses those of other
 * sites. A request that changes something must name no origin (a device, curl), its own, or a listed one. A
 * request that only reads shows nothing to another site but costs work, so it is refused where the browser
 * says that another site sends it. Links to the page, which is not under the API's prefix, are not refused.
 */
export function crossSiteMiddleware(allowedOrigins: () => readonly string[]): Middleware {
  return (context: Context, next: Next): Promise<void> | undefined => {
    const { origin = "" } = context.req.headers;
    const allowed = allowedOrigins();
    if (allowed.length > 0) context.set("Vary", "Origin");
    if (allowed.includes(origin)) {
      context.set("Access-Control-Allow-Origin", origin);
      context.set("Access-Control-Allow-Credentials", "true");
      if (context.method === "OPTIONS" && context.get("Access-Control-Request-Method") !== "") {
        answerPreflight(context);
        return undefined;
      }
    } else if (isOfOtherSite(context, allowed)) {
      throw new FlancoError("forbidden", "Requests from other sites are refused.", {
        hint: "If that site is yours, add its origin to allowed_origins in the configuration.",
      });
    }
    return next();
  };
}

function answerPreflight(context: Context): void {
  context.set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE");
  context.set("Access-Control-Allow-Headers", "Content-Type, Idempotency-Key");
  context.set("Access-Control-Max-Age", PREFLIGHT_MAX_AGE_SECONDS);
  context.status = 204;
}

function isOfOtherSite(context: Context, allowed: readonly string[]): boolean {
  const { "sec-fetch-site": site = "", referer = "" } = context.req.headers;
  // Browsers before 2020 send neither with a form, and say by Referer alone whose page has sent it.
  const byPage = site === "" && referer !== "" ? (URL.parse(referer)?.origin ?? "null") : "";
  const { origin = allowed.includes(byPage) ? "" : byPage } = context.req.headers;
  const foreignSite = site !== "" && site !== "same-origin" && site !== "none";
  if (SAFE_METHODS.has(context.method)) return foreignSite && context.path.startsWith(API);
  // Not koa's `context.origin`, which is the request's own Origin header.
  const foreignOrigin = origin !== "" && origin !== `${context.protocol}://${context.host}`;
  return foreignOrigin || foreignSite;
}

declare module "koa" {
  interface DefaultState {
    /** The address that the request came from, where a proxy was asked; empty where it named none. */
    sender?: string;
  }
}

/**
 * Finds the sender of a request that comes through proxies of these addresses. `X-Forwarded-For`
 * lists from whom each proxy got the request, the last at the end. The sender is the last entry
 * that is no proxy's address; entries before it may be forged. Where it is no address
 * (`unknown`), the sender has none: with the proxy's address it would pass for this machine.
 */
export function senderMiddleware(proxies: readonly string[]): Middleware {
  const trusted = new Set(proxies.map((address) => address.toLowerCase()));
  return (context, next) => {
    const forwarded = context.get("X-Forwarded-For");
    if (forwarded !== "" && trusted.has(socketAddress(context))) {
      const sender = forwarded
        .split(",")
        .map(forwardedAddress)
        .findLast((address) => !trusted.has(address));
      if (sender !== undefined) context.state.sender = isIP(sender) === 0 ? "" : sender;
    }
    return next();
  };
}

/** One entry of the header. Some proxies add the client's port. */
function forwardedAddress(entry: string): string {
  const text = entry.trim().toLowerCase();
  const [, ipv6, ipv4] = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
  return clientAddress(ipv6 ?? ipv4 ?? text);
}

/** The address that a request comes from; empty where it is not known. */
export function senderOf(context: Context): string {
  return context.state.sender ?? socketAddress(context);
}

function socketAddress({ req }: Context): string {
  return clientAddress(req.socket.remoteAddress);
}

/** Counts one change of a member. Gives the function that takes it back, where nothing was changed. Throws `too_many`. */
export type CountChange = (memberId: Id, declaration: Declaration) => () => void;

/** Bounds what each member changes in a day, so that none wears out the card. */
export function changeCounter(clock: Clock): CountChange {
  const changes = new PeriodCounts(clock, DAY_MS);
  return (memberId, declaration) => {
    const bound = boundADay(declaration);
    if (bound === null) return () => {};
    const key = declaration.aDay === undefined ? memberId : `${memberId} ${declaration.path}`;
    if (changes.of(key) >= bound) {
      throw new FlancoError("too_many", `A member may do this ${bound} times in a day.`, {
        hint: "Wait, or have another member do it.",
        retryAfterSeconds: Math.ceil(changes.leftMs(key) / SECOND_MS),
      });
    }
    return changes.add(key);
  };
}
