import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand, ScriptFailure, tryCommand } from "../command.ts";
import { install, installedVersion, installFor, KERNEL_HEADERS } from "../debian.ts";
import { patched } from "../patch.ts";
import { SIMULATOR, SIMULATOR_PATCHES } from "./gpio-sim.ts";

const KERNEL_SOURCE = "linux-source-6.1";

/** To be raised when what this file builds changes: an older result is not used then. */
const RECIPE = 4;

/** Modules of Debian's image, in the order in which they can be loaded. */
const IMAGE_MODULES = [
  "drivers/virtio/virtio_ring",
  "drivers/virtio/virtio",
  "drivers/virtio/virtio_pci_modern_dev",
  "drivers/virtio/virtio_pci_legacy_dev",
  "drivers/virtio/virtio_pci",
  "drivers/char/virtio_console",
  "fs/configfs/configfs",
];
/** What a disk with ext4 needs. Debian's ext4 takes its checksums from whichever crc32c is there. */
const DISK_MODULES = [
  "drivers/block/virtio_blk",
  "crypto/crc32c_generic",
  "lib/crc16",
  "fs/mbcache",
  "fs/jbd2/jbd2",
  "fs/ext4/ext4",
];
/** The simulator and what it stands on: built here, since Debian's kernel leaves them out. */
const BUILT_MODULES = ["irq_sim", "gpio-sim"];
const SIMULATOR_SOURCES = ["drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c"];
const XZ_MAGIC = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]);

/** A Debian kernel of which headers, source and image have one version. */
interface KernelPackages {
  /** As `uname -r` gives it: `6.1.0-56-amd64`. */
  readonly release: string;
  /** The packages' version: `6.1.192-2`. */
  readonly version: string;
}

/** A kernel to boot and the modules to load into it. */
export interface GuestKernel {
  /** Names kernel and recipe: equal keys are equal files. */
  readonly key: string;
  /** The unpacked image (an ELF file), which QEMU starts without a boot loader. */
  readonly image: string;
  /** Module files of this machine, in loading order. */
  readonly modules: readonly string[];
  /** Further ones for a guest that has a disk, in loading order. */
  readonly diskModules: readonly string[];
}

/**
 * Makes the guest's kernel in `directory`, once for each version of Debian's packages, and installs what it is built from. Image,
 * headers and source have the same version, so the modules fit. Throws ScriptFailure where this is not bookworm on x86-64, or
 * where packages cannot be installed.
 */
export function buildKernel(directory: string): GuestKernel {
  if (process.arch !== "x64") throw new ScriptFailure("The guest machine is built on x86-64 only.");
  installFor("guest");
  let packages = installedKernel();
  if (packages === null || !existsSync(kernelFolder(directory, packages))) {
    // The archive has the image of its newest headers alone. Its source may already be newer than these: it is built apart.
    install([KERNEL_HEADERS]);
    install([`${KERNEL_SOURCE}=${installedVersion(`linux-headers-${headersRelease()}`)}`]);
    packages = requireKernel();
  }
  const folder = kernelFolder(directory, packages);
  if (!existsSync(folder)) {
    const work = join(directory, `kernel-work-${process.pid}`);
    rmSync(work, { recursive: true, force: true });
    const result = join(work, "result");
    mkdirSync(result, { recursive: true });
    takeFromImage(packages, downloadImage(packages, work), work, result);
    buildSimulator(packages, work, result);
    // Another run may have finished the same folder meanwhile; what it holds is the same.
    if (!existsSync(folder)) renameSync(result, folder);
    rmSync(work, { recursive: true, force: true });
  }
  const modules = [...IMAGE_MODULES.map(moduleName), ...BUILT_MODULES];
  return {
    key: kernelKey(packages),
    image: join(folder, "vmlinux"),
    modules: modules.map((name) => join(folder, `${name}.ko`)),
    diskModules: DISK_MODULES.map((path) => join(folder, `${moduleName(path)}.ko`)),
  };
}

function kernelKey(packages: KernelPackages): string {
  return `${packages.release}-${packages.version}-${RECIPE}`;
}

function kernelFolder(directory: string, packages: KernelPackages): string {
  return join(directory, `kernel-${kernelKey(packages)}`);
}

function moduleName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function takeFromImage(packages: KernelPackages, image: string, work: string, result: string): void {
  const tree = join(work, "image");
  runCommand(["dpkg-deb", "--extract", image, tree]);
  unpackKernel(join(tree, "boot", `vmlinuz-${packages.release}`), work, join(result, "vmlinux"));
  const modules = join(tree, "lib", "modules", packages.release, "kernel");
  for (const path of [...IMAGE_MODULES, ...DISK_MODULES]) {
    renameSync(join(modules, `${path}.ko`), join(result, `${moduleName(path)}.ko`));
  }
}

/**
 * Takes the kernel proper out of its self-unpacking image: emulated, the unpacking alone takes seconds. Debian
 * packs it with xz, and whatever follows the packed stream is the unpacker's own.
 */
function unpackKernel(image: string, work: string, file: string): void {
  const bytes = readFileSync(image);
  const start = bytes.indexOf(XZ_MAGIC);
  if (start < 0) throw new ScriptFailure("The kernel's image is not packed with xz.");
  const packed = join(work, "vmlinux");
  writeFileSync(`${packed}.xz`, bytes.subarray(start));
  runCommand(["xz", "--decompress", "--single-stream", `${packed}.xz`]);
  renameSync(packed, file);
}

function buildSimulator(packages: KernelPackages, work: string, result: string): void {
  const build = join(work, "simulator");
  mkdirSync(build);
  const members = SIMULATOR_SOURCES.map((path) => `${KERNEL_SOURCE}/${path}`);
  // With --occurrence tar stops at the last wanted file instead of unpacking the rest of a large archive.
  runCommand([
    "tar",
    "--extract",
    `--file=/usr/src/${KERNEL_SOURCE}.tar.xz`,
    `--directory=${build}`,
    "--occurrence=1",
    "--transform=s,.*/,,",
    ...members,
  ]);
  adaptIrqSimulator(join(build, "irq_sim.c"));
  const simulator = join(build, SIMULATOR);
  writeFileSync(simulator, patched(SIMULATOR, readFileSync(simulator, "utf8"), SIMULATOR_PATCHES));
  writeFileSync(join(build, "Makefile"), "obj-m := gpio-sim.o irq_sim.o\n");
  runCommand(["make", "-C", `/lib/modules/${packages.release}/build`, `M=${build}`, "modules"]);
  for (const name of BUILT_MODULES) renameSync(join(build, `${name}.ko`), join(result, `${name}.ko`));
}

/** irq_sim.c is written to be part of the kernel: as a module it needs a licence and may not call irq_to_desc. */
function adaptIrqSimulator(file: string): void {
  const internalCall = "handle_simple_irq(irq_to_desc(irqnum))";
  const source = readFileSync(file, "utf8");
  if (!source.includes(internalCall)) {
    throw new ScriptFailure("The kernel's irq_sim.c is not the one that this recipe knows.");
  }
  const adapted = source.replace(internalCall, "generic_handle_irq_safe(irqnum)");
  writeFileSync(file, `#include <linux/module.h>\n${adapted}\nMODULE_LICENSE("GPL");\n`);
}

/** Downloads the image package that belongs to the headers into `directory`, and gives its path. */
function downloadImage({ release, version }: KernelPackages, directory: string): string {
  const name = `linux-image-${release}`;
  runCommand(["apt-get", "download", `${name}=${version}`], { directory });
  const file = readdirSync(directory).find((entry) => entry.startsWith(name) && entry.endsWith(".deb"));
  if (file === undefined) throw new ScriptFailure(`apt-get download left no ${name}.`);
  return join(directory, file);
}

function requireKernel(): KernelPackages {
  const kernel = installedKernel();
  if (kernel !== null) return kernel;
  throw new ScriptFailure(
    `The kernel's headers (${headersRelease()}) and ${KERNEL_SOURCE} (${installedVersion(KERNEL_SOURCE)}) differ in version. ` +
      "Run apt-get update and apt-get dist-upgrade, then try again.",
  );
}

/** The release of the installed headers. */
function headersRelease(): string | null {
  const query = tryCommand(["dpkg-query", "--show", `--showformat=\${Depends}`, KERNEL_HEADERS]);
  return /linux-headers-(\S+)/.exec(query.stdout)?.[1] ?? null;
}

/** Null where headers or source are missing, or their versions differ. */
function installedKernel(): KernelPackages | null {
  const release = headersRelease();
  if (release === null) return null;
  const version = installedVersion(`linux-headers-${release}`);
  if (version === null || version !== installedVersion(KERNEL_SOURCE)) return null;
  return { release, version };
}
