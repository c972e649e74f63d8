// First start of the machine: what cannot be installed is refused; the package is installed, goes back
// from a version that does not work, and is upgraded, while relays switch.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { Ledger } from "../../guest/inside/ledger.ts";
import { shareProcessorWithInterrupts, simulatedRelays } from "../../guest/inside/relays.ts";
import type { Said } from "../../guest/told.ts";
import { proveAbsence } from "../../guest-systemd/inside/absence.ts";
import { firstUser, Unit } from "../../guest-systemd/inside/unit.ts";
import { after, install, packageFile, prove, run, SLOW_SERVICE, SLOW_UPGRADE, seen, tell } from "./host.ts";

const STATUS = "/var/lib/dpkg/status";
const SETTINGS = "/etc/flanco/flanco.toml";
const FILLER = "/var/tmp/filler";
/** 0 takes the machine's one GPIO chip away, 1 brings it back. */
const CHIP = "/sys/kernel/config/gpio-sim/relays/live";
const SPARE_BYTES = 40 * 1024 * 1024;

const unit = new Unit();
const ledger = new Ledger(unit.ledgerFile, false);

await prove(unit, async () => {
  await refusedAtFirst();
  await installed();
  const api = await firstUser(unit);
  await api.wireEightRooms();
  const lines = simulatedRelays();
  shareProcessorWithInterrupts();
  const parts = { unit, relays: lines, ledger };

  /** Installs a version while relays switch. */
  async function upgrade(step: string, name: string): Promise<void> {
    let said: Said = { exitCode: null, said: "" };
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

async function refused(step: string, attempt: () => Promise<Said>): Promise<void> {
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
