import { ipv4Addresses } from "../../../src/net/host-names.ts";

/** An address of this machine that is not loopback. To a service, connections to it come from the network. */
export function networkAddress(): string {
  const [found] = ipv4Addresses();
  if (found === undefined) throw new Error("This test needs a network interface with an IPv4 address.");
  return found;
}
