// After a power cut in the middle of unpacking: the service of before. Then dpkg is killed in the same place, and the power is cut
// once a version that does not work is in place, before the way back.
import { statSync } from "node:fs";
import { until } from "../../guest/inside/deadline.ts";
import { Unit } from "../../guest-systemd/inside/unit.ts";
import { NO_PROGRAM } from "../report.ts";
import {
  after,
  install,
  LIMIT_SECONDS,
  packageFile,
  packageState,
  prove,
  run,
  start,
  tell,
  UNPACKING_MS,
  unpack,
  upgradeEnded,
  waitForPowerCut,
} from "./host.ts";

const SCRIPT_BYTES = 1_000;
const unit = new Unit();

await prove(unit, async () => {
  await upgradeEnded();
  tell("cut while unpacking", { ...NO_PROGRAM, after: await after(unit) });
  process.kill(-((await unpack("newest")).pid ?? 0), "SIGKILL");
  const configured = await run("dpkg", "--configure", "-a");
  tell("killed while unpacking", { ...configured, after: await after(unit) });
  tell("installed after all", { ...(await install("newest")), after: await after(unit) });
  start(LIMIT_SECONDS, "dpkg", "--install", packageFile("broken"));
  // dpkg calls it so before it unpacks anything, too.
  await until(async () => {
    const state = await packageState();
    return state === "half-configured" && isBroken() ? null : state;
  }, UNPACKING_MS);
  await waitForPowerCut();
});

/** Whether the version that does not start is in place: it is a script of one line. */
function isBroken(): boolean {
  return statSync("/usr/bin/flanco").size < SCRIPT_BYTES;
}
