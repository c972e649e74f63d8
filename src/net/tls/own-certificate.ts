import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Clock, DAY_MS, EARLIEST_MS } from "../../domain/clock.ts";
import { makeDirectory, OWNER_ONLY_DIRECTORY, writeDurably } from "../../platform/durable-file.ts";
import type { HostNames } from "../host-names.ts";
import { covers, hasSigned, leafValidity, makeAuthority, makeLeaf, permits } from "./authority.ts";
import { type KeyedCertificate, readKeyed, type Validity, validityOf } from "./keyed-certificate.ts";

const RENEW_BEFORE_MS = 30 * DAY_MS;

/** Paths of the appliance's own certificates. */
export interface OwnFiles {
  /** Key and certificate of the authority. */
  readonly authority: string;
  /** Key and certificate that HTTPS is served with. */
  readonly leaf: string;
  /** The authority's certificate without its key, for browsers to trust. */
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
  /** Whether the authority was made in place of one that browsers may have trusted. */
  readonly replaced: boolean;
}

/** The current time, by a clock that may not be right. */
export interface Moment {
  readonly clock: Clock;
  readonly clockTrusted: boolean;
}

const ANY_MODE = 0o777;

/** What is replaced although it is still good: the leaf alone, or the authority too. */
export type ForcedRenewal = "leaf" | "authority";

/**
 * Reads the appliance's own authority and leaf, and makes what is missing or unusable.
 *
 * A new leaf is made a month before the old one ends, before its validity begins, when it lacks a name or
 * address of this host, or when another authority signed it. A new authority, which browsers must be told to
 * trust, is made only when the old one may not sign this host's names, ends within a month, or is damaged.
 *
 * While the clock is not trusted, or is before the program existed, no date counts: otherwise a gateway that starts
 * in 1970 after each power cut would replace its authority each time. A leaf that must then list another name keeps its dates.
 *
 * A crash at any moment leaves files that match, or that the next
 * call replaces. The result is on the disk. Throws the disk's error.
 */
export async function ensureOwnCertificate(
  directory: string,
  host: HostNames,
  { clock, clockTrusted }: Moment,
  forced?: ForcedRenewal,
): Promise<OwnCertificate> {
  const moment = { clock, clockTrusted: clockTrusted && clock.nowMs() >= EARLIEST_MS };
  makeDirectory(directory);
  // Each change of the mode, also to what it is, is a write to the card.
  if ((statSync(directory).mode & ANY_MODE) !== OWNER_ONLY_DIRECTORY)
    chmodSync(directory, OWNER_ONLY_DIRECTORY);
  const files = ownFiles(directory);
  const existed = existsSync(files.authority);
  const found = { authority: readKeyed(files.authority), leaf: readKeyed(files.leaf) };
  const authority = await ensureAuthority(files, found, host, moment, forced);
  const listed = await withAnnounced(host, authority, found.leaf);
  const leaf =
    found.leaf !== undefined &&
    forced === undefined &&
    isCurrent(validityOf(found.leaf), moment) &&
    covers(found.leaf, listed) &&
    hasSigned(authority, found.leaf)
      ? found.leaf
      : await renewLeaf(files, authority, found.leaf, listed, moment);
  publish(files.trust, authority.cert);
  return { authority, leaf, replaced: existed && found.authority?.cert !== authority.cert };
}

interface FoundCertificates {
  readonly authority: KeyedCertificate | undefined;
  readonly leaf: KeyedCertificate | undefined;
}

async function ensureAuthority(
  files: OwnFiles,
  { authority, leaf }: FoundCertificates,
  host: HostNames,
  moment: Moment,
  forced: ForcedRenewal | undefined,
): Promise<KeyedCertificate> {
  if (authority !== undefined && forced !== "authority" && isCurrent(validityOf(authority), moment)) {
    if (await maySign(authority, leaf, host)) return authority;
  }
  const made = await makeAuthority(host, moment.clock.nowMs());
  writeDurably(files.authority, made.key + made.cert);
  return made;
}

/**
 * The host with the announced name among its names, where the authority may sign that. A machine of the network can bring
 * about another one, and must not bring about another authority with it.
 */
async function withAnnounced(
  host: HostNames,
  authority: KeyedCertificate,
  leaf: KeyedCertificate | undefined,
): Promise<HostNames> {
  const { names, announced } = host;
  if (announced === null || names.includes(announced)) return host;
  const listed = { ...host, names: [...names, announced] };
  return (await maySign(authority, leaf, listed)) ? listed : host;
}

/** A leaf that it signed for this host shows what it permits; reading its constraints would load a library. */
async function maySign(
  authority: KeyedCertificate,
  leaf: KeyedCertificate | undefined,
  host: HostNames,
): Promise<boolean> {
  const isShown = leaf !== undefined && hasSigned(authority, leaf) && covers(leaf, host);
  return isShown || permits(authority, host);
}

async function renewLeaf(
  files: OwnFiles,
  authority: KeyedCertificate,
  before: KeyedCertificate | undefined,
  host: HostNames,
  { clock, clockTrusted }: Moment,
): Promise<KeyedCertificate> {
  const keepsDates = !clockTrusted && before !== undefined;
  const validity = keepsDates ? validityOf(before) : leafValidity(clock.nowMs());
  const made = await makeLeaf(authority, host, validity);
  writeDurably(files.leaf, made.key + made.cert);
  return made;
}

/** Whether a certificate is valid for another month. Always true while the clock is not trusted. */
function isCurrent({ fromMs, toMs }: Validity, { clock, clockTrusted }: Moment): boolean {
  if (!clockTrusted) return true;
  const nowMs = clock.nowMs();
  return fromMs <= nowMs && toMs - nowMs > RENEW_BEFORE_MS;
}

/** Writes the authority's certificate, without its key, to a file for people to take. */
function publish(file: string, cert: string): void {
  try {
    if (readFileSync(file, "utf8") === cert) return;
  } catch {
    // A copy that is missing or cannot be read is written again.
  }
  writeDurably(file, cert);
}
