import { isDeepStrictEqual } from "node:util";
import { type Clock, type ClockTrust, DAY_MS, HOUR_MS, monotonicMs, WEEK_MS } from "../domain/clock.ts";
import { type Fault, fault } from "../domain/fault.ts";
import type { Log } from "../domain/log.ts";
import type { HostNames } from "./host-names.ts";
import { type Refusal, readDropIns } from "./tls/drop-in.ts";
import { fingerprintLines, type KeyedCertificate, validityOf } from "./tls/keyed-certificate.ts";
import { ensureOwnCertificate, ownFiles } from "./tls/own-certificate.ts";

/** How often certificates, host name and addresses are checked. */
const CHECK_EVERY_MS = 15_000;
/** A machine of the network that has this one's addresses or name change all the time would wear out its card. */
const MAX_MOVES_AN_HOUR = 12;
/** How long before its end an administrator's certificate becomes a fault. */
const ENDING_MS = 14 * DAY_MS;

/** The certificate that HTTPS is served with. */
export interface ServedCertificate extends KeyedCertificate {
  /** Its file; without extension for an administrator's certificate. */
  readonly file: string;
  /** Whether the appliance's own authority signed it, which browsers must be told to trust. */
  readonly own: boolean;
  /** End of its validity, in Unix milliseconds. */
  readonly endsMs: number;
}

interface Certificates {
  readonly served: ServedCertificate;
  /** The certificate of the appliance's own authority, in PEM. */
  readonly authority: string;
  /** Whether the authority was just made in place of one that browsers may have trusted. */
  readonly replaced: boolean;
  readonly refused: readonly Refusal[];
}

export interface CertificateDirectories {
  /** The directory of the appliance's own keys and certificates. */
  readonly own: string;
  /** The directory of an administrator's certificates. */
  readonly dropIn: string;
}

/**
 * Chooses the certificate to serve: an administrator's where there is a good one, else the appliance's
 * own. The own one is kept current in either case, because it takes over when the other one ends.
 */
export async function ensureCertificates(
  directories: CertificateDirectories,
  clock: Clock,
  clockTrusted: boolean,
  host: HostNames,
): Promise<Certificates> {
  const { own, dropIn } = directories;
  const { authority, leaf, replaced } = await ensureOwnCertificate(own, host, { clock, clockTrusted });
  const { best, refused } = readDropIns(dropIn, clockTrusted ? clock.nowMs() : null);
  const chosen = best === null ? { ...leaf, file: ownFiles(own).leaf } : best;
  const served = { ...chosen, own: best === null, endsMs: validityOf(chosen).toMs };
  return { served, authority: authority.cert, replaced, refused };
}

export interface RenewalDependencies {
  readonly directories: CertificateDirectories;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly log: Log;
  /** Reads the current names and addresses of this machine. */
  readonly readHost: () => HostNames;
  readonly onRenewed: (served: ServedCertificate) => void;
}

/**
 * Keeps the certificate current while the service runs: when it nears its end, when
 * the clock is set, when the host's name or address changes, when an
 * administrator's certificate comes, ends or goes. Does not keep the process alive.
 */
export class CertificateRenewal {
  readonly #dependencies: RenewalDependencies;
  #certificates: Certificates | undefined;
  #refused = new Map<string, Fault>();
  /** When the authority was last made in place of another one, in monotonic milliseconds. */
  #replacedMs: number | undefined;
  /** The last of the checks, which run one after another. Never rejects. */
  #last: Promise<void> = Promise.resolve();
  /** The host that the certificate is made for, and when it was another one before, in monotonic milliseconds. */
  #host: HostNames | undefined;
  #movesMs: readonly number[] = [];
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: RenewalDependencies) {
    this.#dependencies = dependencies;
  }

  /** Gives the first certificate, made where there is none. Throws the disk's error. */
  async open(): Promise<ServedCertificate> {
    const opening = this.#ensure();
    this.#last = opening.then(
      () => {},
      () => {},
    );
    const { served } = await opening;
    this.#timer = setInterval(() => void this.check(), CHECK_EVERY_MS).unref();
    return served;
  }

  /** Waits for the check under way. Checks that have not begun are dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#last;
  }

  /** The certificate of the appliance's own authority, in PEM, while its leaf is served; null otherwise. */
  authority(): string | null {
    return this.#certificates?.served.own === true ? this.#certificates.authority : null;
  }

  /** When the served certificate ends, in Unix milliseconds; null before there is one. */
  endsMs(): number | null {
    return this.#certificates?.served.endsMs ?? null;
  }

  /** An administrator's certificates that were refused, the one that ends soon, and an authority that was replaced. */
  faults(): readonly Fault[] {
    return [...this.#refused.values(), ...this.#ending(), ...this.#replaced()];
  }

  /** Only while browsers see its certificate. */
  #replaced(): readonly Fault[] {
    const { clock } = this.#dependencies;
    if (this.#replacedMs === undefined || this.authority() === null) return [];
    const agoMs = monotonicMs(clock) - this.#replacedMs;
    return agoMs < WEEK_MS ? [fault("authority_replaced", Math.round(clock.nowMs() - agoMs))] : [];
  }

  #ending(): readonly Fault[] {
    const { clock, trust } = this.#dependencies;
    const served = this.#certificates?.served;
    if (served === undefined || served.own || !trust.trusted()) return [];
    const { file, endsMs } = served;
    const days = Math.ceil((endsMs - clock.nowMs()) / DAY_MS);
    if (days * DAY_MS > ENDING_MS) return [];
    return [fault("certificate_ending", endsMs - ENDING_MS, { file, endsTime: endsMs, days })];
  }

  /**
   * Checks everything and renews what is due. Waits for the check under way, which may have read
   * before the latest change. Never rejects: after an error the old certificate is still served.
   */
  check(): Promise<void> {
    this.#last = this.#last.then(() => this.#check());
    return this.#last;
  }

  async #check(): Promise<void> {
    if (this.#isClosed) return;
    const { log, onRenewed } = this.#dependencies;
    const before = this.#certificates?.served;
    try {
      const { served } = await this.#ensure();
      if (served.cert === before?.cert && served.key === before.key) return;
      onRenewed(served);
      log.info({ file: served.file, own: served.own }, "a new certificate is served");
    } catch (error) {
      log.error({ err: error }, "the certificate could not be renewed");
    }
  }

  async #ensure(): Promise<Certificates> {
    const { directories, clock, trust, log } = this.#dependencies;
    const host = this.#hostNow();
    const certificates = await ensureCertificates(directories, clock, trust.trusted(), host);
    this.#certificates = certificates;
    if (certificates.replaced) {
      this.#replacedMs = monotonicMs(clock);
      const fingerprint = fingerprintLines(certificates.authority).join(":");
      log.warn(
        { fingerprint, names: host.names },
        "a new authority was made: browsers must be told to trust it",
      );
    }
    this.#logRefused(certificates.refused);
    return certificates;
  }

  /** The host as it is; as it was while it changes too often. */
  #hostNow(): HostNames {
    const { clock, readHost } = this.#dependencies;
    const host = readHost();
    if (isDeepStrictEqual(host, this.#host)) return host;
    const nowMs = monotonicMs(clock);
    this.#movesMs = this.#movesMs.filter((ms) => nowMs - ms < HOUR_MS);
    if (this.#host !== undefined && this.#movesMs.length >= MAX_MOVES_AN_HOUR) return this.#host;
    this.#movesMs = [...this.#movesMs, nowMs];
    this.#host = host;
    return host;
  }

  #logRefused(refused: readonly Refusal[]): void {
    const { clock, log } = this.#dependencies;
    const faults = refused.map(({ file, reason }): [string, Fault] => {
      const key = JSON.stringify([file, reason]);
      const known = this.#refused.get(key);
      if (known !== undefined) return [key, known];
      log.error({ file, reason }, "a certificate was refused");
      return [key, fault("certificate_refused", clock.nowMs(), { file, reason })];
    });
    this.#refused = new Map(faults);
  }
}
