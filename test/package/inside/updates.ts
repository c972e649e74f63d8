// Nights of a gateway that is installed as on a card, with a read-only root, and gets updates by itself.
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, symlinkSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { UpdatesStatus } from "../../../src/domain/status.ts";
import { Api } from "../../guest/inside/api.ts";
import { LIMIT_SECONDS, must, prove, run, SLOW_SERVICE } from "../../guest/inside/host.ts";
import { firstUser, Unit } from "../../guest/inside/unit.ts";
import { teller } from "../../guest/told.ts";
import { until } from "../../rig/until.ts";
import { CUT_HERE } from "../report.ts";
import type { NightReport, Reports } from "../updates-report.ts";
import { packageFile } from "./dpkg.ts";

const FILES = "/opt/guest/files";
/** Where the package has it that flanco's source is. */
const SOURCE = "/srv/flanco";
/** What apt's list of sources leads to. */
const LIST = "/var/source/sources.list";
const DEBIAN = `deb [trusted=yes] file:${FILES}/debian-security ./\n`;
const RESULT = "/var/lib/flanco-updates/result";
const FILLER = "/var/filler";
const DAY_SECONDS = 86_400;
/** The first night; each further one is a day later. */
const FIRST_NIGHT_SECONDS = Date.UTC(2026, 10, 30, 4) / 1_000;
const NIGHT_MS = 1_200_000;
const PAUSE_MS = 2_000;
const SPARE_BYTES = 100 * 1024 * 1024;
const SETTINGS = 'clock_trust = "always"\ntime_zone = "UTC"\n';

/** What an emulated processor needs. */
const SLOW_UPGRADE = `[Service]\nEnvironment=FLANCO_TEST_LIMIT_SECONDS=${LIMIT_SECONDS}\n`;
const NOT_SEEN: NightReport = {
  ...{ exitCode: 0, said: "", isWell: false, state: "", updates: null, version: "" },
  ...{ beganMs: 0, backupMs: 0, faults: [], audit: [], isRootClosed: false },
};

const tell = teller<Reports>();
const unit = new Unit();

await prove(unit, {
  /** /var gets a file system of its own, which stays writable. */
  async prepared() {
    await must("mount", "/dev/vdc", "/mnt");
    await must("cp", "--archive", "/var/.", "/mnt/");
    writeFileSync("/etc/fstab", "/dev/vdc /var ext4 noatime 0 0\ntmpfs /tmp tmpfs mode=1777 0 0\n");
    await must("umount", "/mnt");
  },

  /** What goes wrong, and what does not; then the power is cut while a version is unpacked. */
  async nights() {
    await installed();
    await night("stranger", 0, "stranger");
    writeFileSync(LIST, DEBIAN);
    const { bavail, bsize } = statfsSync("/var");
    await must("fallocate", "-l", String(bavail * bsize - SPARE_BYTES), FILLER);
    await night("full", 1, "good");
    rmSync(FILLER);
    await night("updated", 2, "good");
    await night("broken", 3, "broken");
    await begin(4, "mended");
    await until("the program is unpacked", () => existsSync("/usr/bin/flanco.dpkg-new"), NIGHT_MS);
    tell(CUT_HERE, NOT_SEEN);
    await new Promise(() => setInterval(() => {}, 1_000));
  },

  /** The version before goes on, and the next night brings the one that was cut off. */
  async cut() {
    await setClock(FIRST_NIGHT_SECONDS + 4 * DAY_SECONDS + DAY_SECONDS / 2);
    const status = await told(({ failure }) => failure !== null);
    await closeRoot();
    tell("interrupted", await seen(4, status));
    await night("mended", 5, "mended");
  },
});

async function installed(): Promise<void> {
  await setClock(FIRST_NIGHT_SECONDS - DAY_SECONDS / 2);
  await unit.configure("guest", SLOW_SERVICE);
  for (const name of ["flanco-upgrade", "flanco-updates"]) {
    mkdirSync(`/etc/systemd/system/${name}.service.d`, { recursive: true });
    writeFileSync(`/etc/systemd/system/${name}.service.d/guest.conf`, SLOW_UPGRADE);
  }
  mkdirSync("/etc/flanco", { recursive: true });
  await must("dpkg", "--install", packageFile("mended"));
  await must("dpkg", "--install", packageFile("first"));
  const file = "/etc/flanco/flanco.toml";
  writeFileSync(file, readFileSync(file, "utf8") + SETTINGS);
  await firstUser(unit);
  await unit.control("restart", "flanco.service");
  mkdirSync("/usr/lib/flanco-card");
  await must("install", "-m", "0755", `${FILES}/root-writable`, "/usr/lib/flanco-card/root-writable");
  await must("cp", `${FILES}/dpkg.cfg`, "/etc/dpkg/dpkg.cfg.d/60-flanco-card");
  // What is away keeps the other from nothing.
  mkdirSync("/var/source");
  writeFileSync(LIST, `${DEBIAN}deb [trusted=yes] file:/srv/away-security ./\n`);
  rmSync("/etc/apt/sources.list", { force: true });
  symlinkSync(LIST, "/etc/apt/sources.list");
  symlinkSync("/usr/share/flanco/flanco.sources", "/etc/apt/sources.list.d/flanco.sources");
  // What leads to the source is changed from night to night.
  symlinkSync("/var/source/flanco", SOURCE);
  writeFileSync("/etc/flanco/updates", "");
  await closeRoot();
}

async function closeRoot(): Promise<void> {
  await run("mount", "-o", "remount,ro", "/");
}

async function setClock(seconds: number): Promise<void> {
  await must("date", "--set", `@${seconds}`);
}

/** It is four o'clock of that night, and the source holds this. */
async function begin(index: number, source?: string): Promise<number> {
  rmSync("/var/source/flanco", { force: true });
  if (source !== undefined) symlinkSync(`${FILES}/${source}`, "/var/source/flanco");
  const seconds = FIRST_NIGHT_SECONDS + index * DAY_SECONDS;
  await setClock(seconds);
  return seconds;
}

async function night(step: string, index: number, source?: string): Promise<void> {
  const seconds = await begin(index, source);
  const ended = () => {
    const result = existsSync(RESULT) ? readFileSync(RESULT, "utf8") : "";
    const begun = Number(/^begun=(\d+)$/m.exec(result)?.[1] ?? 0);
    return begun >= seconds && /^ended=./m.test(result) ? begun * 1_000 : undefined;
  };
  const ranMs = await until("the updates are over", ended, NIGHT_MS);
  // It may have read the result while they were under way.
  const isTold = ({ ranMs: ran, failure, succeededMs }: UpdatesStatus) =>
    ran === ranMs && (failure !== null || (succeededMs ?? 0) >= ranMs);
  tell(step, await seen(index, await told(isTold)));
}

interface SeenStatus {
  readonly updates: NightReport["updates"];
  readonly faults: readonly { readonly code: string }[];
  readonly lastBackup: { readonly madeMs: number } | null;
}

/** Each day ends the session of the day before. */
async function ask<Data>(path: string): Promise<Data> {
  const api = new Api(unit.baseUrl);
  await api.login();
  return api.ask<Data>("GET", path);
}

/** Waits until the service, which may just be replaced, tells of updates as wanted. */
async function told(isSo: (updates: UpdatesStatus) => boolean): Promise<SeenStatus> {
  const look = async () => {
    const status = await ask<SeenStatus>("/api/status").catch(() => undefined);
    return status?.updates && isSo(status.updates) ? status : pause(PAUSE_MS, undefined);
  };
  return until("the service has seen what happened", look, NIGHT_MS);
}

async function seen(index: number, { updates, faults, lastBackup }: SeenStatus): Promise<NightReport> {
  const log = ["--quiet", "--output=cat", "--boot", "--lines=60", "--unit=flanco-updates"];
  const { said } = await run("journalctl", ...log);
  const entries = await ask<NightReport["audit"]>("/api/audit?limit=50");
  const query = ["--show", `--showformat=\${db:Status-Status} \${Version}`, "flanco"];
  const [state = "", version = ""] = (await run("dpkg-query", ...query)).said.split(" ");
  const before = "/var/lib/flanco-upgrade/went-back";
  return {
    ...{ exitCode: 0, said, updates, state },
    isWell: (await fetch(`${unit.baseUrl}/healthz`)).ok,
    version: existsSync(before) ? readFileSync(before, "utf8").trim() : version,
    beganMs: (FIRST_NIGHT_SECONDS + index * DAY_SECONDS) * 1_000,
    backupMs: lastBackup?.madeMs ?? 0,
    faults: faults.map(({ code }) => code),
    audit: entries.filter(({ kind }) => kind.startsWith("update")),
    isRootClosed: / \/ ext4 ro,/.test(readFileSync("/proc/mounts", "utf8")),
  };
}
