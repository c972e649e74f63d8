import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { GuestFailure } from "./failure.ts";
import { runProgram, tryProgram } from "./program.ts";

/** The kernel series of Debian 12 (bookworm). The simulator's source is adapted to it. */
const SERIES = "6.1";
const HEADERS = "linux-headers-amd64";
const SOURCE = `linux-source-${SERIES}`;
const REQUIRED = [HEADERS, SOURCE, "qemu-system-x86", "busybox-static", "make", "xz-utils"];

/** A Debian kernel of which headers, source and image have one version. */
export interface KernelPackages {
  /** As `uname -r` gives it: `6.1.0-56-amd64`. */
  readonly release: string;
  /** The packages' version: `6.1.192-2`. */
  readonly version: string;
  /** The archive that holds the kernel's source. */
  readonly sourceArchive: string;
  /** The archive's one top folder. */
  readonly sourceFolder: string;
}

/**
 * Installs what the guest is built from, as far as it is missing, and names the kernel. Throws
 * GuestFailure when this is not bookworm on x86-64, or when packages are missing and cannot be installed.
 */
export function installPackages(): KernelPackages {
  if (process.arch !== "x64") {
    throw new GuestFailure("The guest machine is built on x86-64 only.");
  }
  const missing = REQUIRED.filter((name) => installedVersion(name) === null);
  if (missing.length > 0) install(missing);
  const kernel = installedKernel();
  if (kernel !== null) return kernel;
  return upgradeKernelPackages();
}

/** Installs further packages, as far as they are missing. Throws GuestFailure as `installPackages` does. */
export function installMissing(names: readonly string[]): void {
  const missing = names.filter((name) => installedVersion(name) === null);
  if (missing.length > 0) install(missing);
}

/** Brings headers and source to the archive's version, when the installed ones differ or have left it. */
export function upgradeKernelPackages(): KernelPackages {
  install([HEADERS, SOURCE]);
  const kernel = installedKernel();
  if (kernel !== null) return kernel;
  throw new GuestFailure(
    `The kernel's headers (${headersRelease()}) and ${SOURCE} (${installedVersion(SOURCE)}) differ in version. ` +
      "Run apt-get update and apt-get dist-upgrade, then try again.",
  );
}

/**
 * Downloads the image package that belongs to the headers into `directory` and gives its path, or null
 * when the archive has it no longer.
 */
export function downloadImage(kernel: KernelPackages, directory: string): string | null {
  mkdirSync(directory, { recursive: true });
  const name = `linux-image-${kernel.release}`;
  const download = tryProgram("apt-get", ["download", `${name}=${kernel.version}`], directory);
  if (download.status !== 0) return null;
  const file = readdirSync(directory).find((entry) => entry.startsWith(name) && entry.endsWith(".deb"));
  return file === undefined ? null : join(directory, file);
}

function install(names: readonly string[]): void {
  if (process.getuid?.() !== 0) {
    throw new GuestFailure(
      `The guest machine needs these packages; install them as root: ${names.join(" ")}`,
    );
  }
  runProgram("apt-get", ["update"]);
  runProgram("apt-get", ["install", "--yes", "--no-install-recommends", ...names]);
}

function installedVersion(name: string): string | null {
  const query = tryProgram("dpkg-query", ["--show", `--showformat=\${db:Status-Status} \${Version}`, name]);
  const [status, version] = query.stdout.split(" ");
  return query.status === 0 && status === "installed" && version !== undefined ? version : null;
}

function headersRelease(): string | null {
  const query = tryProgram("dpkg-query", ["--show", `--showformat=\${Depends}`, HEADERS]);
  return /linux-headers-(\S+)/.exec(query.stdout)?.[1] ?? null;
}

function installedKernel(): KernelPackages | null {
  const release = headersRelease();
  if (release === null) return null;
  const version = installedVersion(`linux-headers-${release}`);
  if (version === null || version !== installedVersion(SOURCE)) return null;
  return { release, version, sourceArchive: `/usr/src/${SOURCE}.tar.xz`, sourceFolder: SOURCE };
}
