import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { runCommand, ScriptFailure } from "../command.ts";
import { CARD_FILES, runInTree, withKernelFiles } from "./base.ts";

const UNITS = "etc/systemd/system";
/** Where the package says from where its later versions come, if the release has a source. */
const SOURCES = "usr/share/flanco/flanco.sources";
const DEVICE_TREES = "/usr/lib/flanco-card/device-trees";
/** Where z50-raspi-firmware is called, which writes what the firmware starts. */
const FIRMWARE_HOOKS: readonly string[] = [
  "etc/kernel/postinst.d",
  "etc/kernel/postrm.d",
  "etc/initramfs/post-update.d",
];
/** Units of the packages and of ours that the card starts, each with what wants it. */
const ENABLED: Readonly<Record<string, readonly string[]>> = {
  "multi-user.target": [
    "systemd-networkd.service",
    "flanco-card-settings.service",
    "flanco-card-backup-disk.service",
  ],
  "local-fs.target": ["flanco-card-grow.service"],
  "sysinit.target": ["fake-hwclock-load.service", "flanco-card-rtc.service"],
  "timers.target": ["fake-hwclock-save.timer"],
};
/** Units that would wait, write or ask for what a gateway has not. */
const MASKED: readonly string[] = [
  "systemd-networkd-wait-online.service",
  "systemd-firstboot.service",
  "apt-daily.timer",
  "apt-daily-upgrade.timer",
  // It would only wait for a shutdown, in 20 MB of memory: flanco-updates.service waits by itself.
  "unattended-upgrades.service",
  "dpkg-db-backup.timer",
  "e2scrub_all.timer",
  "e2scrub_reap.service",
  "wpa_supplicant.service",
  // Host keys are made by flanco-card-settings, which makes the root writable.
  "sshd-keygen.service",
];
/** Files that each machine must make for itself, and files that building left behind. */
const REMOVED: readonly string[] = [
  "etc/resolv.conf",
  "etc/systemd/system/shutdown.target.wants/fake-hwclock-save.service",
  "var/lib/dbus/machine-id",
  "var/lib/systemd/random-seed",
  "var/lib/systemd/credential.secret",
  "var/lib/fake-hwclock",
  "etc/fake-hwclock.data",
  "etc/dpkg/dpkg.cfg.d/99mmdebstrap",
  "etc/apt/apt.conf.d/99mmdebstrap",
  "var/cache/flanco",
];
const APT_FOLDERS: readonly string[] = ["var/cache/apt/archives/partial", "var/lib/apt/lists/partial"];
/** Folders that are left with nothing in them. */
const EMPTIED: readonly string[] = ["var/cache/apt", "var/lib/apt/lists", "tmp", "var/tmp", "run"];

/**
 * Installs flanco's package into a tree of Debian's packages, with the card's own files, and takes away what must be made on
 * each machine. `tree` is changed. Throws ScriptFailure.
 */
export function installCard(tree: string, deb: string, epochSeconds: number): void {
  withKernelFiles(tree, () => {
    copyFileSync(deb, join(tree, "tmp", "flanco.deb"));
    runInTree(tree, ["dpkg", "--install", "/tmp/flanco.deb"]);
    cpSync(CARD_FILES, tree, { recursive: true });
    // By its name: a later version of the package may bring another address.
    if (existsSync(join(tree, SOURCES)))
      link(`/${SOURCES}`, join(tree, "etc/apt/sources.list.d/flanco.sources"));
    settleUnits(tree);
    runInTree(tree, ["passwd", "--quiet", "--lock", "root"]);
    // As an upgrade of the kernel does it on the card: kernel, device trees, config.txt and cmdline.txt.
    runInTree(tree, ["/etc/kernel/postinst.d/z50-raspi-firmware"], { DEB_MAINT_PARAMS: "configure" });
    runInTree(tree, [DEVICE_TREES]);
  });
  for (const name of readdirSync(join(tree, "etc/ssh"))) {
    if (name.startsWith("ssh_host_")) rmSync(join(tree, "etc/ssh", name));
  }
  for (const path of REMOVED) rmSync(join(tree, path), { recursive: true, force: true });
  for (const path of EMPTIED) empty(join(tree, path));
  runCommand(["find", join(tree, "var/log"), "-type", "f", "-delete"]);
  for (const path of [...APT_FOLDERS, "var/log/journal"]) makeFolder(tree, path);
  // systemd-resolved's, in place of a file of the machine that built it.
  symlinkSync("../run/systemd/resolve/stub-resolv.conf", join(tree, "etc/resolv.conf"));
  // Empty, and not absent: the first start makes one, without taking the card for a system that was never set up.
  writeFileSync(join(tree, "etc/machine-id"), "");
  markUpdated(tree, epochSeconds);
  const built = new Date(epochSeconds * 1_000).toISOString();
  makeFolder(tree, "var/lib/fake-hwclock");
  writeFileSync(join(tree, "var/lib/fake-hwclock/time"), `${built.slice(0, 10)} ${built.slice(11, 19)}\n`);
}

/** Otherwise the first start rebuilds catalogs and caches that are already there, which takes a minute on a card. */
function markUpdated(tree: string, epochSeconds: number): void {
  utimesSync(join(tree, "usr"), epochSeconds, epochSeconds);
  for (const folder of ["etc", "var"]) {
    const file = join(tree, folder, ".updated");
    writeFileSync(file, `TIMESTAMP_NSEC=${epochSeconds}000000000\n`);
    utimesSync(file, epochSeconds, epochSeconds);
  }
}

function settleUnits(tree: string): void {
  for (const [target, units] of Object.entries(ENABLED)) {
    for (const unit of units) {
      const own = existsSync(join(tree, UNITS, unit));
      if (!own && !existsSync(join(tree, "usr/lib/systemd/system", unit)))
        throw new ScriptFailure(`No package has the unit ${unit}.`);
      link(
        own ? `/${UNITS}/${unit}` : `/usr/lib/systemd/system/${unit}`,
        join(tree, UNITS, `${target}.wants`, unit),
      );
    }
  }
  for (const unit of MASKED) link("/dev/null", join(tree, UNITS, unit));
  link("/usr/share/zoneinfo/Europe/Madrid", join(tree, "etc/localtime"));
  for (const name of readdirSync(join(tree, "usr/lib/flanco-card")))
    chmodSync(join(tree, "usr/lib/flanco-card", name), 0o755);
  for (const folder of FIRMWARE_HOOKS) {
    link("/usr/lib/flanco-card/boot-stage", join(tree, folder, "z49-flanco-card"));
    link("/usr/lib/flanco-card/boot-files", join(tree, folder, "z60-flanco-card"));
  }
}

function link(target: string, path: string): void {
  rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

function empty(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}

function makeFolder(tree: string, path: string): void {
  mkdirSync(join(tree, path), { recursive: true });
}
