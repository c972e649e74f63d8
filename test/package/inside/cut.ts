// After a power cut while sales came: what is there. Then an upgrade begins, and the power is cut while files are unpacked.
import { existsSync } from "node:fs";
import { until } from "../../guest/inside/deadline.ts";
import { Ledger } from "../../guest/inside/ledger.ts";
import { Unit } from "../../guest-systemd/inside/unit.ts";
import { after, LIMIT_SECONDS, packageFile, prove, run, start, tell, waitForPowerCut } from "./host.ts";

const UNPACKING_MS = 300_000;
const unit = new Unit();

await prove(unit, async () => {
  const here = await after(unit);
  const rows = new Ledger(unit.ledgerFile, false).rowsAfter(0);
  tell({ step: "power came back", ...(await run("flanco", "verify")), after: here, rows });
  start(LIMIT_SECONDS, "dpkg", "--install", packageFile("newest"));
  await until(() => (existsSync("/usr/bin/flanco.dpkg-new") ? null : "nothing is unpacked"), UNPACKING_MS);
  await waitForPowerCut();
});
