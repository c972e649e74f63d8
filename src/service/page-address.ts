import { networkInterfaces } from "node:os";
import type { Config } from "../config/schema.ts";

/** The addresses of this machine on the network, as they stand in a URL: the setting `host`, or every IPv4 address. */
export function networkAddresses(host: string): string[] {
  if (host !== "") return [host.includes(":") ? `[${host}]` : host];
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);
}

/** A path of the page as browsers reach it: on this machine, and on the network. */
export function pageAddresses(
  { host, http_port, https_port }: Pick<Config, "host" | "http_port" | "https_port">,
  path: string,
): string[] {
  return [
    `http://localhost:${http_port}${path}`,
    ...networkAddresses(host).map((address) => `https://${address}:${https_port}${path}`),
  ];
}
