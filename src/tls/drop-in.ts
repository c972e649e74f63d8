import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, parse } from "node:path";
import { createSecureContext } from "node:tls";
import type { KeyedCertificate } from "./keyed-certificate.ts";
import { pemBlocks } from "./pem.ts";

/** A certificate of somebody else's authority that cannot be served, and why. */
export interface Refusal {
  /** Path of its files, without what tells them apart (`.pem`, `.crt`, `.key`). */
  readonly file: string;
  /** What is wrong and what to do, as the end of a sentence. */
  readonly reason: string;
}

export interface DropIns {
  /** The one to serve, with its chain behind it; null where there is none, or none that is good. */
  readonly best: (KeyedCertificate & { readonly file: string }) | null;
  /** Those that stand before it in line. */
  readonly refused: readonly Refusal[];
}

const MAX_BYTES = 1024 * 1024;
const EXTENSIONS: ReadonlySet<string> = new Set([".crt", ".key", ".pem"]);
const EVERYBODY_MASK = 0o007;
const LEAST_RSA_BITS = 2_048;
/** As OpenSSL calls them: P-256, P-384 and P-521. */
const CURVES: ReadonlySet<string> = new Set(["prime256v1", "secp384r1", "secp521r1"]);
const SERVER_AUTHENTICATION = "1.3.6.1.5.5.7.3.1";

/** What makes a certificate unfit, as the end of a sentence. */
class Unfit extends Error {}

/**
 * Reads the directory of certificates that an administrator has put there: NAME.pem (or .crt) with NAME.key, or both in
 * NAME.pem. The last name wins, in the order of their characters; one that is bad is refused, and the next one's turn
 * comes. A directory that is not there holds none.
 * @param nowMs Unix milliseconds; null: nobody knows what time it is, and dates are not looked at
 */
export function readDropIns(directory: string, nowMs: number | null): DropIns {
  const refused: Refusal[] = [];
  for (const [name, files] of candidates(directory, refused)) {
    const file = join(directory, name);
    try {
      return { best: { ...readOne(files, nowMs), file }, refused };
    } catch (error) {
      refused.push({ file, reason: reasonOf(error) });
    }
  }
  return { best: null, refused };
}

/** The files of each name, last name first. */
function candidates(
  directory: string,
  refused: Refusal[],
): readonly (readonly [string, readonly string[]])[] {
  const byName = new Map<string, string[]>();
  for (const entry of entriesOf(directory, refused)) {
    const { name, ext } = parse(entry);
    if (entry.startsWith(".") || !EXTENSIONS.has(ext)) continue;
    byName.set(name, [...(byName.get(name) ?? []), join(directory, entry)]);
  }
  return [...byName].sort(([one], [other]) => (one < other ? 1 : -1));
}

function entriesOf(directory: string, refused: Refusal[]): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    if (codeOf(error) !== "ENOENT") refused.push({ file: directory, reason: reasonOf(error) });
    return [];
  }
}

function readOne(files: readonly string[], nowMs: number | null): KeyedCertificate {
  const blocks = files.flatMap((file) => pemBlocks(readSmall(file)));
  const certificates = blocks
    .filter(({ label }) => label === "CERTIFICATE")
    .map(({ pem }) => new X509Certificate(pem));
  const keyPem = blocks.find(({ label }) => label.endsWith("PRIVATE KEY"))?.pem;
  if (certificates.length === 0) throw new Unfit("there is no certificate in it");
  if (keyPem === undefined) throw new Unfit("there is no private key in it, nor a .key file beside it");
  const key = readKey(keyPem);
  const leaf = certificates.find((certificate) => certificate.checkPrivateKey(key));
  if (leaf === undefined) throw new Unfit("its private key belongs to another certificate");
  checkStrength(key);
  checkUse(leaf);
  const chain = certificates.filter((certificate) => certificate !== leaf);
  for (const certificate of [leaf, ...chain]) checkSignature(certificate);
  if (nowMs !== null) checkDates(leaf, nowMs);
  const served = { key: keyPem, cert: [leaf, ...chain].map(String).join("") };
  // Whatever else TLS itself has against it.
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
    if (codeOf(error) === "ERR_MISSING_PASSPHRASE" || pem.includes("ENCRYPTED")) {
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
  // Node tells the extended key usage as `keyUsage`; undefined: it is for everything.
  const usages: readonly string[] | undefined = leaf.keyUsage;
  if (usages !== undefined && !usages.includes(SERVER_AUTHENTICATION)) {
    throw new Unfit("it is not meant for servers");
  }
  if (leaf.subjectAltName === undefined) {
    throw new Unfit("it names no host in its subjectAltName, which is where browsers look");
  }
}

/** The signature of a root on itself proves nothing, and may be as old as it likes. */
function checkSignature(certificate: X509Certificate): void {
  const isRoot = certificate.ca && certificate.checkIssued(certificate);
  if (!isRoot && /sha1|md5|md4|md2/i.test(certificate.signatureAlgorithm ?? "")) {
    throw new Unfit(`its signature (${certificate.signatureAlgorithm}) is too weak: SHA-256 is needed`);
  }
}

function checkDates({ validFrom, validTo }: X509Certificate, nowMs: number): void {
  const [fromMs, toMs] = [Date.parse(validFrom), Date.parse(validTo)];
  if (toMs <= nowMs) throw new Unfit(`it ended on ${new Date(toMs).toISOString()}`);
  if (fromMs > nowMs) throw new Unfit(`it only counts from ${new Date(fromMs).toISOString()} on`);
}

function reasonOf(error: unknown): string {
  if (error instanceof Unfit) return error.message;
  const code = codeOf(error);
  if (code?.startsWith("E") && !code.startsWith("ERR_")) {
    return `it cannot be read (${code}): let the user that runs flanco read it`;
  }
  return `it cannot be used${code === undefined ? "" : ` (${code})`}`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
