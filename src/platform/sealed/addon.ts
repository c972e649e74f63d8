import { hash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { getEnvironmentData, setEnvironmentData, threadId } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { FlancoError, messageOf } from "../../domain/error.ts";
import { sealedBytes, sealedText } from "./assets.ts";

/** A native addon as the sealed program contains it. */
export interface Addon {
  /** Its file's name without the ending. */
  readonly name: string;
  /** SHA-256 of its file, in hexadecimal digits. */
  readonly sha256: string;
  readonly content: () => Uint8Array;
}

/** The user that the program runs as. */
export interface AddonUser {
  readonly uid: number;
  /** CACHE_DIRECTORY of systemd, XDG_CACHE_HOME, HOME. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Environment data of threads: the addons' files that the main thread has checked, by the addon's name. */
const CHECKED = "flanco.addons";
const ENDING = ".node";
/**
 * Digits of the hash in a file's name: enough to tell
 * versions apart. The whole hash of the content is compared.
 */
const NAME_DIGITS = 16;
const OWNER_ONLY = 0o700;
const ALL_MAY_READ = 0o755;
const OTHERS_MAY_WRITE = 0o022;
const STICKY = 0o1000;
/**
 * The unit's CacheDirectory=: a command that runs as the
 * service's user finds there what the service has unpacked.
 */
const SERVICE_CACHE = "/var/cache/flanco";
/** Memory before disks. Some may be mounted noexec; the last ones are always on a disk. */
const SHARED_DIRECTORIES = ["/run", "/dev/shm", "/var/tmp", "/tmp"];

/**
 * Loads a native addon of the sealed program. scripts/bundle.ts replaces each package's
 * own loader by this function. The addon is unpacked into the first directory that is
 * safe and from which the kernel runs code. Throws `unavailable` where there is none.
 */
export function loadAddon(name: string): unknown {
  const checked = (getEnvironmentData(CHECKED) ?? {}) as Readonly<Record<string, string>>;
  const known = checked[name];
  if (known !== undefined) return open(known);
  const uid = process.geteuid?.() ?? 0;
  const addon: Addon = {
    name,
    sha256: sealedText(`addon/${name}.sha256`),
    content: () => gunzipSync(sealedBytes(`addon/${name}.node.gz`)),
  };
  const reasons = new Set<string>();
  for (const directory of addonDirectories({ uid, environment: process.env })) {
    try {
      const file = placeAddon(directory, addon, uid);
      const exports = open(file);
      setEnvironmentData(CHECKED, { ...checked, [name]: file });
      return exports;
    } catch (error) {
      // A file system that is read-only or noexec, a missing
      // directory, or another user's files: try the next one.
      reasons.add(messageOf(error));
    }
  }
  throw new FlancoError(
    "unavailable",
    `The native part ${name} cannot be loaded: ${[...reasons].join("; ")}.`,
    {
      hint: "Set XDG_CACHE_HOME to a directory of this user on a file system that programs may run from (not noexec).",
    },
  );
}

function open(file: string): unknown {
  const module = { exports: {} };
  process.dlopen(module, file);
  return module.exports;
}

/**
 * Directories for addons, best first: the kernel runs native code only from files. For root none is in a
 * home directory or belongs to another user, because a service that continues as another user must be able
 * to read them. The shared directories come last, because any user can create a directory there first.
 */
export function addonDirectories({ uid, environment }: AddonUser): readonly string[] {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME, HOME } = environment;
  const cache = CACHE_DIRECTORY?.split(":")[0];
  const own = uid === 0 ? [] : [XDG_CACHE_HOME || undefined, HOME ? join(HOME, ".cache") : undefined];
  const directories = [
    ...(cache ? [join(cache, "addons")] : []),
    ...own.flatMap((directory) => (directory?.startsWith("/") ? [join(directory, "flanco", "addons")] : [])),
    ...(uid === 0 ? [] : [join(SERVICE_CACHE, "addons")]),
    ...SHARED_DIRECTORIES.map((directory) => join(directory, `flanco-${uid}`)),
  ];
  return [...new Set(directories)];
}

/**
 * Returns the addon's file in a directory, and writes it first where it is missing
 * or wrong. An existing file is used only if it belongs to this user, others may
 * not write to it, and its SHA-256 is right. Throws where that cannot be achieved.
 */
export function placeAddon(directory: string, addon: Addon, uid: number): string {
  takeDirectory(directory, uid);
  const file = join(directory, `${addon.name}-${addon.sha256.slice(0, NAME_DIGITS)}${ENDING}`);
  if (holds(file, addon, uid)) return file;
  const draft = join(directory, `.${addon.name}.${process.pid}-${threadId}`);
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, addon.content(), { flag: "wx", mode: OWNER_ONLY });
    // The mode of writeFileSync is subject to the umask.
    chmodSync(draft, modeOf(uid));
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  removeOlder(directory, addon, file);
  if (!holds(file, addon, uid)) throw new Error(`${file} is not what was written to it`);
  return file;
}

function takeDirectory(directory: string, uid: number): void {
  if (mkdirSync(directory, { recursive: true, mode: OWNER_ONLY }) !== undefined) {
    chmodSync(directory, modeOf(uid));
  }
  const status = lstatSync(directory);
  if (!status.isDirectory()) throw new Error(`${directory} is no directory`);
  if (status.uid !== uid) throw new Error(`${directory} is another user's`);
  if ((status.mode & OTHERS_MAY_WRITE) !== 0) throw new Error(`others may write to ${directory}`);
  // A user that may rename the directory could replace it.
  const above = dirname(directory);
  const { mode } = statSync(above);
  if ((mode & OTHERS_MAY_WRITE) !== 0 && (mode & STICKY) === 0)
    throw new Error(`others may write to ${above}`);
}

/** The user that the service continues as must be able to read what root unpacks. */
function modeOf(uid: number): number {
  return uid === 0 ? ALL_MAY_READ : OWNER_ONLY;
}

function holds(file: string, { sha256 }: Addon, uid: number): boolean {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // Missing, a symbolic link, or not readable: the caller replaces it.
    return false;
  }
  try {
    const status = fstatSync(fd);
    if (!status.isFile() || status.uid !== uid || (status.mode & OTHERS_MAY_WRITE) !== 0) return false;
    return hash("sha256", readFileSync(fd)) === sha256;
  } finally {
    closeSync(fd);
  }
}

/** Removes the addon's other versions. A process that has loaded one keeps it. */
function removeOlder(directory: string, { name }: Addon, file: string): void {
  for (const other of readdirSync(directory)) {
    const path = join(directory, other);
    if (path !== file && other.startsWith(`${name}-`) && other.endsWith(ENDING))
      rmSync(path, { force: true });
  }
}
