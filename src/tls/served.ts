import type { Clock } from "../domain/clock.ts";
import { type DropIns, type Refusal, readDropIns } from "./drop-in.ts";
import type { HostNames } from "./host-names.ts";
import type { KeyedCertificate } from "./keyed-certificate.ts";
import { validityOf } from "./leaf.ts";
import { ensureOwnCertificate, ownFiles } from "./own-certificate.ts";

/** What HTTPS is served with. */
export interface Served extends KeyedCertificate {
  /** The file that it is from; of an administrator's, without its extension. */
  readonly file: string;
  /** True: it is of the appliance's own authority, which browsers must be told to trust. */
  readonly own: boolean;
  /** When it ends, in Unix milliseconds. */
  readonly endsMs: number;
}

/** All that there is to know about this appliance's certificates. */
export interface Certificates {
  readonly served: Served;
  /** Certificate of the own authority, in PEM. */
  readonly authority: string;
  /** True: it was made at this moment, in place of one that browsers may have trusted. */
  readonly replaced: boolean;
  /** An administrator's certificates that would be served if they were good. */
  readonly refused: readonly Refusal[];
}

export interface CertificatePlaces {
  /** Directory of the appliance's own key and certificates. */
  readonly own: string;
  /** Directory of an administrator's. */
  readonly dropIn: string;
}

/**
 * What to serve at this moment: an administrator's certificate where a good one lies there, the appliance's own
 * otherwise. The own one is made, or renewed, in either case: it must be ready on the day when the other one ends.
 */
export async function ensureCertificates(
  places: CertificatePlaces,
  clock: Clock,
  clockTrusted: boolean,
  host: HostNames,
): Promise<Certificates> {
  const { authority, leaf, replaced } = await ensureOwnCertificate(places.own, host, { clock, clockTrusted });
  const { best, refused }: DropIns = readDropIns(places.dropIn, clockTrusted ? clock.nowMs() : null);
  const chosen =
    best === null ? { ...leaf, file: ownFiles(places.own).leaf, own: true } : { ...best, own: false };
  const served: Served = { ...chosen, endsMs: validityOf(chosen).toMs };
  return { served, authority: authority.cert, replaced, refused };
}
