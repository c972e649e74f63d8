// Proves, in a guest with systemd, that no edge is lost while the process is gone. Writes one JSON object for
// each step to standard output, and whatever goes wrong to standard error.
//
//   node test/guest-systemd/inside/prove.ts full|short
import { Api, USER_ADD } from "../../guest/inside/api.ts";
import { until } from "../../guest/inside/deadline.ts";
import { Ledger } from "../../guest/inside/ledger.ts";
import { interruptCounts, Relays } from "../../guest/inside/relays.ts";
import { lineName, ROOMS } from "../../guest/report.ts";
import type { Report } from "../report.ts";
import { type Parts, proveAbsence } from "./absence.ts";
import { Unit } from "./unit.ts";

const KILLS = { full: 5, short: 1 };
const UNWIRED = 7;
const RELEASE_MS = 60_000;
/** An emulated processor on a busy machine starts a program in a minute, and may be taken away for seconds. */
const SETTINGS = `[Service]
Environment=FLANCO_HTTP_PORT=8080 FLANCO_HTTPS_PORT=8443
TimeoutStartSec=300
WatchdogSec=20
`;
const NO_STORE = "[Service]\nFileDescriptorStoreMax=0\n";

const [form] = process.argv.slice(2);
const folder = process.env["FLANCO_TEST_GPIO_SIM"];
if (form !== "full" && form !== "short") throw new Error("usage: prove.ts full|short");
if (folder === undefined) throw new Error("FLANCO_TEST_GPIO_SIM does not name a simulated chip.");

const unit = new Unit();
const relays = new Relays(folder);
try {
  await prove(KILLS[form]);
} catch (error) {
  for (const { message } of (await unit.journal(0)).slice(-60)) console.error(message);
  throw error;
}
relays.close();

async function prove(kills: number): Promise<void> {
  await unit.configure("guest", SETTINGS);
  await unit.control("start", "flanco");
  await unit.ready(0);
  const added = await unit.command(USER_ADD.options, USER_ADD.input);
  if (added.exitCode !== 0) throw new Error(`user add: ${added.output}`);
  const api = new Api(unit.baseUrl);
  await api.login();
  await api.wireEightRooms();
  const ledger = new Ledger(unit.ledgerFile);
  const parts = { unit, relays, ledger };
  await told();

  for (let kill = 0; kill < kills; kill += 1) tell(await proveAbsence(parts, "killed", killed));
  tell(await proveAbsence(parts, "restarted", () => unit.control("restart", "flanco")));
  tell(
    await proveAbsence(parts, "stopped", async (pid) => {
      process.kill(pid, "SIGSTOP");
    }),
  );
  tell(await unwired(api));
  await control(parts, api);
  ledger.close();
  tell({ step: "verified", ...(await unit.command(["verify"])) });
}

async function killed(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
}

/** What systemd shows once eight lines are wired: the status follows at the next sign of life. */
async function told(): Promise<void> {
  await unit.until(async () => {
    const status = await unit.show("StatusText");
    return status.includes("8 of 8") ? null : status;
  }, RELEASE_MS);
  const stored = Number(await unit.show("NFileDescriptorStore"));
  tell({ step: "shown", status: await unit.show("StatusText"), stored });
}

async function unwired(api: Api): Promise<Report> {
  const storedBefore = Number(await unit.show("NFileDescriptorStore"));
  await api.unwire(lineName(UNWIRED));
  let storedAfter = storedBefore;
  await unit.until(async () => {
    storedAfter = Number(await unit.show("NFileDescriptorStore"));
    return storedAfter < storedBefore ? null : "systemd still keeps the line";
  }, RELEASE_MS);
  // systemd closes what it drops in a thread of its own.
  await until(() => (interruptCounts().has(UNWIRED) ? "the kernel has the line in use" : null), RELEASE_MS);
  return { step: "unwired", storedBefore, storedAfter };
}

/** The same as the first step, with a systemd that keeps nothing. */
async function control(parts: Parts, api: Api): Promise<void> {
  await api.wire(UNWIRED);
  await unit.configure("no-store", NO_STORE);
  await unit.control("stop", "flanco");
  await unit.control("start", "flanco");
  await unit.ready(0);
  await until(() => (interruptCounts().size === ROOMS.length ? null : "lines are not watched"), RELEASE_MS);
  tell(await proveAbsence(parts, "control", killed));
}

function tell(report: Report): void {
  console.log(JSON.stringify(report));
}
