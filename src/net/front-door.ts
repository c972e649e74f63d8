import type { RequestListener } from "node:http";
import type { Config } from "../contract/config/schema.ts";
import type { Clock, ClockTrust } from "../domain/clock.ts";
import type { Fault } from "../domain/fault.ts";
import type { Log } from "../domain/log.ts";
import { type Reach, TRUST_PATH } from "../domain/member.ts";
import type { TrustedAuthority, TrustSource } from "../domain/trust.ts";
import { isLoopback, isPrivateAddress, KnownHosts, networkAddresses, readHostNames } from "./host-names.ts";
import { type Doors, Listeners } from "./listen.ts";
import { CertificateRenewal, type Served } from "./renewal.ts";
import { fingerprintLines } from "./tls/keyed-certificate.ts";

export interface FrontDoorDependencies {
  readonly config: Doors & Pick<Config, "certificates_dir">;
  /** Reads the configured further names and addresses of this machine. */
  readonly hostNames: () => readonly string[];
  readonly dataDirectory: { readonly tls: string; readonly certificates: string };
  /** Answers plain HTTP from other machines. */
  readonly trustPage: (source: TrustSource) => RequestListener;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly log: Log;
}

/** The service's side to the network: known host names, the certificate, and the ports. */
export class FrontDoor {
  readonly #dependencies: FrontDoorDependencies;
  readonly #hosts: KnownHosts;
  readonly #renewal: CertificateRenewal;
  #listeners: Listeners | undefined;

  constructor(dependencies: FrontDoorDependencies) {
    const { config, dataDirectory, hostNames, clock, trust, log } = dependencies;
    this.#dependencies = dependencies;
    this.#hosts = new KnownHosts(hostNames);
    this.#renewal = new CertificateRenewal({
      directories: { own: dataDirectory.tls, dropIn: config.certificates_dir || dataDirectory.certificates },
      clock,
      trust,
      log,
      readHost: () => readHostNames(hostNames()),
      onRenewed: (served) => this.#serve(served),
    });
  }

  /** Whether a host name or address, in lower case and without brackets, is this machine's. */
  isKnownHost(name: string): boolean {
    return this.#hosts.has(name);
  }

  /** The authority that browsers must be told to trust; null while an administrator's certificate is served. */
  trustedAuthority(): TrustedAuthority | null {
    const cert = this.#renewal.authority();
    return cert === null ? null : { cert, fingerprint: fingerprintLines(cert) };
  }

  /** As the network reaches it now: its addresses may change. */
  reach(): Reach {
    const { host, https_port, http_port, trust_page } = this.#dependencies.config;
    const addresses = networkAddresses(host).filter((one) => !isLoopback(one));
    // The appliance's own certificate names private ones alone.
    const address = addresses.find(isPrivateAddress) ?? addresses[0];
    if (address === undefined) return { page: null, trust: null };
    const isExplained = trust_page && this.trustedAuthority() !== null;
    return {
      page: new URL(`https://${address}:${https_port}`).origin,
      trust: isExplained ? new URL(TRUST_PATH, `http://${address}:${http_port}`).href : null,
    };
  }

  faults(): readonly Fault[] {
    return this.#renewal.faults();
  }

  /** Looks for new certificates at once. */
  reloadCertificates(): Promise<void> {
    return this.#renewal.check();
  }

  /** Serves `handler`. Makes a certificate first where there is none. Throws `unavailable` for a port. */
  async open(handler: RequestListener): Promise<void> {
    const { config, clock, trustPage } = this.#dependencies;
    const plainHandler = trustPage({
      authority: () => this.trustedAuthority(),
      isKnownHost: (name) => this.isKnownHost(name),
      httpsPort: config.https_port,
    });
    const listeners = new Listeners(handler, plainHandler, () => clock.nowMs());
    const served = await this.#renewal.open();
    this.#serve(served);
    // Set before the ports open, so that a certificate that comes meanwhile is served too.
    this.#listeners = listeners;
    await listeners.open(served, config);
  }

  /** Stops taking requests, waits for those under way, and stops renewing certificates. */
  async close(): Promise<void> {
    await this.#listeners?.close();
    await this.#renewal.close();
  }

  #serve(served: Served): void {
    this.#hosts.certify(served.cert);
    this.#listeners?.renew(served);
  }
}
