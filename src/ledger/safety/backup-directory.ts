import { type Dirent, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
// Not all of zod: the threads that load this parse little else.
import * as z from "zod/mini";
import type { KeptHead, ProvenBackup } from "../../domain/backup.ts";
import { FlancoError, orNothing } from "../../domain/error.ts";
import { parseJson } from "../../domain/text.ts";
import { syncPath, writeDurably } from "../../platform/durable-file.ts";
import { beginningOf, folderOf, identitiesOf, LEDGER_ID } from "../engine/identity.ts";
import { SCHEMA_VERSION } from "../engine/schema.ts";
import { freeStamp, hashFile, removeDatabase } from "./file-copy.ts";
import { damageIn, LATER, segmentsIn, setLaterTailAside } from "./tail.ts";

const NAME = /^flanco-\d{8}T\d{6}Z\.db$/;
const PROOF_SUFFIX = ".json";
/** Proofs that are kept of removed backups: a year of daily ones. */
const KEPT_PROOFS = 400;

/** How many levels of folders are searched: a stick has its backups in a folder, or in a folder of that. */
const DEPTH = 2;
/** The most folders of one disk that are searched. */
const MAX_FOLDERS = 1_000;

const hex = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const proof = z.object({
  ledger: z.string().check(z.regex(LEDGER_ID)),
  locations: z.array(z.string()),
  number: z.int().check(z.gte(1)),
  file: z.string().check(z.regex(NAME)),
  madeMs: z.int(),
  clockTrusted: z.boolean(),
  provedMs: z.int(),
  schema: z.int().check(z.gte(1)),
  position: z.int().check(z.gte(0)),
  head: hex,
  commits: z.int().check(z.gte(0)),
  records: z.int().check(z.gte(0)),
  totalMicros: z.string().check(z.regex(/^-?\d+$/)),
  bytes: z.int().check(z.gte(1)),
  sha256: hex,
});

/** Whether a directory, which may not exist yet, lies on another device than the root file system. */
export function isMounted(directory: string): boolean {
  return deviceOf(directory) !== deviceOf("/");
}

/** The device that a directory lies on, or would lie on once it is made. */
export function deviceOf(directory: string): number {
  return existsSync(directory) ? statSync(directory).dev : deviceOf(dirname(directory));
}

/** What a directory of backups holds. */
export interface BackupSurvey {
  readonly mounted: boolean;
  /** The newest proven backup of the ledger. */
  readonly newest: ProvenBackup | null;
  /**
   * The newest backup of each other ledger: the disk may be
   * another gateway's, or this ledger may have been copied to it.
   */
  readonly foreign: readonly ProvenBackup[];
}

/** A directory of backups, and the ledger by its identities (`identitiesOf`). */
export interface BackupSurveyRequest {
  readonly directory: string;
  readonly ledgerIds: readonly string[];
  /** Whether this program has opened the ledger: then backups of a later schema are set aside. */
  readonly isOpened: boolean;
}

/** Looks at a directory of backups. Waits for its disk. */
export function surveyBackups({ directory, ledgerIds, isOpened }: BackupSurveyRequest): BackupSurvey {
  if (!isMounted(directory)) return { mounted: false, newest: null, foreign: [] };
  const folder = folderOf(directory, ledgerIds[0] ?? "");
  if (isOpened) setAsideLater(folder);
  const newest = listBackups(folder)[0] ?? null;
  return { mounted: true, newest, foreign: foreignBackups(directory, ledgerIds) };
}

/** The newest proven backup of each other ledger that has its folder there. */
export function foreignBackups(directory: string, ledgerIds: readonly string[]): readonly ProvenBackup[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => LEDGER_ID.test(name) && !ledgerIds.includes(name))
    .flatMap((name) => listBackups(folderOf(directory, name)).slice(0, 1));
}

/** Where a backup is made. It has no backup's name: what an interrupted run leaves is not taken for one. */
export function draftIn(folder: string): string {
  return join(folder, "backup.draft");
}

/** Removes the draft of an interrupted run. */
export function removeDrafts(folder: string): void {
  removeDatabase(draftIn(folder));
}

/** The proofs of a folder, also of backups that were removed. */
export function keptProofs(folder: string): readonly ProvenBackup[] {
  return proofNames(folder).flatMap((name) => parseProof(join(folder, name)) ?? []);
}

/**
 * The newest entry of each backup by the folder's proofs, in order of position; also of
 * backups that were removed. A ledger whose past was rewritten lacks one of these entries.
 */
export function keptHeads(folder: string): readonly KeptHead[] {
  return keptProofs(folder)
    .filter(({ position }) => position > 0)
    .toSorted((one, other) => one.position - other.position);
}

/**
 * The same for all folders of a ledger in these directories: its own folders, and those
 * of its identities on earlier gateways, up to the backup that it began from here.
 */
export function headsOf(ledger: string, directories: readonly string[]): readonly KeptHead[] {
  const [own = "", ...before] = identitiesOf(ledger);
  const begunWith = beginningOf(ledger)?.head;
  const headsIn = (id: string) => directories.flatMap((directory) => keptHeads(folderOf(directory, id)));
  const upToMove = (heads: readonly KeptHead[]) => {
    const last = heads.find(({ head }) => head === begunWith)?.position ?? 0;
    return heads.filter(({ position }) => position <= last);
  };
  return [...before.flatMap((id) => upToMove(headsIn(id))), ...headsIn(own)].toSorted(
    (one, other) => one.position - other.position,
  );
}

/**
 * Renames proven backups of a later schema than the ledger's, with their proofs, and
 * files of the tail of a later schema: the new names end with `.later`. Such copies are
 * from after an upgrade that was taken back, so they are not of this ledger's past.
 * Durable: if a name came back, the next upgrade would take its file for the ledger's.
 * @param schema the ledger's; this program's once it has opened the ledger
 * @param sync replaced in tests
 */
export function setAsideLater(folder: string, schema = SCHEMA_VERSION, sync = syncPath): void {
  let renamed = setLaterTailAside(folder, schema);
  for (const name of proofNames(folder)) {
    if ((parseProof(join(folder, name))?.schema ?? 0) <= schema) continue;
    for (const file of [join(folder, name.slice(0, -PROOF_SUFFIX.length)), join(folder, name)]) {
      if (!existsSync(file)) continue;
      renameSync(file, file + LATER);
      renamed += 1;
    }
  }
  if (renamed > 0) sync(folder);
}

/** Added to the name of a backup that is not what was proved any more. */
const DAMAGED = ".damaged";

/**
 * Holds the backups of a ledger against their proofs, and reads its tail: a sentence for each copy that is damaged. A
 * backup that is not the file that was proved is renamed, so that it is no newest backup; its proof stays.
 */
export function checkCopies(ledger: string, directories: readonly string[]): readonly string[] {
  const [id = ""] = identitiesOf(ledger);
  return directories.flatMap((directory) => {
    const folder = folderOf(directory, id);
    return [
      ...damageIn(segmentsIn(folder)),
      ...listBackups(folder).flatMap((backup) => checkBackup(folder, backup)),
    ];
  });
}

function checkBackup(folder: string, { file: name, sha256 }: ProvenBackup): readonly string[] {
  const file = join(folder, name);
  // A bad block fails the read.
  if (orNothing(() => hashFile(file)) === sha256 || !existsSync(file)) return [];
  const isAside = orNothing(() => renameSync(file, file + DAMAGED) === undefined) === true;
  const kept = isAside ? `it is set aside as ${name}${DAMAGED}` : "it cannot be set aside";
  return [`The backup ${file} is not the file that was proved: ${kept}.`];
}

/** Removes copies that were set aside. */
export function removeLater(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.endsWith(LATER) || name.endsWith(DAMAGED)) rmSync(join(folder, name), { force: true });
}

/** Removes the oldest proofs of backups that are gone. */
export function removeOldProofs(folder: string): void {
  const gone = proofNames(folder).filter(
    (name) => !existsSync(join(folder, name.slice(0, -PROOF_SUFFIX.length))),
  );
  for (const name of gone.toSorted().slice(0, -KEPT_PROOFS)) rmSync(join(folder, name), { force: true });
}

function proofNames(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter(
    (name) => name.endsWith(PROOF_SUFFIX) && NAME.test(name.slice(0, -PROOF_SUFFIX.length)),
  );
}

/**
 * The proven backups of a folder, newest first; none of a folder that is missing or cannot be read: it may be
 * on a failing disk, or another machine's user's, and must keep nothing else from its work.
 */
export function listBackups(folder: string): readonly ProvenBackup[] {
  return (orNothing(() => readdirSync(folder)) ?? [])
    .filter((name) => NAME.test(name))
    .flatMap((name) => orNothing(() => readProof(join(folder, name))) ?? [])
    .toSorted((one, other) => other.number - one.number);
}

/** A backup's proof; undefined without one, and for a file of another length than was proved. */
export function readProof(file: string): ProvenBackup | undefined {
  const parsed = parseProof(file + PROOF_SUFFIX);
  return parsed !== undefined && statSync(file, { throwIfNoEntry: false })?.size === parsed.bytes
    ? parsed
    : undefined;
}

/** Undefined where there is no proof, or it cannot be read. */
function parseProof(file: string): ProvenBackup | undefined {
  return parseJson(proof, orNothing(() => readFileSync(file, "utf8")) ?? "");
}

/** Writes the proof of a backup durably. Call it before the backup gets its name. */
export function writeProof(folder: string, backup: ProvenBackup): void {
  writeDurably(join(folder, backup.file + PROOF_SUFFIX), `${JSON.stringify(backup, null, 2)}\n`);
}

/** Removes a backup. Its proof stays. */
export function removeBackup(folder: string, backup: Pick<ProvenBackup, "file">): void {
  rmSync(join(folder, backup.file), { force: true });
}

/** A free name for the backup of this moment: `flanco-20261121T120000Z.db`. */
export function freeName(folder: string, madeMs: number): string {
  const nameAt = (stamp: string) => `flanco-${stamp}.db`;
  const isFree = (stamp: string) =>
    ["", PROOF_SUFFIX].every((suffix) => !existsSync(join(folder, nameAt(stamp) + suffix)));
  return nameAt(freeStamp(madeMs, isFree));
}

/** A proven backup, and where it lies. */
export interface FoundBackup extends ProvenBackup {
  readonly path: string;
  /** All folders of its ledger: the tail may lie in another one than the backup. */
  readonly folders: readonly string[];
}

/** Where block devices are mounted, without those of the root file system and of `directory`. On Linux alone. */
export function mountedDisks(directory: string, mounts = "/proc/self/mounts"): readonly string[] {
  if (!existsSync(mounts)) return [];
  const own = ["/", resolve(directory)].map(deviceOf);
  return readFileSync(mounts, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("/dev/"))
    .map((line) => unescaped(line.split(" ")[1] ?? ""))
    .filter((top) => {
      const stats = statSync(top, { throwIfNoEntry: false });
      return stats?.isDirectory() === true && !own.includes(stats.dev);
    });
}

/** The kernel writes a space in a name as `\040` (proc_pid_mounts(5)). */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

/**
 * The newest proven backup of each ledger in these directories,
 * each a ledger's folder or one with folders below it.
 */
export function findBackups(directories: readonly string[]): readonly FoundBackup[] {
  const all = [...new Set(directories.flatMap((directory) => ledgerFolders(directory)))];
  const found = all.flatMap((folder) => {
    const [newest] = listBackups(folder);
    const folders = all.filter((other) => basename(other) === basename(folder));
    return newest === undefined ? [] : [{ ...newest, path: join(folder, newest.file), folders }];
  });
  const byLedger = Map.groupBy(found, ({ ledger }) => ledger);
  // By commits, which only grow: the clock may have been wrong.
  return [...byLedger.values()].flatMap((backups) =>
    backups.toSorted((a, b) => b.commits - a.commits).slice(0, 1),
  );
}

/** The folders of ledgers in a directory and the levels below it, the nearer ones first. */
function ledgerFolders(top: string): readonly string[] {
  if (LEDGER_ID.test(basename(top))) return [top];
  const found: string[] = [];
  const searched = [{ path: resolve(top), depth: 0 }];
  // The list grows while it is walked.
  for (const { path, depth } of searched) {
    for (const { name } of foldersIn(path)) {
      const below = join(path, name);
      if (LEDGER_ID.test(name)) found.push(below);
      else if (depth < DEPTH && searched.length < MAX_FOLDERS)
        searched.push({ path: below, depth: depth + 1 });
    }
  }
  return found;
}

/** No folders where this user may not read. */
function foldersIn(folder: string): readonly Dirent[] {
  const found = orNothing(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return found.filter((entry) => entry.isDirectory());
}

/**
 * The backup to restore: the one of the ledger with these identities, the latest
 * identity first; where there is none, the only backup that was found. Throws
 * `not_found`, and `conflict` where backups of several ledgers were found.
 */
export function chooseBackup(found: readonly FoundBackup[], ids: readonly string[]): FoundBackup {
  const own = ids.flatMap((id) => found.filter(({ ledger }) => ledger === id))[0];
  if (own !== undefined) return own;
  const [only, ...others] = found;
  if (only === undefined) {
    throw new FlancoError("not_found", "No mounted disk holds a proven backup.", {
      hint: "Mount the disk (mount /dev/sda1 /mnt), then restore again, or name the backup's file.",
    });
  }
  if (others.length === 0) return only;
  throw new FlancoError(
    "conflict",
    `There are backups of several ledgers: ${found.map(described).join("; ")}.`,
    { hint: "Name the file of the one that is meant." },
  );
}

function described({ path, locations, records, madeMs }: FoundBackup): string {
  const places = locations.join(", ") || "no location";
  return `${path} (${places}, ${records} records, ${new Date(madeMs).toISOString().slice(0, 10)})`;
}
