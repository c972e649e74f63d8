import { BlockList, isIP } from "node:net";

/**
 * The networks whose addresses mean something on this network alone: private (RFC 1918, RFC 4193), loopback and
 * link-local. No authority of anybody else signs them, and the appliance's own signs no others.
 */
export const PRIVATE_NETWORKS = [
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
] as const;

const privateAddresses = new BlockList();
for (const network of PRIVATE_NETWORKS) {
  const [address = "", bits] = network.split("/");
  privateAddresses.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** Whether an address (IPv4 or IPv6, without zone) is of one of those networks. */
export function isPrivateAddress(address: string): boolean {
  return privateAddresses.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
