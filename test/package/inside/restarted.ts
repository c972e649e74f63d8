// After a restart of the machine: the service is there by itself, and records; then sales are posted, and relays switched,
// until the power is cut.
import { Api } from "../../guest/inside/api.ts";
import { Ledger } from "../../guest/inside/ledger.ts";
import { simulatedRelays } from "../../guest/inside/relays.ts";
import { ROOMS } from "../../guest/report.ts";
import { Unit } from "../../guest-systemd/inside/unit.ts";
import { NO_PROGRAM } from "../report.ts";
import { after, prove, tell } from "./host.ts";
import { switchAllOn } from "./use.ts";

const FIRST_SALE_MS = 1_762_000_000_000;
const unit = new Unit();

await prove(unit, async () => {
  const here = await after(unit);
  const lines = simulatedRelays();
  const rows = await switchAllOn(lines, new Ledger(unit.ledgerFile, false));
  for (const offset of ROOMS.keys()) lines.drive(offset, false);
  tell("restarted", { ...NO_PROGRAM, after: here, rows });
  const api = new Api(unit.baseUrl);
  await api.login();
  for (let sale = 0; ; sale += 1) {
    lines.drive(sale % ROOMS.length, sale % (2 * ROOMS.length) < ROOMS.length);
    const acknowledgedMs = FIRST_SALE_MS + sale;
    await api.sell(acknowledgedMs);
    tell("acknowledged", { ...NO_PROGRAM, acknowledgedMs });
  }
});
