import { X509Certificate } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { hostname, type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import type { Config } from "../contract/config/schema.ts";

/**
 * Private (RFC 1918, RFC 4193), loopback and link-local networks. No public authority signs
 * their addresses, which are not unique; the appliance's own authority signs no others.
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
  privateAddresses.addSubnet(address, Number(bits), familyOf(address));
}

/** The names and addresses of this machine, as a certificate lists them. */
export interface HostNames {
  /** The host name first, then its `.local` name and localhost. Lower case. */
  readonly names: readonly string[];
  /** Private, loopback and link-local addresses, without zone. */
  readonly addresses: readonly string[];
  /** Addresses that the appliance's own authority cannot sign. */
  readonly publicAddresses: readonly string[];
  /** The names that avahi takes in turn where another machine of the network has the `.local` name. Lower case. */
  readonly alternatives: readonly string[];
  /** By which avahi announces this machine now; null where that is not known. Lower case. */
  readonly announced: string | null;
}

const MAX_LABEL = 63;
const LOOPBACK = ["127.0.0.1", "::1"];
/** Two machines of one name that start at once may both give way, again and again: up to `NAME-12` was seen. */
const MAX_ALTERNATIVES = 20;
/** Used for a host name of which no character can stand in a certificate. */
const NAMELESS = "flanco";

/**
 * Reads the current host name and the addresses of all interfaces.
 * @param configured further names and addresses of this machine
 * @param announced by which avahi announces it
 */
export function readHostNames(
  configured: readonly string[] = [],
  announced: string | null = null,
): HostNames {
  // A certificate cannot hold an address with a zone.
  const addresses = interfaces()
    .filter(({ scopeid }) => !scopeid)
    .map(({ address }) => address);
  return toHostNames(hostname(), addresses, configured, announced);
}

/** The names and addresses that a certificate of this host must list. */
export function toHostNames(
  host: string,
  addresses: readonly string[],
  configured: readonly string[] = [],
  announced: string | null = null,
): HostNames {
  const name = toDnsName(host);
  const short = name.split(".")[0] ?? name;
  const names = configured.filter((one) => isIP(one) === 0).map(toDnsName);
  const all = [...new Set([...LOOPBACK, ...addresses, ...configured.filter((one) => isIP(one) !== 0)])];
  return {
    names: [...new Set([name, `${short}.local`, "localhost", ...names])],
    addresses: all.filter(isPrivateAddress),
    publicAddresses: all.filter((address) => !isPrivateAddress(address)),
    alternatives: alternativesOf(short).map((one) => `${one}.local`),
    announced,
  };
}

/** As avahi counts (avahi_alternative_host_name): `clinic-2` comes after `clinic`, and `clinic-8` after `clinic-7`. */
function alternativesOf(short: string): string[] {
  const [, base = short, number = "1"] = /^(.*)-([1-9]\d{0,5})$/.exec(short) ?? [];
  return Array.from({ length: MAX_ALTERNATIVES }, (_, index) => {
    const end = `-${Number(number) + index + 1}`;
    return base.slice(0, MAX_LABEL - end.length) + end;
  });
}

/** Decides which Host headers name this machine. */
export class KnownHosts {
  readonly #configured: () => readonly string[];
  readonly #announced: () => string | null;
  #certified: readonly string[] = [];

  /**
   * Both are read at each question.
   * @param configured further names and addresses
   * @param announced by which avahi announces this machine
   */
  constructor(configured: () => readonly string[], announced: () => string | null = () => null) {
    this.#configured = configured;
    this.#announced = announced;
  }

  /** Adds the names of the certificate (PEM) that is served, in place of those of the one before. */
  certify(cert: string): void {
    const { subjectAltName = "" } = new X509Certificate(cert);
    this.#certified = [...subjectAltName.matchAll(/DNS:([^\s,"]+)/g)].map(([, name = ""]) =>
      name.toLowerCase(),
    );
  }

  /**
   * Whether a name or address, in lower case and without brackets, is this
   * machine's: localhost, its host name with and without domain and as `.local`, its
   * own addresses, any private address, a name of the certificate, a configured one, the announced one.
   */
  has(name: string): boolean {
    if (name === this.#announced() || this.#configured().some((one) => one.toLowerCase() === name))
      return true;
    // Read each time, because the network may rename the machine while it runs.
    const { names, publicAddresses } = readHostNames();
    if (isIP(name) !== 0) return isPrivateAddress(name) || publicAddresses.includes(name);
    const full = hostname().toLowerCase();
    const [short = full] = full.split(".");
    return (
      [...names, full, short].includes(name) || this.#certified.some((pattern) => matches(pattern, name))
    );
  }
}

/** Whether a certificate's name matches a host's. A star stands for the whole first label. */
function matches(pattern: string, name: string): boolean {
  if (!pattern.startsWith("*.")) return pattern === name;
  const dot = name.indexOf(".");
  return dot > 0 && name.slice(dot) === pattern.slice(1);
}

/** Replaces the characters that a DNS name may not hold. */
function toDnsName(host: string): string {
  const labels = host
    .toLowerCase()
    .split(".")
    .map((label) => label.replaceAll(/[^a-z0-9-]/g, "-").slice(0, MAX_LABEL))
    .map((label) => label.replaceAll(/^-+|-+$/g, ""));
  return labels.filter((label) => label !== "").join(".") || NAMELESS;
}

/** @param address IPv4 or IPv6 without zone */
export function isPrivateAddress(address: string): boolean {
  return privateAddresses.check(address, familyOf(address));
}

/** @param host a name or an address, an IPv6 one in brackets */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/**
 * The addresses of this machine on the network, as they
 * stand in a URL: the setting `host`, or every IPv4 address.
 */
export function networkAddresses(host: string): string[] {
  if (host === "") return ipv4Addresses();
  return [host.includes(":") ? `[${host}]` : host];
}

function interfaces(): NetworkInterfaceInfo[] {
  return Object.values(networkInterfaces()).flatMap((list) => list ?? []);
}

/** The IPv4 addresses of this machine on its networks. */
export function ipv4Addresses(): string[] {
  return interfaces()
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
