// Proves, in a guest with systemd, that no edge is lost while the process is gone. Tells the host each step, and writes
// whatever goes wrong to standard error.
//
//   node prove.mjs full|short     (bundled)
import { execFileSync } from "node:child_process";
import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../rig/until.ts";
import { lineName, PROGRAM, type Reports } from "../report.ts";
import { teller } from "../told.ts";
import { type Parts, proveAbsence, SETTLE_MS } from "./absence.ts";
import type { Api } from "./api.ts";
import { CONFINED, proveConfined } from "./confined.ts";
import { prove, run } from "./host.ts";
import { Ledger } from "./ledger.ts";
import { allWatched, interruptCounts, shareProcessorWithInterrupts, simulatedRelays } from "./relays.ts";
import { firstUser, Unit } from "./unit.ts";

const UNWIRED = 7;
const BURST_LINE = 0;
/** The kernel's buffer holds 1,024 of them. */
const BURST = 1_500;
const RELEASE_MS = 60_000;
/** An emulated processor on a busy machine starts a program in a minute, and may be taken away for seconds. */
const SETTINGS = `[Service]
Environment=FLANCO_HTTP_PORT=8080 FLANCO_HTTPS_PORT=8443
TimeoutStartSec=300
WatchdogSec=20
${CONFINED}`;
const NO_STORE = "[Service]\nFileDescriptorStoreMax=0\n";

const tell = teller<Reports>();
const unit = new Unit();

await prove(unit, {
  // Every command and timer under the unit's filter takes minutes of an emulated processor.
  full: () => proveAll(5, true),
  short: () => proveAll(1, false),
});

async function proveAll(kills: number, isConfined: boolean): Promise<void> {
  tell("conformance", await run(process.execPath, "conformance.mjs"));
  install();
  await unit.configure("guest", SETTINGS);
  await unit.control("start", "flanco");
  await unit.ready(0);
  const api = await firstUser(unit);
  await api.wireEightRooms();
  const ledger = new Ledger(unit.ledgerFile);
  const relays = simulatedRelays();
  const parts = { unit, relays, ledger };
  tell("shown", await shown());
  shareProcessorWithInterrupts();

  for (let kill = 0; kill < kills; kill += 1) tell("killed", await proveAbsence(parts, signalled("SIGKILL")));
  tell("restarted", await proveAbsence(parts, () => unit.control("restart", "flanco")));
  tell("stopped", await proveAbsence(parts, signalled("SIGSTOP")));
  tell("burst", await burst(parts));
  tell("unwired", await unwired(api));
  tell("control", await control(parts, api));
  tell("ended", await ended());
  if (isConfined) tell("confined", await proveConfined(unit));
  tell("verified", await run("flanco", "verify"));
  relays.close();
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
  const showsAll = async () => (await unit.show("StatusText")).includes("8 of 8");
  await unit.until("the status has all lines", showsAll, RELEASE_MS);
  const stored = Number(await unit.show("NFileDescriptorStore"));
  return { status: await unit.show("StatusText"), stored };
}

/**
 * Stops the process, gives one line more edges than the kernel's buffer holds, and lets the process go on. Once the last sale is in
 * the ledger, everything before it has been dealt with.
 */
async function burst({ relays, ledger }: Parts): Promise<Reports["burst"]> {
  const position = ledger.position();
  const gapsBefore = ledger.gaps().length;
  const interruptsOf = () => interruptCounts().get(BURST_LINE) ?? 0;
  const before = interruptsOf();
  const pid = await unit.mainPid();
  process.kill(pid, "SIGSTOP");
  let lastHighNs = 0;
  for (let edge = 0; edge < BURST; edge += 1) {
    const { high, beforeNs } = relays.drive(BURST_LINE, edge % 2 === 0);
    if (high) lastHighNs = beforeNs;
  }
  process.kill(pid, "SIGCONT");
  const isDone = () => {
    const last = ledger.rowsAfter(position).at(-1);
    return (last?.monotonicNs ?? 0) >= lastHighNs && last?.endedMs !== null;
  };
  await until("the burst's last sale is in the ledger, and has ended", isDone, SETTLE_MS);
  const [rows, gaps] = [ledger.rowsAfter(position), ledger.gaps().slice(gapsBefore)];
  return { driven: BURST, interrupts: interruptsOf() - before, rows, gaps };
}

async function unwired(api: Api): Promise<Reports["unwired"]> {
  const storedBefore = Number(await unit.show("NFileDescriptorStore"));
  await api.unwire(lineName(UNWIRED));
  let storedAfter = storedBefore;
  const isGivenBack = async () => {
    storedAfter = Number(await unit.show("NFileDescriptorStore"));
    return storedAfter < storedBefore;
  };
  await unit.until("systemd keeps the line no longer", isGivenBack, RELEASE_MS);
  // systemd closes in another thread what it drops.
  await until("the kernel has the line free", () => !interruptCounts().has(UNWIRED), RELEASE_MS);
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
  await unit.until("the process is gone", async () => (await unit.mainPid()) !== pid, RELEASE_MS);
  return { inactiveNs: await unit.inactiveNs(), journal: await unit.journal(beganNs) };
}
