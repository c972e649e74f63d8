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
