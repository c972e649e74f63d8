import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, parse } from "node:path";
import { createSecureContext } from "node:tls";
import { systemCode } from "../../domain/error.ts";
import { type KeyedCertificate, parsePem, validityOf } from "./keyed-certificate.ts";

/** An administrator's certificate that cannot be served. */
export interface Refusal {
  /** Path of its files without their extension (`.pem`, `.crt`, `.key`). */
  readonly file: string;
  /** What is wrong and what to do, as the end of a sentence. */
  readonly reason: string;
}

export interface DropIns {
  /** The certificate to serve, its chain behind it; null when no certificate is good. */
  readonly best: (KeyedCertificate & { readonly file: string }) | null;
  /** The certificates that take precedence over `best` and were refused. */
  readonly refused: readonly Refusal[];
}

const MAX_BYTES = 1024 * 1024;
export const CERTIFICATE_EXTENSIONS: ReadonlySet<string> = new Set([".crt", ".key", ".pem"]);
const EVERYBODY_MASK = 0o007;
const LEAST_RSA_BITS = 2_048;
/** OpenSSL's names of P-256, P-384 and P-521. */
const CURVES: ReadonlySet<string> = new Set(["prime256v1", "secp384r1", "secp521r1"]);
const SERVER_AUTHENTICATION = "1.3.6.1.5.5.7.3.1";

/** Why a certificate is refused, as the end of a sentence. */
class Unfit extends Error {}

/**
 * Reads an administrator's certificates from their directory: NAME.pem (or .crt) with
 * NAME.key, or both in NAME.pem. The last name in the order of characters takes
 * precedence; when it is refused, the one before it does. A missing directory holds none.
 * @param nowMs Unix milliseconds; null while the clock is not trusted: then dates are not checked
 */
export function readDropIns(directory: string, nowMs: number | null): DropIns {
  const refused: Refusal[] = [];
  try {
    for (const [name, files] of filesByName(directory)) {
      const file = join(directory, name);
      try {
        return { best: { ...readOne(files, nowMs), file }, refused };
      } catch (error) {
        refused.push({ file, reason: reasonOf(error) });
      }
    }
  } catch (error) {
    if (systemCode(error) !== "ENOENT") refused.push({ file: directory, reason: reasonOf(error) });
  }
  return { best: null, refused };
}

/** The files of each name, the last name first. */
function filesByName(directory: string): readonly (readonly [string, readonly string[]])[] {
  const byName = new Map<string, string[]>();
  for (const entry of readdirSync(directory).sort()) {
    const { name, ext } = parse(entry);
    if (entry.startsWith(".") || !CERTIFICATE_EXTENSIONS.has(ext)) continue;
    byName.set(name, [...(byName.get(name) ?? []), join(directory, entry)]);
  }
  return [...byName].sort(([one], [other]) => (one < other ? 1 : -1));
}

function readOne(files: readonly string[], nowMs: number | null): KeyedCertificate {
  const pem = parsePem(files.map(readSmall).join("\n"));
  const certificates = pem.certificates.map((text) => new X509Certificate(text));
  if (certificates.length === 0) throw new Unfit("there is no certificate in it");
  if (pem.key === undefined) throw new Unfit("there is no private key in it, nor a .key file beside it");
  const key = readKey(pem.key);
  const leaf = certificates.find((certificate) => certificate.checkPrivateKey(key));
  if (leaf === undefined) throw new Unfit("its private key belongs to another certificate");
  checkStrength(key);
  checkUse(leaf);
  const chain = certificates.filter((certificate) => certificate !== leaf);
  for (const certificate of [leaf, ...chain]) checkSignature(certificate);
  const served = { key: pem.key, cert: [leaf, ...chain].map(String).join("") };
  if (nowMs !== null) checkDates(served, nowMs);
  // Throws where TLS itself refuses the pair.
  createSecureContext(served);
  return served;
}

function readSmall(file: string): string {
  const stat = statSync(file);
  if (!stat.isFile()) throw new Unfit("it is no file");
  if (stat.size > MAX_BYTES) throw new Unfit("it is larger than 1 MiB");
  const text = readFileSync(file, "utf8");
  if (text.includes("PRIVATE KEY-----") && (stat.mode & EVERYBODY_MASK) !== 0) {
    throw new Unfit(`everybody on this machine may read its private key: run chmod o= ${file}`);
  }
  return text;
}

function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    if (systemCode(error) === "ERR_MISSING_PASSPHRASE" || pem.includes("ENCRYPTED")) {
      throw new Unfit("its private key is encrypted: store it without a passphrase");
    }
    throw new Unfit("its private key cannot be parsed");
  }
}

function checkStrength({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): void {
  const { modulusLength = 0, namedCurve = "" } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === "rsa") {
    if (modulusLength >= LEAST_RSA_BITS) return;
    throw new Unfit(
      `its RSA key of ${modulusLength} bits is too weak: at least ${LEAST_RSA_BITS} are needed`,
    );
  }
  if (asymmetricKeyType !== "ec" || !CURVES.has(namedCurve)) {
    throw new Unfit("browsers take no key of its kind: use ECDSA on P-256 or P-384, or RSA");
  }
}

function checkUse(leaf: X509Certificate): void {
  if (leaf.ca) throw new Unfit("it is the certificate of an authority, not of a server");
  // Node's `keyUsage` is the extended key usage; undefined permits every use.
  const usages: readonly string[] | undefined = leaf.keyUsage;
  if (usages !== undefined && !usages.includes(SERVER_AUTHENTICATION)) {
    throw new Unfit("it is not meant for servers");
  }
  if (leaf.subjectAltName === undefined) {
    throw new Unfit("it names no host in its subjectAltName, which is where browsers look");
  }
}

/** Browsers do not check a root's signature on itself, so that its strength does not matter. */
function checkSignature(certificate: X509Certificate): void {
  const isRoot = certificate.ca && certificate.checkIssued(certificate);
  if (!isRoot && /sha1|md5|md4|md2/i.test(certificate.signatureAlgorithm ?? "")) {
    throw new Unfit(`its signature (${certificate.signatureAlgorithm}) is too weak: SHA-256 is needed`);
  }
}

function checkDates(served: KeyedCertificate, nowMs: number): void {
  const { fromMs, toMs } = validityOf(served);
  if (toMs <= nowMs) throw new Unfit(`it ended on ${new Date(toMs).toISOString()}`);
  if (fromMs > nowMs) throw new Unfit(`it only counts from ${new Date(fromMs).toISOString()} on`);
}

function reasonOf(error: unknown): string {
  if (error instanceof Unfit) return error.message;
  const code = systemCode(error);
  if (code?.startsWith("E") && !code.startsWith("ERR_")) {
    return `it cannot be read (${code}): let the user that runs flanco read it`;
  }
  return `it cannot be used${code === undefined ? "" : ` (${code})`}`;
}
