import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { PACKAGES } from "../../scripts/debian.ts";
import { CHECKOUT } from "../rig/program.ts";

/** Scripts and tests that run on the building machine. What is inside a guest has the guest's own programs. */
const SOURCES = ["scripts/**/*.{ts,mjs}", "test/**/*.ts", "bench/*.ts"];
const INSIDE = /(^|\/)inside\//;
const START =
  /(?<![.\w])(?:runCommand|tryCommand|spawn|spawnSync|execFile|execFileSync)\(\s*\[?\s*"([\w.+/-]+)"/g;
/** On every Debian, or needed to have a checkout with its packages (README.md). */
const PRESENT =
  "apt-get bash chmod chroot cp dd dpkg-deb dpkg-query du find findmnt git id ldd lsblk mkfifo mv npm partx rm script sh sha256sum sync tar truncate unshare";
const PACKAGE_OF: Readonly<Record<string, string>> = {
  debugfs: "e2fsprogs",
  e2fsck: "e2fsprogs",
  e2label: "e2fsprogs",
  mke2fs: "e2fsprogs",
  mcopy: "mtools",
  mdir: "mtools",
  "mkfs.vfat": "dosfstools",
  sfdisk: "fdisk",
  losetup: "mount",
  mount: "mount",
  umount: "mount",
  "update-binfmts": "binfmt-support",
  "qemu-system-x86_64": "qemu-system-x86",
  "qemu-system-aarch64": "qemu-system-arm",
  ssh: "openssh-client",
  "ssh-keygen": "openssh-client",
  openssl: "openssl",
  gcc: "gcc",
  "g++": "g++",
  make: "make",
  xz: "xz-utils",
  strip: "binutils",
  mmdebstrap: "mmdebstrap",
  lintian: "lintian",
  gpg: "gpg",
  gpgconf: "gpgconf",
  "systemd-analyze": "systemd",
  certutil: "libnss3-tools",
  wrk: "wrk",
  pdftotext: "poppler-utils",
  promtool: "prometheus",
  pngquant: "pngquant",
  rclone: "rclone",
  soffice: "libreoffice-calc",
  "/usr/bin/python3": "python3-openpyxl",
  mosquitto: "mosquitto",
  mosquitto_passwd: "mosquitto",
  ip: "iproute2",
  etcd: "etcd-server",
};

describe("the programs that scripts and tests start", () => {
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: CHECKOUT })).filter(
    (file) => !INSIDE.test(file),
  );
  const started = new Set(
    files.flatMap((file) =>
      [...readFileSync(join(CHECKOUT, file), "utf8").matchAll(START)].map(([, program = ""]) => program),
    ),
  );

  it("are on every Debian, or of packages that scripts/debian.ts installs", () => {
    const installed = new Set<string>(Object.values(PACKAGES).flat());
    const others = [...started].filter((program) => !PRESENT.split(" ").includes(program));
    const missing = others.filter((program) => !installed.has(PACKAGE_OF[program] ?? ""));
    expect(others).to.include.members(["mcopy", "mmdebstrap"]);
    expect(missing).to.deep.equal([]);
  });
});
