import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";

/** PEM texts of the key and the certificate that HTTPS is served with. */
export interface TlsIdentity {
  readonly key: string;
  readonly cert: string;
}

const MS_PER_DAY = 86_400_000;
/** Browsers take no leaf that lives longer. */
const LIFETIME_DAYS = 397;
/** Clients' clocks may be behind. */
const BACKDATED_DAYS = 1;
const RENEW_BEFORE_DAYS = 30;
const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;

/**
 * The appliance's own certificate from a directory, made there when it is missing, about to end, or not valid
 * yet. Self-signed for this host's names and addresses; browsers ask their user about it once. While the clock is
 * not trusted one that can be read is kept, whatever its dates: a gateway that believes in 1970 after each power cut
 * would have every browser ask each time.
 */
export async function ensureCertificate(
  directory: string,
  clock: Clock,
  clockTrusted: boolean,
): Promise<TlsIdentity> {
  const keyFile = join(directory, "key.pem");
  const certFile = join(directory, "cert.pem");
  if (existsSync(keyFile) && existsSync(certFile)) {
    const identity = { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
    if (isGood(identity.cert, clockTrusted ? clock.nowMs() : null)) return identity;
  }
  const identity = await makeIdentity(clock.nowMs());
  mkdirSync(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  writeWhole(keyFile, identity.key);
  writeWhole(certFile, identity.cert);
  return identity;
}

/** Null: nobody knows what time it is. */
function isGood(cert: string, nowMs: number | null): boolean {
  try {
    const { validFrom, validTo } = new X509Certificate(cert);
    if (nowMs === null) return true;
    return Date.parse(validFrom) <= nowMs && Date.parse(validTo) - nowMs > RENEW_BEFORE_DAYS * MS_PER_DAY;
  } catch {
    // An unreadable certificate serves nobody: a new one is made in its place.
    return false;
  }
}

function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: OWNER_ONLY_FILE, flush: true });
  renameSync(`${file}.new`, file);
}

async function makeIdentity(nowMs: number): Promise<TlsIdentity> {
  // Needed by the certificate library's injector, and loaded only when a certificate is made.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=flanco on ${safeHostname()}`,
    notBefore: new Date(nowMs - BACKDATED_DAYS * MS_PER_DAY),
    notAfter: new Date(nowMs + (LIFETIME_DAYS - BACKDATED_DAYS) * MS_PER_DAY),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(alternativeNames()),
    ],
  });
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  return { key: x509.PemConverter.encode(key, "PRIVATE KEY"), cert: certificate.toString("pem") };
}

/** A host name with only what a certificate's name may hold unquoted. */
function safeHostname(): string {
  return hostname().replaceAll(/[^\w.-]/g, "-");
}

function alternativeNames(): { type: "dns" | "ip"; value: string }[] {
  const names = new Set(["localhost", safeHostname(), `${safeHostname().split(".")[0]}.local`]);
  const addresses = new Set(["127.0.0.1", "::1"]);
  for (const list of Object.values(networkInterfaces())) {
    for (const { address, scopeid } of list ?? []) if (!scopeid) addresses.add(address);
  }
  return [
    ...[...names].map((value) => ({ type: "dns" as const, value })),
    ...[...addresses].map((value) => ({ type: "ip" as const, value })),
  ];
}
