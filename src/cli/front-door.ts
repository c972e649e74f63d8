import type { RequestListener } from "node:http";
import type { Config } from "../config/schema.ts";
import type { Clock, ClockTrust } from "../domain/clock.ts";
import type { Fault } from "../domain/fault.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import { createTrustApp, type TrustedAuthority } from "../http/trust/app.ts";
import { fingerprintLines } from "../tls/fingerprint.ts";
import { readHostNames } from "../tls/host-names.ts";
import type { Served } from "../tls/served.ts";
import { CertificateAudit } from "./certificate-audit.ts";
import { KnownHosts } from "./known-host.ts";
import { Listeners } from "./listen.ts";
import type { Place } from "./place.ts";
import { CertificateRenewal } from "./renewal.ts";

export interface FrontDoorDependencies {
  readonly config: Pick<Config, "host" | "https_port" | "http_port" | "trust_page" | "certificates_dir">;
  /** What the machine is asked for by besides its own names, as it is when it is asked. */
  readonly hostNames: () => readonly string[];
  readonly place: Place;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly reader: Pick<LedgerReader, "lastAudit">;
  readonly writer: Pick<LedgerWriter, "noteAudit">;
  readonly log: Log;
}

/** Where the network comes in: the names this machine goes by, the certificate that proves them, and the ports. */
export class FrontDoor {
  readonly #dependencies: FrontDoorDependencies;
  readonly #hosts: KnownHosts;
  readonly #audit: CertificateAudit;
  readonly #renewal: CertificateRenewal;
  #listeners: Listeners | undefined;

  constructor(dependencies: FrontDoorDependencies) {
    const { config, place, hostNames, clock, trust, reader, writer, log } = dependencies;
    this.#dependencies = dependencies;
    this.#hosts = new KnownHosts(hostNames);
    this.#audit = new CertificateAudit(reader, writer, log);
    this.#renewal = new CertificateRenewal({
      places: { own: place.tls, dropIn: config.certificates_dir || place.certificates },
      ...{ clock, trust, log },
      readHost: () => readHostNames(hostNames()),
      onRenewed: (served) => this.#serve(served),
    });
  }

  /** Whether a request may be for this host. */
  isKnownHost(name: string): boolean {
    return this.#hosts.has(name);
  }

  /** The authority that browsers must be told to trust; null where the certificate is another one's. */
  trustedAuthority(): TrustedAuthority | null {
    const cert = this.#renewal.authority();
    return cert === null ? null : { cert, fingerprint: fingerprintLines(cert) };
  }

  /** What a person must see to, of certificates. */
  faults(): readonly Fault[] {
    return this.#renewal.faults();
  }

  /** Looks for new certificates at once. */
  reloadCertificates(): Promise<void> {
    return this.#renewal.check();
  }

  /** Serves `handler`, with a certificate that is made first where there is none. Throws `unavailable` for a port. */
  async open(handler: RequestListener): Promise<void> {
    const { config, clock } = this.#dependencies;
    const explaining = createTrustApp({
      authority: () => this.trustedAuthority(),
      isKnownHost: (name) => this.isKnownHost(name),
      httpsPort: config.https_port,
    });
    const listeners = new Listeners(handler, explaining.callback(), () => clock.nowMs());
    const served = await this.#renewal.open();
    this.#serve(served);
    // Told of a certificate that comes while the ports open.
    this.#listeners = listeners;
    await listeners.open(served, {
      host: config.host,
      httpsPort: config.https_port,
      httpPort: config.http_port,
      explains: config.trust_page,
    });
  }

  /** Takes no more requests, lets those under way end, and looks after certificates no longer. */
  async close(): Promise<void> {
    await this.#listeners?.close();
    await this.#renewal.close();
  }

  #serve(served: Served): void {
    void this.#audit.note(served);
    this.#hosts.certify(served.cert);
    this.#listeners?.renew(served);
  }
}
