const MAPPED = "::ffff:";

/**
 * The address of a socket's other end: IPv4 in dots, also where it came in through
 * an IPv6 socket; IPv6 without its zone. Empty when the connection is gone.
 */
export function clientAddress(remoteAddress: string | undefined): string {
  const [bare = ""] = (remoteAddress ?? "").split("%");
  const isMapped = bare.toLowerCase().startsWith(MAPPED) && bare.includes(".");
  return isMapped ? bare.slice(MAPPED.length) : bare;
}
