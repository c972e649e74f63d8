import type { Context, Middleware, Next } from "koa";

/** For every answer, whoever asks for whatever. */
const HEADERS = [
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
  // The page has a policy of its own; what else there is needs nothing, and nobody frames it.
  ["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
] as const;

/** Tells browsers what they must not do with an answer; nothing of the API's is kept by anybody on the way. */
export function headMiddleware(apiPrefix: string): Middleware {
  return (context: Context, next: Next): Promise<void> => {
    const { res } = context;
    // Straight to node: koa's own way there costs a tenth of what a post costs in all.
    for (const [name, value] of HEADERS) res.setHeader(name, value);
    if (context.path.startsWith(`${apiPrefix}/`)) res.setHeader("Cache-Control", "no-store");
    return next();
  };
}
