import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { isPrivateAddress } from "./private-address.ts";

/** What this machine is called and where it is, as a certificate names it. */
export interface HostNames {
  /** The host name first, then its `.local` name and localhost. Lower case. */
  readonly names: readonly string[];
  /** Private, loopback and link-local addresses, without zone. */
  readonly addresses: readonly string[];
  /** Addresses that the own authority cannot sign. */
  readonly publicAddresses: readonly string[];
}

const MAX_LABEL = 63;
const LOOPBACK = ["127.0.0.1", "::1"];
/** In place of a host name of which nothing can stand in a certificate. */
const NAMELESS = "flanco";

/**
 * Reads the host name and the addresses of all interfaces, as they are at this moment.
 * @param further names and addresses that the machine has besides, which only its administrator knows
 */
export function readHostNames(further: readonly string[] = []): HostNames {
  const found = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  // An address with a zone is reached by a name of the interface, which no certificate can hold.
  const addresses = found.filter(({ scopeid }) => !scopeid).map(({ address }) => address);
  return toHostNames(hostname(), addresses, further);
}

/** Names what a certificate needs for a host name, its addresses and what else it is known by. */
export function toHostNames(
  host: string,
  addresses: readonly string[],
  further: readonly string[] = [],
): HostNames {
  const name = toDnsName(host);
  const short = name.split(".")[0] ?? name;
  const names = further.filter((one) => isIP(one) === 0).map(toDnsName);
  const all = [...new Set([...LOOPBACK, ...addresses, ...further.filter((one) => isIP(one) !== 0)])];
  return {
    names: [...new Set([name, `${short}.local`, "localhost", ...names])],
    addresses: all.filter(isPrivateAddress),
    publicAddresses: all.filter((address) => !isPrivateAddress(address)),
  };
}

/** A host name with only what a name of the DNS may hold. */
function toDnsName(host: string): string {
  const labels = host
    .toLowerCase()
    .split(".")
    .map((label) => label.replaceAll(/[^a-z0-9-]/g, "-").slice(0, MAX_LABEL))
    .map((label) => label.replaceAll(/^-+|-+$/g, ""));
  return labels.filter((label) => label !== "").join(".") || NAMELESS;
}
