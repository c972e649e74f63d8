import { type webcrypto, X509Certificate } from "node:crypto";
import type { X509CertificateCreateWithKeyParams } from "@peculiar/x509";
import { DAY_MS, EARLIEST_MS } from "../../domain/clock.ts";
import { type HostNames, PRIVATE_NETWORKS } from "../host-names.ts";
import type { KeyedCertificate, Validity } from "./keyed-certificate.ts";

const AUTHORITY_DAYS = 3_652;
/** The longest validity of a server's certificate that browsers accept. */
const LEAF_DAYS = 397;
/** A leaf is valid from a day before it is made, because clients' clocks may be behind. */
const BACKDATED_DAYS = 1;
const NAME_CONSTRAINTS = "2.5.29.30";
const KEY_ID_DIGITS = 6;
/** The most characters of the host in a common name, which has at most 64 (RFC 5280, upper bounds). */
const MAX_HOST = 40;
const KEY = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Loads the certificate library only where a certificate is made, because most starts make none. */
async function loadX509(): Promise<typeof import("@peculiar/x509")> {
  // Needed by the library's injector.
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

/**
 * Makes the authority of one appliance. Critical constraints limit it to server certificates for this host's names, those
 * that avahi may announce in their place, and private addresses, so that a stolen key signs no name of the internet.
 *
 * It is valid for ten years, from a date before the program existed:
 * a clock that is corrected later must not make browsers distrust it.
 */
export async function makeAuthority(
  { names, alternatives }: HostNames,
  nowMs: number,
): Promise<KeyedCertificate> {
  const x509 = await loadX509();
  const keys = await makeKeys();
  const keyId = await x509.SubjectKeyIdentifierExtension.create(keys.publicKey);
  // A part of the key's id keeps browsers from taking one appliance's authority for another's.
  const name = `CN=flanco ${hostInName(names)} ${keyId.keyId.slice(0, KEY_ID_DIGITS).toUpperCase()}`;
  return sign(
    {
      subject: name,
      issuer: name,
      notBefore: new Date(Math.min(EARLIEST_MS, nowMs - DAY_MS)),
      notAfter: new Date(Math.max(EARLIEST_MS, nowMs) + AUTHORITY_DAYS * DAY_MS),
      signingKey: keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        await nameConstraints([...names, ...alternatives]),
        keyId,
      ],
    },
    keys,
  );
}

/** The validity of a leaf that is made at this moment. */
export function leafValidity(nowMs: number): Validity {
  const fromMs = Math.max(nowMs, EARLIEST_MS) - BACKDATED_DAYS * DAY_MS;
  return { fromMs, toMs: fromMs + LEAF_DAYS * DAY_MS };
}

/** Makes the certificate that this host serves with. It ends with its authority at the latest. */
export async function makeLeaf(
  authority: KeyedCertificate,
  { names, addresses }: HostNames,
  { fromMs, toMs }: Validity,
): Promise<KeyedCertificate> {
  const x509 = await loadX509();
  const signer = new x509.X509Certificate(authority.cert);
  const pkcs8 = x509.PemConverter.decodeFirst(authority.key);
  const keys = await makeKeys();
  return sign(
    {
      subject: `CN=flanco on ${hostInName(names)}`,
      issuer: signer.subjectName,
      notBefore: new Date(fromMs),
      notAfter: new Date(Math.min(toMs, signer.notAfter.getTime())),
      signingKey: await crypto.subtle.importKey("pkcs8", pkcs8, KEY, false, ["sign"]),
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([
          ...names.map((value) => ({ type: "dns" as const, value })),
          ...addresses.map((value) => ({ type: "ip" as const, value })),
        ]),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
        await x509.AuthorityKeyIdentifierExtension.create(signer.publicKey),
      ],
    },
    keys,
  );
}

/**
 * Whether a leaf lists all names and addresses of a host. It
 * may list more, such as an address that is gone for now.
 */
export function covers({ cert }: KeyedCertificate, { names, addresses }: HostNames): boolean {
  const certificate = new X509Certificate(cert);
  return (
    names.every((name) => certificate.checkHost(name, { subject: "never" }) !== undefined) &&
    addresses.every((address) => certificate.checkIP(address) !== undefined)
  );
}

/** Whether the authority's key signed this leaf. */
export function hasSigned(authority: KeyedCertificate, { cert }: KeyedCertificate): boolean {
  const signer = new X509Certificate(authority.cert);
  const signed = new X509Certificate(cert);
  return signed.checkIssued(signer) && signed.verify(signer.publicKey);
}

/** Whether an authority may sign a leaf for all names of a host. */
export async function permits(authority: KeyedCertificate, { names }: HostNames): Promise<boolean> {
  const permitted = new Set(await permittedNames(authority));
  return names.every((name) => permitted.has(name));
}

/** The DNS names that an authority may sign. */
export async function permittedNames({ cert }: KeyedCertificate): Promise<readonly string[]> {
  const x509 = await loadX509();
  const { AsnConvert } = await import("@peculiar/asn1-schema");
  const { NameConstraints } = await import("@peculiar/asn1-x509");
  const extension = new x509.X509Certificate(cert).getExtension(NAME_CONSTRAINTS);
  if (extension === null) return [];
  const { permittedSubtrees } = AsnConvert.parse(extension.value, NameConstraints);
  return [...(permittedSubtrees ?? [])].flatMap(({ base: { dNSName } }) => dNSName ?? []);
}

/**
 * A permitted DNS name permits all names below it. A host may be named like a top-level
 * domain (`clinic`, `dev`), so everything below a name without a dot is excluded.
 */
async function nameConstraints(names: readonly string[]) {
  const { Extension } = await loadX509();
  const { AsnConvert } = await import("@peculiar/asn1-schema");
  const { GeneralName, GeneralSubtree, GeneralSubtrees, NameConstraints } = await import(
    "@peculiar/asn1-x509"
  );
  const toSubtrees = (bases: readonly Partial<InstanceType<typeof GeneralName>>[]) =>
    new GeneralSubtrees(bases.map((base) => new GeneralSubtree({ base: new GeneralName(base) })));
  const bare = names.filter((name) => !name.includes(".") && name !== "localhost");
  const constraints = new NameConstraints({
    permittedSubtrees: toSubtrees([
      ...names.map((dNSName) => ({ dNSName })),
      ...PRIVATE_NETWORKS.map((iPAddress) => ({ iPAddress })),
    ]),
    ...(bare.length === 0
      ? {}
      : { excludedSubtrees: toSubtrees(bare.map((name) => ({ dNSName: `.${name}` }))) }),
  });
  return new Extension(NAME_CONSTRAINTS, true, AsnConvert.serialize(constraints));
}

/** The host name as it stands in a certificate's common name. */
function hostInName(names: readonly string[]): string {
  return (names[0] ?? "").slice(0, MAX_HOST);
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(KEY, true, ["sign", "verify"]);
}

async function sign(
  params: Omit<X509CertificateCreateWithKeyParams, "publicKey" | "signingAlgorithm">,
  { publicKey, privateKey }: webcrypto.CryptoKeyPair,
): Promise<KeyedCertificate> {
  const x509 = await loadX509();
  const certificate = await x509.X509CertificateGenerator.create({
    ...params,
    publicKey,
    signingAlgorithm: KEY,
  });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey("pkcs8", privateKey));
  return {
    key: `${x509.PemConverter.encode(pkcs8, "PRIVATE KEY").trimEnd()}\n`,
    cert: `${certificate.toString("pem").trimEnd()}\n`,
  };
}
