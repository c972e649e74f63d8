import { closeSync, constants, openSync } from "node:fs";
import { basename, dirname } from "node:path";

/** `sun_path` of a Unix socket holds 108 bytes with its end. */
const MAX_PATH_BYTES = 107;

/**
 * The name by which a Unix socket is bound or connected to: its path; of a path
 * that is too long for the kernel, one by its directory's descriptor, until disposed.
 */
export class SocketName {
  readonly name: string;
  #directory: number | undefined;

  /** Throws the system's error where the directory of a long path cannot be opened. */
  constructor(path: string) {
    this.name = path;
    if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return;
    this.#directory = openSync(dirname(path), constants.O_DIRECTORY);
    this.name = `/proc/self/fd/${this.#directory}/${basename(path)}`;
  }

  [Symbol.dispose](): void {
    if (this.#directory !== undefined) closeSync(this.#directory);
    this.#directory = undefined;
  }
}

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

/**
 * What is wrong with the other side, by the code of the system or
 * of TLS. Each completes a sentence that begins with its name.
 */
const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "has no service at that port",
  ECONNRESET: "ended the connection",
  ENOTFOUND: "has a name that is not known",
  EAI_AGAIN: "has a name that cannot be looked up at the moment",
  EHOSTUNREACH: "cannot be reached",
  ENETUNREACH: "cannot be reached",
  ETIMEDOUT: "does not answer",
  CERT_HAS_EXPIRED: "has a certificate that has expired",
  CERT_NOT_YET_VALID: "has a certificate that is not valid yet: look at this machine's clock",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "has a certificate of an unknown authority",
  SELF_SIGNED_CERT_IN_CHAIN: "has a certificate of an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "has a certificate of an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "has a certificate of an unknown authority",
};

/** The end of a sentence that begins with the other side's name; undefined for a code that is not known. */
export function connectionProblem(code: unknown): string | undefined {
  return typeof code === "string" ? PROBLEMS[code] : undefined;
}
