import { X509Certificate } from "node:crypto";

const PAIRS_PER_LINE = 8;

/**
 * A certificate's SHA-256 as people compare it: four lines of eight pairs, alike on the page, on the console and in
 * `flanco tls show`, and with the colons that browsers show it with.
 */
export function fingerprintLines(certificate: string): readonly string[] {
  const pairs = new X509Certificate(certificate).fingerprint256.split(":");
  return Array.from({ length: Math.ceil(pairs.length / PAIRS_PER_LINE) }, (_, line) =>
    pairs.slice(line * PAIRS_PER_LINE, (line + 1) * PAIRS_PER_LINE).join(":"),
  );
}
