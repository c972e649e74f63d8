import type { Clock, ClockTrust } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import { ensureCertificate, type TlsIdentity } from "../tls/certificate.ts";

/** A service runs for years, its certificate for one; and a clock that is set late may have made it too early. */
const CHECK_EVERY_MS = 3_600_000;

export interface RenewalDependencies {
  /** Where the key and the certificate lie. */
  readonly directory: string;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly log: Log;
  /** Is given each identity that takes the place of the one before. */
  readonly onRenewed: (identity: TlsIdentity) => void;
  /** An hour unless a test is in a hurry. */
  readonly checkEveryMs?: number;
}

/** Keeps the certificate valid while the service runs. Keeps no process running. */
export class CertificateRenewal {
  readonly #dependencies: RenewalDependencies;
  #served: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: RenewalDependencies) {
    this.#dependencies = dependencies;
  }

  /** The identity to begin with, made where there is none. */
  async open(): Promise<TlsIdentity> {
    const { directory, clock, trust, checkEveryMs = CHECK_EVERY_MS } = this.#dependencies;
    const identity = await ensureCertificate(directory, clock, trust.trusted());
    this.#served = identity.cert;
    this.#timer = setInterval(() => void this.#check(), checkEveryMs);
    this.#timer.unref();
    return identity;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    const { directory, clock, trust, log, onRenewed } = this.#dependencies;
    try {
      const identity = await ensureCertificate(directory, clock, trust.trusted());
      if (identity.cert === this.#served) return;
      onRenewed(identity);
      this.#served = identity.cert;
      log.info({}, "a new certificate is served: browsers ask about it once");
    } catch (error) {
      log.error({ err: error }, "the certificate could not be renewed");
    }
  }
}
