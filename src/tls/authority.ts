import { X509Certificate } from "node:crypto";
import type { HostNames } from "./host-names.ts";
import type { KeyedCertificate } from "./keyed-certificate.ts";
import { PRIVATE_NETWORKS } from "./private-address.ts";
import { hostInName, loadX509, makeKeys, sign } from "./signing.ts";

const MS_PER_DAY = 86_400_000;
const LIFETIME_DAYS = 3_652;
/** A clock that says less is wrong: no copy of this program is older. */
export const EARLIEST_MS = Date.UTC(2026, 0, 1);
const NAME_CONSTRAINTS = "2.5.29.30";
/** A host that is renamed day after day does not make a certificate that only grows. */
const MAX_FORMER = 8;
const KEY_ID_DIGITS = 6;

/**
 * Makes the authority of one appliance. What it can sign is in it, for every browser to hold it to: servers
 * alone, under this host's names and in private networks, and no further authority. Trusting it so gives nobody
 * who steals its key any name of the internet.
 *
 * It begins on a day before which there was no such program, and lasts ten years from now, or from that day where
 * the clock has not come so far: a clock that is put right later must not cost the trust that people have given.
 * @param former names that an authority before it could sign: a host that gets its old name back needs no third one
 */
export async function makeAuthority(
  { names }: HostNames,
  former: readonly string[],
  nowMs: number,
): Promise<KeyedCertificate> {
  const x509 = await loadX509();
  const keys = await makeKeys();
  const keyId = await x509.SubjectKeyIdentifierExtension.create(keys.publicKey);
  // Each has a name of its own, so that no browser takes one for the other.
  const name = `CN=flanco ${hostInName(names)} ${keyId.keyId.slice(0, KEY_ID_DIGITS).toUpperCase()}`;
  return sign(
    {
      subject: name,
      issuer: name,
      notBefore: new Date(Math.min(EARLIEST_MS, nowMs - MS_PER_DAY)),
      notAfter: new Date(Math.max(EARLIEST_MS, nowMs) + LIFETIME_DAYS * MS_PER_DAY),
      signingKey: keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        await nameConstraints([
          ...names,
          ...former.filter((one) => !names.includes(one)).slice(0, MAX_FORMER),
        ]),
        keyId,
      ],
    },
    keys,
  );
}

/** Whether an authority may sign a leaf that names these. */
export async function permits(authority: KeyedCertificate, { names }: HostNames): Promise<boolean> {
  const permitted = new Set(await permittedNames(authority));
  return names.every((name) => permitted.has(name));
}

/** The names of the DNS that an authority may sign. */
export async function permittedNames({ cert }: KeyedCertificate): Promise<readonly string[]> {
  const x509 = await loadX509();
  const { AsnConvert } = await import("@peculiar/asn1-schema");
  const { NameConstraints } = await import("@peculiar/asn1-x509");
  const extension = new x509.X509Certificate(cert).getExtension(NAME_CONSTRAINTS);
  if (extension === null) return [];
  const { permittedSubtrees } = AsnConvert.parse(extension.value, NameConstraints);
  return [...(permittedSubtrees ?? [])].flatMap(({ base: { dNSName } }) => dNSName ?? []);
}

/** Whether this is the certificate that another one was signed by. */
export function hasSigned(authority: KeyedCertificate, { cert }: KeyedCertificate): boolean {
  const [signer, signed] = [new X509Certificate(authority.cert), new X509Certificate(cert)];
  return signed.checkIssued(signer) && signed.verify(signer.publicKey);
}

/**
 * A permitted name of the DNS permits all names under it. A host may be called as a top-level domain is
 * (`clinic`, `box`, `dev`): so what is under a name without a dot is excluded. Under localhost there is nobody else.
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
