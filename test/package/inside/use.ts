import { Api } from "../../guest/inside/api.ts";
import { until } from "../../guest/inside/deadline.ts";
import type { Ledger } from "../../guest/inside/ledger.ts";
import { type Relays, shareProcessorWithInterrupts } from "../../guest/inside/relays.ts";
import { type LedgerRow, ROOMS } from "../../guest/report.ts";
import type { Unit } from "../../guest-systemd/inside/unit.ts";

const COMMITTED_MS = 120_000;

/** Switches all relays on; gives their rows once the ledger has one of each, or more. */
export async function switchAllOn(relays: Relays, ledger: Ledger): Promise<readonly LedgerRow[]> {
  shareProcessorWithInterrupts();
  const position = ledger.position();
  for (const offset of ROOMS.keys()) relays.drive(offset, true);
  await until(
    () => (ledger.rowsAfter(position).length >= ROOMS.length ? null : "edges are missing"),
    COMMITTED_MS,
  );
  return ledger.rowsAfter(position);
}

/** Makes the first user with the link that the service has printed last. Gives the API, signed in. */
export async function firstUser(unit: Unit): Promise<Api> {
  const said = (await unit.journal(0)).map(({ message }) => message).join("\n");
  const token = [...said.matchAll(/\/primer-uso#(\S+)/g)].at(-1)?.[1] ?? "";
  const api = new Api(unit.baseUrl);
  await api.makeFirstUser(token);
  return api;
}
