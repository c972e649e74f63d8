// A machine on which nothing was refused: the package is installed, the first user made, lines wired, and edges recorded.
import { Ledger } from "../../guest/inside/ledger.ts";
import { simulatedRelays } from "../../guest/inside/relays.ts";
import { firstUser, Unit } from "../../guest-systemd/inside/unit.ts";
import { after, install, prove, run, SLOW_SERVICE, tell } from "./host.ts";
import { switchAllOn } from "./use.ts";

const unit = new Unit();

await prove(unit, async () => {
  await unit.configure("guest", SLOW_SERVICE);
  tell("installed", { ...(await install("first")), after: await after(unit) });
  await (await firstUser(unit)).wireEightRooms();
  const rows = await switchAllOn(simulatedRelays(), new Ledger(unit.ledgerFile, false));
  tell("recorded", { ...(await run("flanco", "verify")), after: await after(unit), rows });
});
