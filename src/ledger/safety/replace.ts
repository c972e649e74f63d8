import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncPath } from "../../platform/durable-file.ts";
import { freeStamp, removeDatabase } from "./file-copy.ts";

/** The end of the new ledger's name: the name under which the replaced ledger, if any, is to be kept. */
const KEPT = /^(?:-((?:replaced|damaged)-\w+))?$/;

interface Decision {
  /** The new ledger. */
  readonly file: string;
  /** Where the replaced one goes. */
  readonly keptAs: string | undefined;
}

/**
 * The ledger that is to take another one's place; undefined where there is none.
 *
 * After a power cut at any moment one whole ledger must be there. So the new ledger is
 * renamed to `flanco.db.restored-` and the name under which the replaced one will be kept.
 * From that moment on it is the ledger, and `finishReplacing` brings it to its place, at
 * the next start at the latest. Until then the replaced ledger has no second name and its
 * log no copy: if it went on, opening that name later would write an old log into it.
 */
function decided(ledger: string): Decision | undefined {
  const directory = dirname(ledger);
  const prefix = `${basename(ledger)}.restored`;
  for (const name of readdirSync(directory)) {
    const kept = name.startsWith(prefix) ? KEPT.exec(name.slice(prefix.length)) : null;
    if (kept === null) continue;
    return { file: join(directory, name), keptAs: kept[1] && `${ledger}.${kept[1]}` };
  }
  return undefined;
}

/** Whether a new ledger is decided on, but not in its place yet. */
export function isReplacing(ledger: string): boolean {
  return decided(ledger) !== undefined;
}

/** Where the new ledger is made. `finishReplacing` removes what an interrupted run has left there. */
export function replacementDraft(ledger: string): string {
  return `${ledger}.restore-draft`;
}

/** A free name for keeping the ledger that is there; undefined where there is none. Changes nothing. */
export function nameAside(ledger: string, kind: "replaced" | "damaged", nowMs: number): string | undefined {
  if (!existsSync(ledger) && !existsSync(`${ledger}-wal`)) return undefined;
  const nameAt = (stamp: string) => `${ledger}.${kind}-${stamp}`;
  const isFree = (stamp: string) => !existsSync(nameAt(stamp)) && !existsSync(`${nameAt(stamp)}-wal`);
  return nameAt(freeStamp(nowMs, isFree));
}

/**
 * Brings a new ledger that is decided on to its place, or removes a draft that is not. Call
 * with the directory locked, before the ledger is opened.
 */
export function finishReplacing(ledger: string): void {
  const decision = decided(ledger);
  if (decision === undefined) {
    const draft = replacementDraft(ledger);
    // On a disk that is read-only even the removal of nothing fails.
    if (existsSync(draft)) removeDatabase(draft);
    return;
  }
  if (decision.keptAs !== undefined) setAside(ledger, decision.keptAs);
  // The old log would be taken for the new file's.
  for (const suffix of ["-wal", "-shm"]) rmSync(ledger + suffix, { force: true });
  syncPath(dirname(ledger));
  renameSync(decision.file, ledger);
  syncPath(dirname(ledger));
}

/**
 * Puts the draft, which must be durable and whole, in the ledger's
 * place. Keeps the replaced ledger and its log as `keptAs`.
 */
export function replaceLedger(ledger: string, keptAs: string | undefined): void {
  const kept = keptAs === undefined ? "" : `-${keptAs.slice(ledger.length + 1)}`;
  renameSync(replacementDraft(ledger), `${ledger}.restored${kept}`);
  syncPath(dirname(ledger));
  finishReplacing(ledger);
}

/**
 * Gives the replaced ledger its second name, unless an earlier
 * run did. It loses its own name when the new ledger takes that.
 */
function setAside(ledger: string, keptAs: string): void {
  if (existsSync(ledger) && !existsSync(keptAs)) linkSync(ledger, keptAs);
  const [log, keptLog] = [`${ledger}-wal`, `${keptAs}-wal`];
  // Readers leave an empty log.
  if (existsSync(log) && statSync(log).size > 0 && !existsSync(keptLog)) renameSync(log, keptLog);
}
