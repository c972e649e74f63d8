import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { systemCode } from "../../domain/error.ts";

/** A certificate and its private key, both in PEM. One file holds both, so that a crash cannot separate them. */
export interface KeyedCertificate {
  readonly key: string;
  readonly cert: string;
}

/**
 * Reads a key and its certificate; undefined when the file is missing or does
 * not hold a matching pair. Throws the disk's error when the file cannot be
 * read: a failing disk must not replace an authority that browsers trust.
 */
export function readKeyed(file: string): KeyedCertificate | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const { certificates, key } = parsePem(text);
  const [cert] = certificates;
  if (key === undefined || cert === undefined) return undefined;
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { key, cert } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The certificates and the first private key of a PEM text.
 * Text between the blocks is skipped, as in RFC 7468.
 */
export function parsePem(text: string): { certificates: readonly string[]; key: string | undefined } {
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----(?:(?!-----)[\s\S])+-----END \1-----/g)].map(
    ([pem, label = ""]) => ({ label, pem: `${pem}\n` }),
  );
  return {
    certificates: blocks.filter(({ label }) => label === "CERTIFICATE").map(({ pem }) => pem),
    key: blocks.find(({ label }) => label.endsWith("PRIVATE KEY"))?.pem,
  };
}

/** From when to when a certificate is valid, in Unix milliseconds. */
export interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

/** @param cert PEM */
export function validityOf({ cert }: Pick<KeyedCertificate, "cert">): Validity {
  const { validFrom, validTo } = new X509Certificate(cert);
  return { fromMs: Date.parse(validFrom), toMs: Date.parse(validTo) };
}

const PAIRS_PER_LINE = 8;

/**
 * The SHA-256 of a certificate (PEM) as people compare it: four lines of eight pairs, the
 * same on the page, on the console and in `flanco tls show`, with colons as browsers show it.
 */
export function fingerprintLines(cert: string): readonly string[] {
  const pairs = new X509Certificate(cert).fingerprint256.split(":");
  return Array.from({ length: Math.ceil(pairs.length / PAIRS_PER_LINE) }, (_, line) =>
    pairs.slice(line * PAIRS_PER_LINE, (line + 1) * PAIRS_PER_LINE).join(":"),
  );
}
