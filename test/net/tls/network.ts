import { networkInterfaces } from "node:os";

/** An address of this machine that is not loopback. To a service, connections to it come from the network. */
export function networkAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const found = all.find(({ internal, family }) => !internal && family === "IPv4");
  if (found === undefined) throw new Error("This test needs a network interface with an IPv4 address.");
  return found.address;
}
