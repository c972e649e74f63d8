// After a power cut with a version in place that does not work: the one before is back by itself. Then the package is removed and
// installed again, purged, and installed again where a port is taken.
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { Unit } from "../../guest-systemd/inside/unit.ts";
import { NO_PROGRAM } from "../report.ts";
import { after, install, packageFile, prove, run, runFor, tell, upgradeEnded } from "./host.ts";

/** Long enough to see that a port is taken. */
const TAKEN_SECONDS = 60;
const unit = new Unit();

await prove(unit, async () => {
  await upgradeEnded();
  const here = await after(unit);
  const journal = await run("journalctl", "--quiet", "--output=cat", "--unit", "flanco-upgrade.service");
  tell("cut while configuring", { ...journal, after: here });
  tell("removed", { ...(await run("dpkg", "--remove", "flanco")), left: readdirSync("/var/lib/flanco") });
  tell("installed after its removal", { ...(await install("newest")), after: await after(unit) });
  const purged = await run("dpkg", "--purge", "flanco");
  const left = readdirSync("/var/lib").filter((name) => name.startsWith("flanco"));
  tell("purged", { ...purged, left });
  const other = createServer().listen(8443);
  await once(other, "listening");
  tell("port taken", await runFor(TAKEN_SECONDS, "dpkg", "--install", packageFile("newest")));
  other.close();
  tell("port free", { ...NO_PROGRAM, after: await after(unit) });
});
