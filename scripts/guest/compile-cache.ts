import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { CpioArchive } from "./cpio.ts";
import { GuestFailure } from "./failure.ts";
import type { Guest } from "./machine.ts";
import { runProgram } from "./program.ts";

const BUSYBOX = "/bin/busybox";
/** As init.sh names it. */
const CACHE = "/var/cache/node";
const CHECKOUT = "/opt/flanco";
const READY = "flanco is ready.";
/** Ports that no installed program is likely to have: the network is this machine's own. */
const PORTS = { FLANCO_HTTP_PORT: "47981", FLANCO_HTTPS_PORT: "47982" };
const LIMIT_MS = 60_000;
/** What the program reads of a running kernel, as far as it cannot start without it. */
const KERNEL_FILES = { "/proc/sys/kernel/random/boot_id": "00000000-0000-4000-8000-000000000000\n" };

/**
 * Gives the guest what Node keeps of sources it has compiled. Emulated, compiling takes most of a program's start, and a
 * guest forgets it when it ends; so the program is started once on this machine, in a file system of the guest's
 * own paths, by which Node knows its sources. `scripts` are loaded too: each must end at once when it is given no
 * arguments. Where this user may not change the root directory the guest stays as it is, and is only slower.
 * Throws GuestFailure when the program does not start.
 */
export async function withCompileCache(guest: Guest, scripts: readonly string[]): Promise<Guest> {
  if (process.getuid?.() !== 0) return guest;
  const root = mkdtempSync(join(guest.directory, "root-"));
  const file = `${root}.cpio`;
  try {
    for (const archive of guest.archives) runProgram(BUSYBOX, ["cpio", "-idu", "-F", archive], root);
    for (const [path, text] of Object.entries(KERNEL_FILES)) {
      mkdirSync(join(root, posix.dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    for (const name of ["dev", "tmp"]) mkdirSync(join(root, name));
    await runInside(root, ["bin/flanco.mjs", "serve"], READY);
    for (const script of scripts) await runInside(root, [script], null);
    const archive = new CpioArchive(file);
    addFiles(archive, root, CACHE);
    archive.close();
    return { ...guest, archives: [...guest.archives, file] };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Runs Node in another root until it ends, or until it has said `word` and was told to stop. */
async function runInside(root: string, options: readonly string[], word: string | null): Promise<void> {
  const child = spawn(
    "/usr/sbin/chroot",
    [root, "/bin/busybox", "sh", "-c", `cd ${CHECKOUT} && exec node ${options.join(" ")}`],
    {
      env: {
        PATH: "/usr/bin",
        HOME: "/root",
        TZ: "UTC",
        NODE_COMPILE_CACHE: CACHE,
        FLANCO_DATA_DIR: "/tmp/data",
        FLANCO_GPIO_DRIVER: "chardev",
        FLANCO_DEMO: "false",
        FLANCO_HOST: "127.0.0.1",
        ...PORTS,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let said = "";
  const hear = (chunk: Buffer) => {
    const before = word !== null && said.includes(word);
    said += chunk.toString();
    // Once: a second signal would end it before Node has written what it keeps.
    if (word !== null && !before && said.includes(word)) child.kill("SIGTERM");
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  await once(child, "close");
  clearTimeout(timer);
  if (word !== null && !said.includes(word)) {
    throw new GuestFailure(
      `${options.join(" ")} did not say "${word}" within ${LIMIT_MS / 1000} s:\n${said}`,
    );
  }
}

function addFiles(archive: CpioArchive, root: string, path: string): void {
  for (const name of readdirSync(join(root, path))) {
    const entry = `${path}/${name}`;
    const status = lstatSync(join(root, entry));
    if (status.isDirectory()) addFiles(archive, root, entry);
    else archive.copy(entry, join(root, entry), status.mode);
  }
}
