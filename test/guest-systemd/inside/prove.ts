// Proves, in a guest with systemd, that no edge is lost while the process is gone. Tells the host each step, and writes
// whatever goes wrong to standard error.
//
//   node test/guest-systemd/inside/prove.ts full|short
import { execFileSync } from "node:child_process";
import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Api } from "../../guest/inside/api.ts";
import { until } from "../../guest/inside/deadline.ts";
import { Ledger } from "../../guest/inside/ledger.ts";
import {
  allWatched,
  interruptCounts,
  shareProcessorWithInterrupts,
  simulatedRelays,
} from "../../guest/inside/relays.ts";
import { lineName } from "../../guest/report.ts";
import { teller } from "../../guest/told.ts";
import { PROGRAM, type Reports } from "../report.ts";
import { type Parts, proveAbsence } from "./absence.ts";
import { CONFINED, proveConfined } from "./confined.ts";
import { firstUser, Unit } from "./unit.ts";

/** Every command and timer under the unit's filter takes minutes of an emulated processor. */
const FORMS = { full: { kills: 5, isConfined: true }, short: { kills: 1, isConfined: false } };
const UNWIRED = 7;
const RELEASE_MS = 60_000;
/** An emulated processor on a busy machine starts a program in a minute, and may be taken away for seconds. */
const SETTINGS = `[Service]
Environment=FLANCO_HTTP_PORT=8080 FLANCO_HTTPS_PORT=8443
TimeoutStartSec=300
WatchdogSec=20
${CONFINED}`;
const NO_STORE = "[Service]\nFileDescriptorStoreMax=0\n";

const [form] = process.argv.slice(2);
if (form !== "full" && form !== "short") throw new Error("usage: prove.ts full|short");

const tell = teller<Reports>();
const unit = new Unit();
const relays = simulatedRelays();
try {
  await prove(FORMS[form]);
} catch (error) {
  for (const { message } of (await unit.journal(0)).slice(-60)) console.error(message);
  throw error;
}
relays.close();

async function prove({ kills, isConfined }: (typeof FORMS)["full" | "short"]): Promise<void> {
  install();
  await unit.configure("guest", SETTINGS);
  await unit.control("start", "flanco");
  await unit.ready(0);
  const api = await firstUser(unit);
  await api.wireEightRooms();
  const ledger = new Ledger(unit.ledgerFile);
  const parts = { unit, relays, ledger };
  tell("shown", await shown());
  shareProcessorWithInterrupts();

  for (let kill = 0; kill < kills; kill += 1) tell("killed", await proveAbsence(parts, signalled("SIGKILL")));
  tell("restarted", await proveAbsence(parts, () => unit.control("restart", "flanco")));
  tell("stopped", await proveAbsence(parts, signalled("SIGSTOP")));
  tell("unwired", await unwired(api));
  tell("control", await control(parts, api));
  tell("ended", await ended());
  ledger.close();
  if (isConfined) tell("confined", await proveConfined(unit));
  tell("verified", await unit.command("verify"));
}

/** Puts the package's files in their places, as dpkg and the package's script do it. */
function install(): void {
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(program, args, { stdio: "inherit" });
  run("cp", "--recursive", "/opt/guest/files/.", "/");
  run("systemd-sysusers", "flanco.conf");
  run("udevadm", "control", "--reload");
  run("udevadm", "trigger", "--subsystem-match=gpio", "--action=change");
  run("udevadm", "settle");
  // What Node keeps of compiled sources is each user's own, by the number at its end; the package's was made by root.
  const kept = join(PROGRAM, ".cache");
  const uid = execFileSync("id", ["--user", "flanco"], { encoding: "utf8" }).trim();
  for (const name of readdirSync(kept)) symlinkSync(name, join(kept, name.replace(/-0$/, `-${uid}`)));
}

function signalled(signal: NodeJS.Signals): (pid: number) => Promise<void> {
  return async (pid) => void process.kill(pid, signal);
}

/** What systemd shows once eight lines are wired: the status follows at the next sign of life. */
async function shown(): Promise<Reports["shown"]> {
  await unit.until(async () => {
    const status = await unit.show("StatusText");
    return status.includes("8 of 8") ? null : status;
  }, RELEASE_MS);
  const stored = Number(await unit.show("NFileDescriptorStore"));
  return { status: await unit.show("StatusText"), stored };
}

async function unwired(api: Api): Promise<Reports["unwired"]> {
  const storedBefore = Number(await unit.show("NFileDescriptorStore"));
  await api.unwire(lineName(UNWIRED));
  let storedAfter = storedBefore;
  await unit.until(async () => {
    storedAfter = Number(await unit.show("NFileDescriptorStore"));
    return storedAfter < storedBefore ? null : "systemd still keeps the line";
  }, RELEASE_MS);
  // systemd closes in another thread what it drops.
  await until(() => (interruptCounts().has(UNWIRED) ? "the kernel has the line in use" : null), RELEASE_MS);
  return { storedBefore, storedAfter };
}

/** The same as the first step, with a systemd that keeps nothing: it drops what it kept when it reads that. */
async function control(parts: Parts, api: Api): Promise<Reports["control"]> {
  await api.wire(UNWIRED);
  await allWatched(RELEASE_MS);
  await unit.configure("no-store", NO_STORE);
  const kept = await unit.show("NFileDescriptorStore");
  if (kept !== "0") throw new Error(`systemd still keeps ${kept} descriptors.`);
  shareProcessorWithInterrupts();
  return proveAbsence(parts, signalled("SIGKILL"));
}

/** systemd hears of this end from the process alone: it takes it for stopping as soon as it is told. */
async function ended(): Promise<Reports["ended"]> {
  const beganNs = Number(process.hrtime.bigint());
  const pid = await unit.mainPid();
  process.kill(pid, "SIGTERM");
  await unit.until(async () => ((await unit.mainPid()) === pid ? "the process goes on" : null), RELEASE_MS);
  return { inactiveNs: await unit.inactiveNs(), journal: await unit.journal(beganNs) };
}
