import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import { hasSigned, makeAuthority, permits, permittedNames } from "./authority.ts";
import type { HostNames } from "./host-names.ts";
import { type KeyedCertificate, readKeyed, writeKeyed } from "./keyed-certificate.ts";
import { covers, leafValidity, makeLeaf, type Validity, validityOf } from "./leaf.ts";
import { writeWhole } from "./whole-file.ts";

const MS_PER_DAY = 86_400_000;
const RENEW_BEFORE_MS = 30 * MS_PER_DAY;
const OWNER_ONLY_DIRECTORY = 0o700;
/** The key and the self-signed certificate that appliances without an authority had. */
const SELF_SIGNED = ["key.pem", "cert.pem"];

/** Where the appliance's own certificates lie, in their directory. */
export interface OwnFiles {
  /** Key and certificate of the authority. */
  readonly authority: string;
  /** Key and certificate that HTTPS is served with. */
  readonly leaf: string;
  /** The authority's certificate alone, for who is to trust it. */
  readonly trust: string;
}

export function ownFiles(directory: string): OwnFiles {
  return {
    authority: join(directory, "authority.pem"),
    leaf: join(directory, "leaf.pem"),
    trust: join(directory, "flanco-ca.crt"),
  };
}

export interface OwnCertificate {
  readonly authority: KeyedCertificate;
  readonly leaf: KeyedCertificate;
  /** True: this authority takes the place of one that browsers may have trusted. */
  readonly replaced: boolean;
}

/** When it is: by a clock that may not be right. */
export interface Moment {
  readonly clock: Clock;
  readonly clockTrusted: boolean;
}

/** What is made anew though it is good: a leaf, or everything. */
export type Forced = "leaf" | "authority";

/**
 * The appliance's own authority and leaf from their directory, each made there when it is missing or cannot serve.
 *
 * A leaf is made anew a month before its end, when it does not count yet, when it does not name what this
 * host is called and where it is, or when another authority signed it. The authority is made anew, and browsers must be
 * told to trust it, only when it may not sign this host's names, is about to end, or cannot be read as what it is.
 *
 * While the clock is not trusted what is there is kept whatever its dates: a gateway that believes in 1970 after each
 * power cut would have every browser ask each time. A leaf that then needs another name keeps its dates.
 *
 * A crash at any moment leaves files that fit, or that the next call finds and makes anew; what this gives is on the
 * disk. Throws what the disk says.
 */
export async function ensureOwnCertificate(
  directory: string,
  host: HostNames,
  moment: Moment,
  forced?: Forced,
): Promise<OwnCertificate> {
  mkdirSync(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY });
  chmodSync(directory, OWNER_ONLY_DIRECTORY);
  const files = ownFiles(directory);
  const existed = existsSync(files.authority);
  const found = { authority: readKeyed(files.authority), leaf: readKeyed(files.leaf) };
  const authority = await ensureAuthority(files, found, host, moment, forced);
  const leaf =
    found.leaf !== undefined && forced === undefined && isGoodLeaf(found.leaf, authority, host, moment)
      ? found.leaf
      : await renewLeaf(files, authority, found.leaf, host, moment);
  publish(files.trust, authority.cert);
  for (const name of SELF_SIGNED) rmSync(join(directory, name), { force: true });
  const replaced = existed && found.authority?.cert !== authority.cert;
  return { authority, leaf, replaced };
}

interface Found {
  readonly authority: KeyedCertificate | undefined;
  readonly leaf: KeyedCertificate | undefined;
}

async function ensureAuthority(
  files: OwnFiles,
  { authority, leaf }: Found,
  host: HostNames,
  moment: Moment,
  forced: Forced | undefined,
): Promise<KeyedCertificate> {
  if (authority !== undefined && forced !== "authority" && counts(validityOf(authority), moment)) {
    // A leaf that names this host was signed by who may: the constraints need not be read.
    if (leaf !== undefined && hasSigned(authority, leaf) && covers(leaf, host)) return authority;
    if (await permits(authority, host)) return authority;
  }
  const former = authority === undefined ? [] : await permittedNames(authority);
  const made = await makeAuthority(host, former, moment.clock.nowMs());
  writeKeyed(files.authority, made);
  return made;
}

function isGoodLeaf(
  leaf: KeyedCertificate,
  authority: KeyedCertificate,
  host: HostNames,
  moment: Moment,
): boolean {
  return counts(validityOf(leaf), moment) && covers(leaf, host) && hasSigned(authority, leaf);
}

async function renewLeaf(
  files: OwnFiles,
  authority: KeyedCertificate,
  before: KeyedCertificate | undefined,
  host: HostNames,
  { clock, clockTrusted }: Moment,
): Promise<KeyedCertificate> {
  const keepsDates = !clockTrusted && before !== undefined;
  const validity = keepsDates ? validityOf(before) : leafValidity(clock.nowMs(), clockTrusted);
  const made = await makeLeaf(authority, host, validity);
  writeKeyed(files.leaf, made);
  return made;
}

/** Whether it counts for a month more. Where nobody knows what time it is, everything does. */
function counts({ fromMs, toMs }: Validity, { clock, clockTrusted }: Moment): boolean {
  if (!clockTrusted) return true;
  const nowMs = clock.nowMs();
  return fromMs <= nowMs && toMs - nowMs > RENEW_BEFORE_MS;
}

/** Keeps a copy of the authority's certificate for people to take: without its key. */
function publish(file: string, cert: string): void {
  try {
    if (readFileSync(file, "utf8") === cert) return;
  } catch {
    // It is missing, or cannot be read: it is only a copy.
  }
  writeWhole(file, cert);
}
