import { runCommand, ScriptFailure, tryCommand } from "./command.ts";

/** The kernel of Debian 12 (bookworm), of which headers and source must have one version. */
export const KERNEL_HEADERS = "linux-headers-amd64";

const LIBRARY_COMPILER = ["gcc", "libc6-dev"];
const OTHER_COMPILER = process.arch === "arm64" ? "g++-x86-64-linux-gnu" : "g++-aarch64-linux-gnu";

/**
 * The Debian packages that each kind of work needs, beside those of `npm ci` (README.md) and the essential ones that every
 * Debian has. test/supply/programs.test.ts compares them with the programs that scripts and tests start.
 */
export const PACKAGES = {
  binary: ["binutils", "g++"],
  "binary for another processor": [OTHER_COMPILER, "qemu-user-static", "binfmt-support", "mount"],
  // mmdebstrap asks arch-test whether this machine can run the processor whose packages it unpacks.
  "Debian tree": ["mmdebstrap", "arch-test", "debian-archive-keyring"],
  "card image": ["mtools", "dosfstools", "fdisk", "e2fsprogs", "xz-utils", "mount"],
  "card in a machine": ["qemu-system-arm", "openssh-client", "mtools", "fdisk", "e2fsprogs"],
  guest: [KERNEL_HEADERS, "qemu-system-x86", "busybox-static", "libc-bin", "make", "xz-utils"],
  "ext4 image": ["e2fsprogs"],
  // The page is measured to the pixel: in the font that it names, and not in whichever a machine has.
  chromium: ["chromium", "fonts-liberation"],
  "chromium that trusts": ["libnss3-tools"],
  "printed page": ["poppler-utils"],
  "TLS scan": ["testssl.sh"],
  "package check": ["lintian"],
  "apt source": ["gpg", "gpg-agent", "gpgconf"],
  "library for preloading": LIBRARY_COMPILER,
  "small disk": ["mount"],
  load: ["wrk"],
  "addresses of a network": ["iproute2"],
  "network of two machines": ["iproute2", "dbus", "avahi-daemon", "avahi-utils"],
  "disk whose writes are counted": ["mount", "e2fsprogs"],
  "disk with partitions": ["fdisk", "mount", "e2fsprogs"],
  openssl: ["openssl"],
  "unit check": ["systemd"],
  "manual page and completions": ["groff", "fish", "zsh"],
  broker: ["mosquitto"],
  "remote place": ["rclone", "mount"],
  "alert rules": ["prometheus"],
  spreadsheet: ["libreoffice-calc", "python3-openpyxl"],
  icons: ["pngquant"],
  "company's database": ["postgresql"],
  "company's database of three nodes": ["postgresql", "patroni", "python3-etcd", "etcd-server"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Work = keyof typeof PACKAGES;

/**
 * Installs the Debian packages that are missing for a kind of work. Throws ScriptFailure, which names them, where this process
 * is not root or apt-get fails.
 */
export function installFor(work: Work): void {
  const missing = PACKAGES[work].filter((name) => installedVersion(name) === null);
  if (missing.length > 0) install(missing);
}

/** Installs packages, or upgrades them to the archive's version. Throws ScriptFailure. */
export function install(names: readonly string[]): void {
  if (process.getuid?.() !== 0) {
    throw new ScriptFailure(`More packages are needed: sudo apt-get install ${names.join(" ")}`);
  }
  // Two suites may run at the same time, and apt-get does not wait for the lock of its lists.
  const apt = ["flock", "/run/lock/flanco-debian", "apt-get", "-o", "DPkg::Lock::Timeout=600"];
  runCommand([...apt, "update"]);
  runCommand([...apt, "install", "--yes", "--no-install-recommends", "--allow-downgrades", ...names]);
}

/** The version of a package, or null where it is not installed. */
export function installedVersion(name: string): string | null {
  const query = tryCommand(["dpkg-query", "--show", `--showformat=\${db:Status-Status} \${Version}`, name]);
  const [status, version] = query.stdout.split(" ");
  return query.status === 0 && status === "installed" && version !== undefined ? version : null;
}

/** Compiles a C source to a library that a program can be started with (LD_PRELOAD). Throws ScriptFailure. */
export function compileLibrary(source: string, library: string, options: readonly string[] = []): void {
  installFor("library for preloading");
  const common = ["-O2", "-Wall", "-Werror", "-shared", "-fPIC"];
  runCommand(["gcc", ...common, ...options, "-o", library, source, "-ldl"]);
}
