import { hash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCommand, ScriptFailure } from "../command.ts";

/** Files of the card's own, as they lie on it. */
export const CARD_FILES = join(import.meta.dirname, "..", "..", "packaging", "card");

/** For which models a card is: docs/card-image.md says why there are two cards. */
export const CARD_KINDS = ["rpi", "rpi5"] as const;
export type CardKind = (typeof CARD_KINDS)[number];

/** The Debian of both cards, and its archive of newer kernels. */
const SUITE = "trixie";
const BACKPORTS = "trixie-backports";
const ARCHITECTURE = "arm64";

const PACKAGES: readonly string[] = [
  // The system: its first process, devices, buses, time, names, compressed memory.
  ...["systemd", "systemd-sysv", "systemd-timesyncd", "systemd-resolved", "systemd-zram-generator"],
  ...["udev", "dbus", "kmod", "fake-hwclock", "tzdata"],
  // The card: partitions and checks of their file systems.
  ...["e2fsprogs", "dosfstools", "fdisk", "initramfs-tools"],
  // The network, by cable and without.
  ...["iproute2", "avahi-daemon", "avahi-utils", "openssh-server", "wpasupplicant", "wireless-regdb"],
  ...["firmware-brcm80211"],
  // Updates, also from a source that is reached by HTTPS.
  ...["unattended-upgrades", "ca-certificates"],
  // Backups that leave the house: an owner sets them up on the page, and has no shell to install it from.
  "rclone",
  // What flanco's package asks for, a Pi's firmware, and what usr/lib/flanco-card uses: it changes a tree, and draws QR codes.
  ...["libstdc++6", "raspi-firmware", "device-tree-compiler", "qrencode"],
];
const KERNEL: Readonly<Record<CardKind, readonly string[]>> = {
  rpi: ["linux-image-arm64"],
  rpi5: [`linux-image-arm64/${BACKPORTS}`],
};
/** apt takes from there what it was told to, and newer versions of that: the kernel and what it needs. */
const BACKPORTS_LIST = "etc/apt/sources.list.d/backports.list";
const BACKPORTS_SOURCE = `deb http://deb.debian.org/debian ${BACKPORTS} main`;

/** Documents and drivers that a gateway has no use for: left out here and at each upgrade. */
const LEFT_OUT = join(CARD_FILES, "etc", "dpkg", "dpkg.cfg.d", "60-flanco-card-left-out");

/** What the initramfs is made of beside Debian's packages. */
const INITRAMFS_FILES: readonly string[] = [
  "etc/initramfs-tools/conf.d/flanco-card",
  "etc/initramfs-tools/modules",
  // Which checks of file systems it takes along.
  "etc/fstab",
  "etc/e2fsck.conf",
];

/**
 * Gives a tree of Debian's packages for the card, with its initramfs, and no other file of ours in it. It is kept in
 * `directory`; without `reuse` an older one is replaced. Throws ScriptFailure.
 */
export function buildBase(kind: CardKind, directory: string, reuse: boolean): string {
  const packages = [...PACKAGES, ...KERNEL[kind]];
  const leftOut = readFileSync(LEFT_OUT, "utf8").split("\n");
  const options = leftOut.filter((line) => line.startsWith("path-"));
  const own = INITRAMFS_FILES.map((file) => readFileSync(join(CARD_FILES, file), "utf8"));
  const recipe = [SUITE, ...packages, ...options, ...own];
  const key = hash("sha256", recipe.join("\n")).slice(0, 16);
  const tree = join(directory, `base-${key}`);
  if (existsSync(tree)) {
    if (reuse) return tree;
    rmSync(tree, { recursive: true, force: true });
  }
  const work = join(directory, "base-unfinished");
  rmSync(work, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  runCommand(
    [
      "mmdebstrap",
      `--arch=${ARCHITECTURE}`,
      "--variant=minbase",
      "--components=main,non-free-firmware",
      "--format=directory",
      `--include=${packages.join(",")}`,
      ...(kind === "rpi" ? [] : [`--setup-hook=echo "${BACKPORTS_SOURCE}" >"$1/${BACKPORTS_LIST}"`]),
      ...options.map((option) => `--dpkgopt=${option}`),
      ...["--dpkgopt=force-confold", "--dpkgopt=force-unsafe-io"],
      SUITE,
      work,
    ],
    // The initramfs is made once, when all of it is there: emulated, each takes minutes.
    { environment: { INITRD: "No", DEBIAN_FRONTEND: "noninteractive" } },
  );
  makeInitramfs(work);
  runCommand(["mv", work, tree]);
  return tree;
}

function makeInitramfs(tree: string): void {
  for (const file of INITRAMFS_FILES) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    copyFileSync(join(CARD_FILES, file), join(tree, file));
  }
  const kernel = kernelOf(tree);
  withKernelFiles(tree, () => runInTree(tree, ["mkinitramfs", "-o", `/boot/initrd.img-${kernel}`, kernel]));
}

/** The release of the tree's kernel, as `uname -r` gives it. */
function kernelOf(tree: string): string {
  const kernels = readdirSync(join(tree, "boot")).filter((name) => name.startsWith("vmlinuz-"));
  const [kernel] = kernels;
  if (kernel === undefined || kernels.length > 1)
    throw new ScriptFailure(`${tree}/boot holds ${kernels.length} kernels.`);
  return kernel.slice("vmlinuz-".length);
}

/** The kernel's own file systems, each with where programs expect it. */
const MOUNTS = [
  ["proc", "proc"],
  ["sysfs", "sys"],
] as const;

/** Runs `work` while the tree has the kernel's own file systems, as its programs expect. */
export function withKernelFiles(tree: string, work: () => void): void {
  const mounted: string[] = [];
  try {
    for (const [type, path] of MOUNTS) {
      runCommand(["mount", "-t", type, type, join(tree, path)]);
      mounted.push(join(tree, path));
    }
    work();
  } finally {
    for (const path of mounted.reverse()) runCommand(["umount", path]);
  }
}

/** Runs a program of the tree, emulated where it is for another processor. Throws ScriptFailure unless it ends with 0. */
export function runInTree(
  tree: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): void {
  runCommand(["chroot", tree, ...command], {
    environment: {
      PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
      DEBIAN_FRONTEND: "noninteractive",
      TMPDIR: "/tmp",
      ...environment,
    },
  });
}
