// After a power cut with a version in place that does not work: the one before is back by itself. Then the package is removed and
// purged.
import { readdirSync } from "node:fs";
import { Unit } from "../../guest-systemd/inside/unit.ts";
import { after, prove, run, tell, upgradeEnded } from "./host.ts";

const unit = new Unit();

await prove(unit, async () => {
  await upgradeEnded();
  const here = await after(unit);
  const journal = await run("journalctl", "--quiet", "--output=cat", "--unit", "flanco-upgrade.service");
  tell({ step: "cut while configuring", ...journal, after: here });
  tell({
    step: "removed",
    ...(await run("dpkg", "--remove", "flanco")),
    left: readdirSync("/var/lib/flanco"),
  });
  const purged = await run("dpkg", "--purge", "flanco");
  const left = readdirSync("/var/lib").filter((name) => name.startsWith("flanco"));
  tell({ step: "purged", ...purged, left });
});
