import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { readHostNames } from "../tls/host-names.ts";
import { isPrivateAddress } from "../tls/private-address.ts";

/**
 * Who this machine is to its clients: localhost, its host name with and without its domain and as `.local`, each
 * address of its own or of a private network, the names of the certificate that it shows, and configured ones.
 */
export class KnownHosts {
  readonly #configured: () => readonly string[];
  #certified: readonly string[] = [];

  /** @param configured further names and addresses, as they are when it is asked */
  constructor(configured: () => readonly string[]) {
    this.#configured = configured;
  }

  /** Knows the names of this certificate (PEM) from here on, in place of those of the one before. */
  certify(cert: string): void {
    const { subjectAltName = "" } = new X509Certificate(cert);
    this.#certified = [...subjectAltName.matchAll(/DNS:([^\s,"]+)/g)].map(([, name = ""]) =>
      name.toLowerCase(),
    );
  }

  /** Whether a name or address, in lower case and without brackets, is this machine. */
  has(name: string): boolean {
    if (this.#configured().some((one) => one.toLowerCase() === name)) return true;
    // What follows is asked each time: the network may name the machine anew while it runs.
    if (isIP(name) !== 0) return isPrivateAddress(name) || readHostNames().publicAddresses.includes(name);
    return ownNames().includes(name) || this.#certified.some((pattern) => covers(pattern, name));
  }
}

function ownNames(): readonly string[] {
  const full = hostname().toLowerCase();
  const [short = full] = full.split(".");
  return [...readHostNames().names, full, short];
}

/** Whether a certificate's name covers a host's: a star stands for one whole label, the first. */
function covers(pattern: string, name: string): boolean {
  if (!pattern.startsWith("*.")) return pattern === name;
  const dot = name.indexOf(".");
  return dot > 0 && name.slice(dot) === pattern.slice(1);
}
