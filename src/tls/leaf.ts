import { X509Certificate } from "node:crypto";
import { EARLIEST_MS } from "./authority.ts";
import type { HostNames } from "./host-names.ts";
import type { KeyedCertificate } from "./keyed-certificate.ts";
import { hostInName, loadX509, makeKeys, sign } from "./signing.ts";

const MS_PER_DAY = 86_400_000;
/** Browsers take no leaf that lives longer. */
const LIFETIME_DAYS = 397;
/** Clients' clocks may be behind. */
const BACKDATED_DAYS = 1;

/** From when to when a certificate counts, in Unix milliseconds. */
export interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

export function validityOf({ cert }: KeyedCertificate): Validity {
  const { validFrom, validTo } = new X509Certificate(cert);
  return { fromMs: Date.parse(validFrom), toMs: Date.parse(validTo) };
}

/** A leaf's validity from this moment; a clock that is before any copy of this program is taken for wrong. */
export function leafValidity(nowMs: number, clockTrusted: boolean): Validity {
  const startMs = (clockTrusted ? nowMs : Math.max(nowMs, EARLIEST_MS)) - BACKDATED_DAYS * MS_PER_DAY;
  return { fromMs: startMs, toMs: startMs + LIFETIME_DAYS * MS_PER_DAY };
}

/** Makes the certificate that this host serves with, signed by its authority and never outliving that. */
export async function makeLeaf(
  authority: KeyedCertificate,
  { names, addresses }: HostNames,
  { fromMs, toMs }: Validity,
): Promise<KeyedCertificate> {
  const x509 = await loadX509();
  const signer = new x509.X509Certificate(authority.cert);
  const signingKey = await crypto.subtle.importKey(
    "pkcs8",
    x509.PemConverter.decodeFirst(authority.key),
    { name: "ECDSA", namedCurve: "P-256" },
    false,
    ["sign"],
  );
  const keys = await makeKeys();
  return sign(
    {
      subject: `CN=flanco on ${hostInName(names)}`,
      issuer: signer.subjectName,
      notBefore: new Date(fromMs),
      notAfter: new Date(Math.min(toMs, signer.notAfter.getTime())),
      signingKey,
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

/** Whether a leaf names all of these; it may name more, such as an address that is gone for the moment. */
export function covers({ cert }: KeyedCertificate, { names, addresses }: HostNames): boolean {
  const certificate = new X509Certificate(cert);
  return (
    names.every((name) => certificate.checkHost(name, { subject: "never" }) !== undefined) &&
    addresses.every((address) => certificate.checkIP(address) !== undefined)
  );
}
