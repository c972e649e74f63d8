import type { Context, Middleware, Next } from "koa";
import { FlancoError } from "../domain/error.ts";

/** Whether a name or address, in lower case and without brackets, is this machine. */
export type IsKnownHost = (name: string) => boolean;

/** Host headers that were found good, as they came. A client sends the same one with every request. */
const MAX_REMEMBERED = 64;

/**
 * Answers only who asks for this machine. A page of another site may have its own name point here and then read
 * what it likes as its own origin (DNS rebinding): the name that the browser says gives it away.
 */
export function hostMiddleware(isKnown: IsKnownHost): Middleware {
  const good = new Set<string>();
  return (context: Context, next: Next): Promise<void> => {
    requireOneHost(context);
    const { host = "" } = context.req.headers;
    if (!good.has(host)) {
      if (!isKnown(nameOf(host))) throw misdirected();
      if (good.size >= MAX_REMEMBERED) good.clear();
      good.add(host);
    }
    return next();
  };
}

/** Node takes the first of several Host headers where a proxy may take the last: who is meant is then unknown. */
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

/** The name of a Host header, without its port; empty for what is none. */
function nameOf(host: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return (bracketed ?? plain ?? "").toLowerCase().replace(/\.$/, "");
}

function misdirected(): FlancoError {
  return new FlancoError("misdirected", "This machine does not serve that host name.", {
    hint: "Use the machine's name or address; further names go into host_names in the configuration.",
  });
}
