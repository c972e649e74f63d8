import type { Clock, ClockTrust } from "../domain/clock.ts";
import { certificateEndingFault, certificateRefusedFault, type Fault } from "../domain/fault.ts";
import type { Log } from "../domain/log.ts";
import type { Refusal } from "../tls/drop-in.ts";
import { fingerprintLines } from "../tls/fingerprint.ts";
import type { HostNames } from "../tls/host-names.ts";
import { type CertificatePlaces, type Certificates, ensureCertificates, type Served } from "../tls/served.ts";

/** Somebody who plugs the gateway into another network, or puts a certificate there, does not wait long. */
const CHECK_EVERY_MS = 15_000;
const DAY_MS = 86_400_000;
/** An administrator is told of the end of a certificate so long before it. */
const ENDING_MS = 14 * DAY_MS;

export interface RenewalDependencies {
  readonly places: CertificatePlaces;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly log: Log;
  /** What the machine is called and where it is, as it is when it is asked. */
  readonly readHost: () => HostNames;
  /** Is given each certificate that takes the place of the one before. */
  readonly onRenewed: (served: Served) => void;
  /** A quarter of a minute unless a test is in a hurry. */
  readonly checkEveryMs?: number;
}

/**
 * Keeps the certificate right while the service runs: one that ends, a clock that is set late, another host name or
 * address, an administrator's certificate that comes, ends or goes. Keeps no process running.
 */
export class CertificateRenewal {
  readonly #dependencies: RenewalDependencies;
  #certificates: Certificates | undefined;
  #publicAddresses = "";
  #refused = new Map<string, Fault>();
  /** The end of all looks that were asked for: they come one after another. */
  #last: Promise<unknown> = Promise.resolve();
  /** The look that has not begun yet. */
  #next: Promise<void> | undefined;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: RenewalDependencies) {
    this.#dependencies = dependencies;
  }

  /** The certificate to begin with, made where there is none. Throws what the disk says. */
  async open(): Promise<Served> {
    const { checkEveryMs = CHECK_EVERY_MS } = this.#dependencies;
    const opening = this.#last.then(() => this.#ensure());
    this.#last = opening.catch(() => {});
    const { served } = await opening;
    this.#timer = setInterval(() => void this.check(), checkEveryMs);
    this.#timer.unref();
    return served;
  }

  /** Resolves once nothing is under way; what had not begun never does. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#last;
  }

  /** Certificate of the own authority, in PEM, while HTTPS is served with one of it; null otherwise. */
  authority(): string | null {
    return this.#certificates?.served.own === true ? this.#certificates.authority : null;
  }

  /** An administrator's certificates that were refused, and one that ends soon. */
  faults(): readonly Fault[] {
    return [...this.#refused.values(), ...this.#ending()];
  }

  #ending(): readonly Fault[] {
    const { clock, trust } = this.#dependencies;
    const served = this.#certificates?.served;
    if (served === undefined || served.own || !trust.trusted()) return [];
    const { file, endsMs } = served;
    const days = Math.ceil((endsMs - clock.nowMs()) / DAY_MS);
    return days * DAY_MS > ENDING_MS ? [] : [certificateEndingFault(file, endsMs, days, endsMs - ENDING_MS)];
  }

  /**
   * Looks at everything, and sees to what is due: at once, or after the look that is under way, which may have read
   * already what has changed since. Never throws: what was served is served on.
   */
  check(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#last.then(() => {
      this.#next = undefined;
      return this.#isClosed ? undefined : this.#check();
    });
    this.#next = next;
    this.#last = next;
    return next;
  }

  async #check(): Promise<void> {
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
    const { places, clock, trust, log, readHost } = this.#dependencies;
    const host = readHost();
    const certificates = await ensureCertificates(places, clock, trust.trusted(), host);
    this.#certificates = certificates;
    if (certificates.replaced) {
      const fingerprint = fingerprintLines(certificates.authority).join(":");
      log.warn(
        { fingerprint, names: host.names },
        "a new authority was made: browsers must be told to trust it",
      );
    }
    this.#tellPublic(host);
    this.#tellRefused(certificates.refused);
    return certificates;
  }

  #tellPublic({ publicAddresses }: HostNames): void {
    const addresses = publicAddresses.join(" ");
    if (addresses === this.#publicAddresses) return;
    this.#publicAddresses = addresses;
    if (addresses === "") return;
    const { log, places } = this.#dependencies;
    log.warn(
      { addresses: publicAddresses, directory: places.dropIn },
      "the own certificate leaves these public addresses out, which its authority may not sign: put a certificate there that names them",
    );
  }

  #tellRefused(refused: readonly Refusal[]): void {
    const { clock, log } = this.#dependencies;
    const faults = refused.map(({ file, reason }): [string, Fault] => {
      const key = JSON.stringify([file, reason]);
      const known = this.#refused.get(key);
      if (known !== undefined) return [key, known];
      log.error({ file, reason }, "a certificate was refused");
      return [key, certificateRefusedFault(file, reason, clock.nowMs())];
    });
    this.#refused = new Map(faults);
  }
}
