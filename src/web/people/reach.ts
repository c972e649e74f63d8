import type { Reach } from "../../domain/member.ts";

const LOOPBACK = /^(?:localhost|127\..*|\[::1\])$/;

/**
 * How another device reaches the gateway: as the owner's did, which the network knows; where that was loopback, as the
 * gateway says itself. `page` is null where nothing but loopback reaches it.
 */
export function reachOf(own: { readonly hostname: string; readonly origin: string }, reach: Reach): Reach {
  if (LOOPBACK.test(own.hostname)) return reach;
  if (reach.trust === null) return { page: own.origin, trust: null };
  const trust = new URL(reach.trust);
  trust.hostname = own.hostname;
  return { page: own.origin, trust: trust.href };
}
