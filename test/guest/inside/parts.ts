import type { Api } from "./api.ts";
import type { Ledger } from "./ledger.ts";
import type { Relays } from "./relays.ts";
import type { Service } from "./service.ts";

/** What a step works with: a service that watches eight lines, all low. */
export interface Parts {
  readonly service: Service;
  readonly relays: Relays;
  readonly ledger: Ledger;
  readonly api: Api;
}
