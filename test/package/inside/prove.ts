// Proves, in a guest with systemd, that the package installs, upgrades without losing an edge, goes back by itself, and
// keeps what was recorded. Writes one JSON object for each step to standard output.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import { Api } from "../../guest/inside/api.ts";
import { Ledger } from "../../guest/inside/ledger.ts";
import { Relays, shareProcessorWithInterrupts } from "../../guest/inside/relays.ts";
import { proveAbsence } from "../../guest-systemd/inside/absence.ts";
import { Unit } from "../../guest-systemd/inside/unit.ts";
import type { PackageReport, Said } from "../report.ts";

const PACKAGES = "/opt/guest/packages";
/** An emulated processor on a busy machine starts a program in a minute. */
const SETTINGS = "[Service]\nTimeoutStartSec=300\nWatchdogSec=20\n";

const folder = process.env["FLANCO_TEST_GPIO_SIM"];
if (folder === undefined) throw new Error("FLANCO_TEST_GPIO_SIM does not name a simulated chip.");
const unit = new Unit();
const relays = new Relays(folder);
try {
  await prove();
} catch (error) {
  for (const { message } of (await unit.journal(0)).slice(-60)) console.error(message);
  throw error;
}
relays.close();

async function prove(): Promise<void> {
  await unit.configure("guest", SETTINGS);
  const installed = await dpkg("--install", join(PACKAGES, "first.deb"));
  tell({ step: "installed", ...installed });
  if (installed.exitCode !== 0) throw new Error("The package was not installed.");
  await unit.ready(0);
  const api = new Api(unit.baseUrl);
  const [, token = ""] =
    /\/primer-uso#(\S+)/.exec((await unit.journal(0)).map(({ message }) => message).join("\n")) ?? [];
  await api.makeFirstUser(token);
  await api.wireEightRooms();
  const ledger = new Ledger(unit.ledgerFile);
  shareProcessorWithInterrupts();
  let upgraded: Said = { exitCode: null, said: "" };
  const absence = await proveAbsence({ unit, relays, ledger }, "restarted", async () => {
    upgraded = await dpkg("--install", join(PACKAGES, "second.deb"));
  });
  tell({ step: "upgraded", ...upgraded, absence, version: (await run("flanco", "--version")).said.trim() });
  ledger.close();
  const broken = await dpkg("--install", join(PACKAGES, "broken.deb"));
  tell({
    ...{ step: "broken", ...broken },
    version: (await run("flanco", "--version")).said.trim(),
    health: (await run("flanco", "health", "--wait", "120")).exitCode,
    left: readdirSync("/var/lib").filter((name) => name.startsWith("flanco")),
  });
  tell({ step: "verified", ...(await run("flanco", "verify")) });
  tell({ step: "removed", ...(await dpkg("--remove", "flanco")), left: readdirSync("/var/lib/flanco") });
  tell({
    ...{ step: "purged", ...(await dpkg("--purge", "flanco")) },
    left: readdirSync("/var/lib").filter((name) => name.startsWith("flanco")),
  });
}

function dpkg(...args: readonly string[]): Promise<Said> {
  return run("dpkg", ...args);
}

async function run(program: string, ...args: readonly string[]): Promise<Said> {
  const env = {
    ...process.env,
    PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    FLANCO_TEST_LIMIT_SECONDS: "200",
  };
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, said };
}

/** The time goes to standard error: where it went is seen when a run is too slow. */
function tell(report: PackageReport): void {
  console.error(`${report.step} after ${Math.round(uptime())} s: ${report.said}`);
  console.log(JSON.stringify(report));
}
