import type { Context, Middleware, Next } from "koa";
import { FlancoError } from "../domain/error.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const PREFLIGHT_MAX_AGE_SECONDS = "600";

/**
 * The contract's cookie is sent with requests of any site, so the service tells them apart itself: a
 * request that changes something passes when it names no origin (a device, curl), its own, or a listed one. What only
 * reads shows nothing to another site, but is work: where the browser says that another site asks, it is not begun
 * with either. Links to the page, which is not under the API's prefix, are anybody's to follow.
 */
export function crossSiteMiddleware(allowedOrigins: () => readonly string[], apiPrefix: string): Middleware {
  return async (context: Context, next: Next): Promise<void> => {
    const origin = context.get("Origin");
    const allowed = allowedOrigins();
    if (allowed.length > 0) context.set("Vary", "Origin");
    if (allowed.includes(origin)) {
      context.set("Access-Control-Allow-Origin", origin);
      context.set("Access-Control-Allow-Credentials", "true");
      if (context.method === "OPTIONS" && context.get("Access-Control-Request-Method") !== "") {
        answerPreflight(context);
        return;
      }
    } else if (isOfOtherSite(context, origin, apiPrefix)) {
      throw new FlancoError("forbidden", "Requests from other sites are refused.", {
        hint: "If that site is yours, add its origin to allowed_origins in the configuration.",
      });
    }
    await next();
  };
}

function answerPreflight(context: Context): void {
  context.set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE");
  context.set("Access-Control-Allow-Headers", "Content-Type, Idempotency-Key");
  context.set("Access-Control-Max-Age", PREFLIGHT_MAX_AGE_SECONDS);
  context.status = 204;
}

function isOfOtherSite(context: Context, origin: string, apiPrefix: string): boolean {
  const site = context.get("Sec-Fetch-Site");
  const foreignSite = site !== "" && site !== "same-origin" && site !== "none";
  if (SAFE_METHODS.has(context.method)) return foreignSite && context.path.startsWith(`${apiPrefix}/`);
  // Not koa's `context.origin`, which is the request's own Origin header.
  const foreignOrigin = origin !== "" && origin !== `${context.protocol}://${context.host}`;
  return foreignOrigin || foreignSite;
}
