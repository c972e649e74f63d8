// The starts of a machine on which the package is installed, upgraded, cut off and removed.
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { proveAbsence } from "../../guest/inside/absence.ts";
import { Api } from "../../guest/inside/api.ts";
import { LIMIT_SECONDS, prove, run, runFor, SLOW_SERVICE, start } from "../../guest/inside/host.ts";
import { Ledger } from "../../guest/inside/ledger.ts";
import { shareProcessorWithInterrupts, simulatedRelays } from "../../guest/inside/relays.ts";
import { firstUser, Unit } from "../../guest/inside/unit.ts";
import { ROOMS } from "../../guest/report.ts";
import { type ProgramOutput, teller } from "../../guest/told.ts";
import { until } from "../../rig/until.ts";
import { CUT_HERE, NO_PROGRAM, type Reports } from "../report.ts";
import { after, install, packageFile, packageState, seen } from "./dpkg.ts";

const STATUS = "/var/lib/dpkg/status";
const SETTINGS = "/etc/flanco/flanco.toml";
const FILLER = "/var/tmp/filler";
/** 0 takes the machine's one GPIO chip away, 1 brings it back. */
const CHIP = "/sys/kernel/config/gpio-sim/relays/live";
const SPARE_BYTES = 40 * 1024 * 1024;
const FIRST_SALE_MS = 1_762_000_000_000;
const COMMITTED_MS = 120_000;
const SCRIPT_BYTES = 1_000;
const UNPACKING_MS = 300_000;
/** What the end of an interrupted upgrade needs on an emulated processor. */
const SLOW_UPGRADE = `[Service]\nEnvironment=FLANCO_TEST_LIMIT_SECONDS=${LIMIT_SECONDS}\n`;
/** The condition is looked at when it is its turn. */
const ENDED = "ActiveState,ConditionTimestampMonotonic";
const ENDED_MS = 600_000;
/** Long enough to see that a port is taken. */
const TAKEN_SECONDS = 60;

const tell = teller<Reports>();
const unit = new Unit();
const ledger = new Ledger(unit.ledgerFile);

await prove(unit, {
  /**
   * What cannot be installed is refused; the package is installed, goes back from a version that does not work, and is upgraded,
   * while relays switch.
   */
  async installed() {
    await refusedAtFirst();
    await installed();
    const api = await firstUser(unit);
    await api.wireEightRooms();
    const lines = simulatedRelays();
    shareProcessorWithInterrupts();
    const parts = { unit, relays: lines, ledger };

    /** Installs a version while relays switch. */
    async function upgrade(step: string, name: string): Promise<void> {
      let said: ProgramOutput = { exitCode: null, said: "" };
      const absence = await proveAbsence(parts, async () => {
        said = await install(name);
      });
      tell(step, { ...said, absence, after: await after(unit), left: ledgers() });
    }

    await upgrade("went back", "failing");
    tell("configured anew", await run("dpkg", "--configure", "-a"));
    await refusedLater();
    await upgrade("upgraded", "newer");
    await refused("downgrade", () => install("first"));
    tell("verified", await run("flanco", "verify"));
    lines.close();
  },

  /** The service is there by itself, and records; then sales are posted, and relays switched, until the power is cut. */
  async restarted() {
    const here = await after(unit);
    const lines = simulatedRelays();
    shareProcessorWithInterrupts();
    const position = ledger.position();
    for (const offset of ROOMS.keys()) lines.drive(offset, true);
    const areIn = () => ledger.rowsAfter(position).length >= ROOMS.length;
    await until("the edges are in the ledger", areIn, COMMITTED_MS);
    const rows = ledger.rowsAfter(position);
    for (const offset of ROOMS.keys()) lines.drive(offset, false);
    tell("restarted", { ...NO_PROGRAM, after: here, rows });
    const api = new Api(unit.baseUrl);
    await api.login();
    for (let sale = 0; ; sale += 1) {
      lines.drive(sale % ROOMS.length, sale % (2 * ROOMS.length) < ROOMS.length);
      const acknowledgedMs = FIRST_SALE_MS + sale;
      await api.sell(acknowledgedMs);
      tell("acknowledged", { ...NO_PROGRAM, acknowledgedMs });
    }
  },

  /** What is there after that. Then an upgrade begins, and the power is cut while files are unpacked. */
  async cut() {
    const here = await after(unit);
    const rows = ledger.rowsAfter(0);
    tell("power came back", { ...(await run("flanco", "verify")), after: here, rows });
    await unpack("newest");
    await waitForPowerCut();
  },

  /**
   * The service of before. Then dpkg is killed in the same place, and the power is cut once a version that does not work is in
   * place, before the way back.
   */
  async unpacked() {
    await upgradeEnded();
    tell("cut while unpacking", { ...NO_PROGRAM, after: await after(unit) });
    process.kill(-((await unpack("newest")).pid ?? 0), "SIGKILL");
    const configured = await run("dpkg", "--configure", "-a");
    tell("killed while unpacking", { ...configured, after: await after(unit) });
    tell("installed after all", { ...(await install("newest")), after: await after(unit) });
    start(LIMIT_SECONDS, "dpkg", "--install", packageFile("broken"));
    // dpkg calls it so before it unpacks anything, too.
    const isInPlace = async () => (await packageState()) === "half-configured" && isBroken();
    await until("the broken version is in place", isInPlace, UNPACKING_MS);
    await waitForPowerCut();
  },

  /** The version before is back by itself. Then the package is removed, installed, purged, and installed where a port is taken. */
  async ended() {
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
  },
});

/** What a technician may try on a machine that it cannot be installed on. */
async function refusedAtFirst(): Promise<void> {
  tell("other processor", { ...(await install("other-processor")), left: programs() });
  const aged = await run("setarch", "--uname-2.6", "dpkg", "--install", packageFile("first"));
  tell("old kernel", { ...aged, left: programs() });
  copyFileSync(STATUS, `${STATUS}.kept`);
  const status = readFileSync(STATUS, "utf8");
  writeFileSync(STATUS, status.replace(/^(Package: libc6\n(?:.+\n)*?Version: )\S+$/m, "$12.31-13"));
  tell("old glibc", { ...(await install("first")), left: programs() });
  copyFileSync(`${STATUS}.kept`, STATUS);
  await fillDisk();
  tell("full disk", { ...(await install("first")), left: programs() });
  rmSync(FILLER);
}

/** Installed where no chip is there yet. */
async function installed(): Promise<void> {
  await unit.configure("guest", SLOW_SERVICE);
  const upgrades = "/etc/systemd/system/flanco-upgrade.service.d";
  mkdirSync(upgrades, { recursive: true });
  writeFileSync(`${upgrades}/guest.conf`, SLOW_UPGRADE);
  writeFileSync(CHIP, "0");
  tell("installed", { ...(await install("first")), after: await after(unit) });
  tell("no chip", await run("flanco", "gpio", "detect"));
  writeFileSync(CHIP, "1");
  await run("udevadm", "settle");
}

/** The same over a service that works. */
async function refusedLater(): Promise<void> {
  await fillDisk();
  await refused("full disk at upgrade", () => install("newer"));
  rmSync(FILLER);
  const settings = readFileSync(SETTINGS);
  writeFileSync(SETTINGS, `${settings}\nhttps_prot = 8443\n`);
  await refused("broken settings", () => install("newer"));
  writeFileSync(SETTINGS, settings);
}

async function refused(step: string, attempt: () => Promise<ProgramOutput>): Promise<void> {
  const before = await seen(unit);
  tell(step, { before, ...(await attempt()), after: await after(unit) });
}

async function fillDisk(): Promise<void> {
  const { bavail, bsize } = statfsSync("/usr/bin");
  const { exitCode, said } = await run("fallocate", "-l", String(bavail * bsize - SPARE_BYTES), FILLER);
  if (exitCode !== 0) throw new Error(`The disk could not be filled: ${said}`);
}

function programs(): string[] {
  return ["/usr/bin/flanco", "/usr/bin/flanco.dpkg-new"].filter((file) => existsSync(file));
}

function ledgers(): string[] {
  return readdirSync("/var/lib/flanco").filter((name) => name.startsWith("flanco.db"));
}

/** Begins to install a package, and waits until dpkg has unpacked its program. */
async function unpack(name: string) {
  const child = start(LIMIT_SECONDS, "dpkg", "--install", packageFile(name));
  await until("the program is unpacked", () => existsSync("/usr/bin/flanco.dpkg-new"), UNPACKING_MS);
  return child;
}

/** Whether the version that does not start is in place: it is a script of one line. */
function isBroken(): boolean {
  return statSync("/usr/bin/flanco").size < SCRIPT_BYTES;
}

/** Waits until what ends an interrupted upgrade at the machine's start has done so, whatever came of it. */
async function upgradeEnded(): Promise<void> {
  const hasEnded = async () => {
    const { said } = await run("systemctl", "show", `--property=${ENDED}`, "flanco-upgrade.service");
    return /ActiveState=(inactive|failed)/.test(said) && !said.includes("Monotonic=0\n");
  };
  await until("the interrupted upgrade has ended", hasEnded, ENDED_MS);
}

/** Tells the host to cut the power, and waits for it. */
async function waitForPowerCut(): Promise<never> {
  tell(CUT_HERE, NO_PROGRAM);
  return new Promise(() => setInterval(() => {}, 1_000));
}
