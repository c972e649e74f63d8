import { isIP } from "node:net";
import type { Context, Middleware } from "koa";
import { clientAddress } from "../../domain/client-address.ts";

declare module "koa" {
  interface DefaultState {
    /** The address that the request came from, where a proxy was asked. */
    sender?: string;
  }
}

/**
 * Finds out where requests come from that proxies of these addresses bring: `X-Forwarded-For` lists whom each of them got the
 * request from, the last at the end. What stands before the first address that is no proxy's may be anything.
 */
export function senderMiddleware(proxies: readonly string[]): Middleware {
  const trusted = new Set(proxies.map((address) => address.toLowerCase()));
  return (context, next) => {
    if (trusted.has(socketAddress(context))) {
      const way = [...context.get("X-Forwarded-For").split(",")].map((part) => clientAddress(part.trim()));
      const sender = way.findLast((address) => !trusted.has(address));
      if (sender !== undefined && isIP(sender) !== 0) context.state.sender = sender;
    }
    return next();
  };
}

/** The address that a request comes from. */
export function senderOf(context: Context): string {
  return context.state.sender ?? socketAddress(context);
}

function socketAddress({ req }: Context): string {
  return clientAddress(req.socket.remoteAddress);
}
