import { chmodSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { LEAST_KEPT, outdatedBackups, type ProvenBackup } from "../../domain/backup.ts";
import { FlancoError } from "../../domain/error.ts";
import { makeDirectory, OWNER_ONLY, syncPath } from "../../platform/durable-file.ts";
import { type Tally, tallyOf } from "../engine/chain.ts";
import { LedgerConnection } from "../engine/connection.ts";
import { folderOf, readLedger, readLedgerId } from "../engine/identity.ts";
import { takeLock } from "../engine/lock.ts";
import { openForReading } from "../engine/open.ts";
import { SCHEMA_VERSION } from "../engine/schema.ts";
import { locationsOf } from "../nouns/location.ts";
import {
  draftIn,
  freeName,
  keptHeads,
  listBackups,
  removeBackup,
  removeDrafts,
  removeLater,
  removeOldProofs,
  writeProof,
} from "./backup-directory.ts";
import { freeBytesOf, hashFile, requireRoom } from "./file-copy.ts";
import type { Finding } from "./finding.ts";
import { type WholeGatewayFile, writeGatewayFile } from "./gateway-file.ts";
import { faultsOf, openFindings, verifyLedger } from "./verify.ts";

/** Pages that are copied at a time. */
const PAGES_AT_ONCE = 4_000;
/** Disk space that must be free beside the backup's own, for writes meanwhile. */
const SPARE_BYTES = 32 * 1024 * 1024;

/** What the ledger held at the moment of its backup. */
type LedgerContent = Tally & Pick<ProvenBackup, "ledger" | "locations">;

export interface BackupRequest {
  readonly ledger: string;
  /** The directory of backups; the ledger has a folder of its own in it. */
  readonly directory: string;
  /** Wall time in Unix milliseconds, and whether it is trusted. */
  readonly nowMs: number;
  readonly clockTrusted: boolean;
  /** Whether outdated backups are removed, and older ones where there is no room for another one. */
  readonly rotate: boolean;
  /**
   * The gateway file that is kept beside the backups, so that the
   * whole clinic can be restored. Undefined: none is written.
   */
  readonly gateway?: WholeGatewayFile | undefined;
}

export interface MadeBackup extends ProvenBackup {
  /** What a person must see to in the ledger. */
  readonly findings: readonly Finding[];
  /** Whether the gateway's keys are missing beside it, because the disk's file system has no owners. */
  readonly keysLeftOut: boolean;
  /**
   * The commits of the last but one proved backup beside it, 0 where there is none: the tail
   * must reach back to there, because the newest backup may rot unnoticed.
   */
  readonly tailFrom: number;
}

/**
 * Makes a backup of a ledger that may be written to meanwhile, and proves it: the copy gets
 * a backup's name once it was checked in full and holds what the ledger held at that moment.
 * Throws `damaged` when the copy is wrong (most often the ledger is too), `conflict` while
 * another backup to the same directory is under way, `unavailable` when there is no room.
 */
export async function makeBackup(request: BackupRequest, freeBytes = freeBytesOf): Promise<MadeBackup> {
  const { directory, rotate, gateway } = request;
  const folder = folderOf(directory, readLedger(request.ledger, readLedgerId));
  const release = claim(folder);
  try {
    removeDrafts(folder);
    const neededBytes = statSync(request.ledger).size + SPARE_BYTES;
    if (rotate) thinOut(folder, neededBytes, freeBytes);
    requireRoom(folder, neededBytes, "make a backup", freeBytes(folder));
    const held = await snapshot(request.ledger, draftIn(folder));
    const { backup, findings } = prove(request, folder, held);
    const keysLeftOut = gateway !== undefined && !writeGatewayFile(folder, gateway);
    writeProof(folder, backup);
    renameSync(draftIn(folder), join(folder, backup.file));
    syncPath(folder);
    syncPath(directory);
    if (rotate) {
      thinOut(folder, neededBytes, freeBytes);
      removeOldProofs(folder);
    }
    const tailFrom = listBackups(folder)[1]?.commits ?? 0;
    return { ...backup, findings, keysLeftOut, tailFrom };
  } finally {
    removeDrafts(folder);
    release();
  }
}

/**
 * Removes outdated backups. While there is no room for another
 * one, also removes copies that were set aside, then the oldest.
 */
function thinOut(folder: string, neededBytes: number, freeBytes: typeof freeBytesOf): void {
  for (const outdated of outdatedBackups(listBackups(folder))) removeBackup(folder, outdated);
  if (freeBytes(folder) < neededBytes) removeLater(folder);
  for (const oldest of listBackups(folder).slice(LEAST_KEPT).toReversed()) {
    if (freeBytes(folder) >= neededBytes) return;
    removeBackup(folder, oldest);
  }
}

function claim(folder: string): () => void {
  try {
    makeDirectory(folder);
    return takeLock(join(folder, "backup.lock"));
  } catch (error) {
    if (error instanceof FlancoError && error.code === "conflict") {
      throw new FlancoError("conflict", `Another backup to ${folder} is under way.`, {
        hint: "Wait for its end.",
      });
    }
    throw new FlancoError("unavailable", `No backup can be written to ${folder}.`, {
      hint: "Check that the disk is mounted and that flanco's user may write there.",
      cause: error,
    });
  }
}

/** Copies the ledger as it is at one moment, and gives what it held then. */
async function snapshot(ledger: string, draft: string): Promise<LedgerContent> {
  using db = openForReading(ledger);
  // Held until the end: without it, SQLite would begin the copy again at each commit.
  db.exec("BEGIN");
  const held = { ...tallyOf(db), ledger: readLedgerId(db), locations: locationsOf(db) };
  await db.backup(draft, { progress: () => PAGES_AT_ONCE });
  return held;
}

/** Checks the draft in full, compares it with what the ledger held, and holds it against the backups before. */
function prove(request: BackupRequest, folder: string, held: LedgerContent) {
  const { nowMs, clockTrusted } = request;
  const { ledger: id, locations, ...tally } = held;
  const draft = draftIn(folder);
  makeSingleFile(draft);
  const verification = verifyLedger(draft, () => {}, keptHeads(folder));
  const faults = [...faultsOf(verification), ...differencesFrom(draft, tally)];
  if (faults.length > 0) {
    const message = `The backup does not hold what the ledger should: ${faults.join("; ")}.`;
    throw new FlancoError("damaged", message, {
      hint: "Earlier backups were kept. Run flanco verify: the ledger itself is likely to be damaged.",
    });
  }
  const backup: ProvenBackup = {
    ledger: id,
    locations,
    madeMs: nowMs,
    clockTrusted,
    provedMs: nowMs,
    schema: SCHEMA_VERSION,
    number: (listBackups(folder)[0]?.number ?? 0) + 1,
    file: freeName(folder, nowMs),
    ...tally,
    bytes: statSync(draft).size,
    sha256: hashFile(draft),
  };
  return { backup, findings: openFindings(verification) };
}

/** Leaves no log beside a backup, so that a copy of the one file is whole. */
function makeSingleFile(file: string): void {
  using db = new LedgerConnection(file, { fileMustExist: true });
  db.pragma("journal_mode = DELETE");
  chmodSync(file, OWNER_ONLY);
  syncPath(file);
}

function differencesFrom(file: string, tally: Tally): string[] {
  const held = readLedger(file, tallyOf);
  return (Object.keys(tally) as (keyof Tally)[])
    .filter((name) => held[name] !== tally[name])
    .map((name) => `${name} is ${held[name]}, and was ${tally[name]} in the ledger`);
}
