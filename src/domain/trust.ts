import { TRUST_PATH } from "./member.ts";

/** The authority that browsers are to trust. */
export interface TrustedAuthority {
  /** Its certificate, in PEM. */
  readonly cert: string;
  /** The certificate's SHA-256, in the lines that people compare. */
  readonly fingerprint: readonly string[];
}

/** What the page says that explains how to trust the gateway. */
export interface TrustSource {
  /** Gives null while an administrator's certificate is served, which browsers trust already. */
  readonly authority: () => TrustedAuthority | null;
  /** Whether a name or address, in lower case and without brackets, is this machine's. */
  readonly isKnownHost: (name: string) => boolean;
  readonly httpsPort: number;
}

/** Path of the authority's certificate, in DER, which phones and Windows need. */
export const CERTIFICATE_PATH = "/flanco-ca.crt";

/** Whether a request's target explains how to trust the gateway: on loopback, plain HTTP serves everything else too. */
export function isOfTrust(target = ""): boolean {
  const [path] = target.split("?");
  return path === TRUST_PATH || path === CERTIFICATE_PATH;
}
