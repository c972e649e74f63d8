import { createHash } from "node:crypto";
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

/** A native addon as the sealed program carries it. */
export interface Addon {
  /** Its file's name without the ending. */
  readonly name: string;
  /** SHA-256 of its file, in hexadecimal digits. */
  readonly sha256: string;
  readonly content: () => Uint8Array;
}

/** Who runs the program, and where it may keep files. */
export interface AddonUser {
  readonly uid: number;
  /** CACHE_DIRECTORY of systemd, XDG_CACHE_HOME, HOME. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const ENDING = ".node";
/** Digits of the hash in a file's name: enough to tell versions apart; what a file holds is checked whole. */
const NAME_DIGITS = 16;
const OWNER_ONLY = 0o700;
const ALL_MAY_READ = 0o755;
const OTHERS_MAY_WRITE = 0o022;
const STICKY = 0o1000;
/** The unit's CacheDirectory=, where the service's own user finds what it has unpacked when a command goes on as that. */
const SERVICE_CACHE = "/var/cache/flanco";
/** Never on a disk where it can be helped; not all of them allow to run what lies there, and the last one is always a disk. */
const SHARED_DIRECTORIES = ["/run", "/dev/shm", "/var/tmp", "/tmp"];

/**
 * Where addons may lie, best first: the kernel runs native code from files alone. Root's never lie in a home, nor in
 * what is another user's: a service that goes on as another user must be able to read them. The last ones are
 * anybody's to make first, so they come after what only this user can have.
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
 * Gives the addon's file in a directory, and writes it where it is missing or not what it should be. What is there
 * is believed only when it is this user's, nobody else may write to it, and its SHA-256 is right. Throws where
 * that cannot be had.
 */
export function placeAddon(directory: string, addon: Addon, uid: number): string {
  takeDirectory(directory, uid);
  const file = join(directory, `${addon.name}-${addon.sha256.slice(0, NAME_DIGITS)}${ENDING}`);
  if (holds(file, addon, uid)) return file;
  const draft = join(directory, `.${addon.name}.${process.pid}`);
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, addon.content(), { flag: "wx", mode: OWNER_ONLY });
    // Whatever the umask is.
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
  // Whoever may rename it could put another in its place.
  const above = dirname(directory);
  const { mode } = statSync(above);
  if ((mode & OTHERS_MAY_WRITE) !== 0 && (mode & STICKY) === 0)
    throw new Error(`others may write to ${above}`);
}

/** What root unpacks must be readable to the user that the service goes on as. */
function modeOf(uid: number): number {
  return uid === 0 ? ALL_MAY_READ : OWNER_ONLY;
}

function holds(file: string, { sha256 }: Addon, uid: number): boolean {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // Missing, a link, or not readable: it is written anew.
    return false;
  }
  try {
    const status = fstatSync(fd);
    if (!status.isFile() || status.uid !== uid || (status.mode & OTHERS_MAY_WRITE) !== 0) return false;
    return createHash("sha256").update(readFileSync(fd)).digest("hex") === sha256;
  } finally {
    closeSync(fd);
  }
}

/** Those of other versions; a process that has loaded one keeps it. */
function removeOlder(directory: string, { name }: Addon, file: string): void {
  for (const other of readdirSync(directory)) {
    const path = join(directory, other);
    if (path !== file && other.startsWith(`${name}-`) && other.endsWith(ENDING))
      rmSync(path, { force: true });
  }
}
