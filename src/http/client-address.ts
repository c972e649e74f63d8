import { isIPv6 } from "node:net";

const MAPPED = "::ffff:";
const GROUPS = 8;
/** What one subscriber or one link is given: within it a machine takes as many addresses as it likes. */
const NETWORK_GROUPS = 4;

/** Where a request comes from, as the connection says and no header does. */
export interface ClientAddress {
  /** IPv4 in dots, also where it came in through an IPv6 socket; IPv6 without its zone. Empty: gone already. */
  readonly address: string;
  /** The /64 of an IPv6 address; null for IPv4, whose addresses are few. */
  readonly network: string | null;
}

/** Reads what a socket calls its other end. */
export function clientAddress(remoteAddress: string | undefined): ClientAddress {
  const [bare = ""] = (remoteAddress ?? "").split("%");
  if (bare.toLowerCase().startsWith(MAPPED) && bare.includes(".")) {
    return { address: bare.slice(MAPPED.length), network: null };
  }
  return { address: bare, network: isIPv6(bare) ? networkOf(bare) : null };
}

function networkOf(address: string): string {
  const [head = "", tail] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(Math.max(0, GROUPS - front.length - back.length)).fill("0");
  const groups = [...front, ...(tail === undefined ? [] : zeros), ...back];
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
