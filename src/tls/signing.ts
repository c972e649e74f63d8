import type { webcrypto } from "node:crypto";
import type { X509CertificateCreateWithKeyParams } from "@peculiar/x509";
import type { KeyedCertificate } from "./keyed-certificate.ts";

export const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A common name has 64 characters at most (RFC 5280, upper bounds), some of which are not the host's. */
const MAX_HOST = 40;

/** A host name as it stands in the name of a certificate. */
export function hostInName(names: readonly string[]): string {
  return (names[0] ?? "").slice(0, MAX_HOST);
}

/** The certificate library, loaded only where a certificate is made: a start that needs none is the usual one. */
export async function loadX509(): Promise<typeof import("@peculiar/x509")> {
  // Needed by the library's injector.
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

/** A key of the kind that all of the appliance's own certificates have. */
export function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

/** Has a certificate signed for a key, and gives both. */
export async function sign(
  params: Omit<X509CertificateCreateWithKeyParams, "publicKey" | "signingAlgorithm">,
  keys: webcrypto.CryptoKeyPair,
): Promise<KeyedCertificate> {
  const x509 = await loadX509();
  const certificate = await x509.X509CertificateGenerator.create({
    ...params,
    publicKey: keys.publicKey,
    signingAlgorithm: ALGORITHM,
  });
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  return {
    key: ended(x509.PemConverter.encode(key, "PRIVATE KEY")),
    cert: ended(certificate.toString("pem")),
  };
}

/** As a file holds it. */
function ended(pem: string): string {
  return `${pem.trimEnd()}\n`;
}
