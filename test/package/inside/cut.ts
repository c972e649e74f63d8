// After a power cut while sales came: what is there. Then an upgrade begins, and the power is cut while files are unpacked.
import { Ledger } from "../../guest/inside/ledger.ts";
import { Unit } from "../../guest-systemd/inside/unit.ts";
import { after, prove, run, tell, unpack, waitForPowerCut } from "./host.ts";

const unit = new Unit();

await prove(unit, async () => {
  const here = await after(unit);
  const rows = new Ledger(unit.ledgerFile, false).rowsAfter(0);
  tell("power came back", { ...(await run("flanco", "verify")), after: here, rows });
  await unpack("newest");
  await waitForPowerCut();
});
