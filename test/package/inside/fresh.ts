// A machine on which nothing was refused: the package is installed, the first user made, lines wired, and edges recorded.
import { until } from "../../guest/inside/deadline.ts";
import { Ledger } from "../../guest/inside/ledger.ts";
import { shareProcessorWithInterrupts, simulatedRelays } from "../../guest/inside/relays.ts";
import { ROOMS } from "../../guest/report.ts";
import { Unit } from "../../guest-systemd/inside/unit.ts";
import { firstUser } from "./first-user.ts";
import { after, install, prove, run, SLOW_SERVICE, tell } from "./host.ts";

const COMMITTED_MS = 120_000;
const unit = new Unit();
const ledger = new Ledger(unit.ledgerFile, false);

await prove(unit, async () => {
  await unit.configure("guest", SLOW_SERVICE);
  tell({ step: "installed", ...(await install("first")), after: await after(unit) });
  await (await firstUser(unit)).wireEightRooms();
  const lines = simulatedRelays();
  shareProcessorWithInterrupts();
  for (const offset of ROOMS.keys()) lines.drive(offset, true);
  await until(() => (ledger.rowsAfter(0).length >= ROOMS.length ? null : "edges are missing"), COMMITTED_MS);
  const rows = ledger.rowsAfter(0);
  tell({ step: "recorded", ...(await run("flanco", "verify")), after: await after(unit), rows });
});
