import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncPath } from "../../durable-file.ts";
import { freeStamp } from "./file-copy.ts";

/** The end of a decided ledger's name: what the one that it replaces is to be kept as, where there is one. */
const KEPT = /^(?:-((?:replaced|damaged)-\w+))?$/;

interface Decision {
  /** The new ledger. */
  readonly file: string;
  /** Where the replaced one goes. */
  readonly keptAs: string | undefined;
}

/**
 * How one ledger takes another's place, so that after a power cut at any moment one whole ledger is there: the new one
 * is given the name `flanco.db.restored-` and what the replaced one will be kept as. From that moment on it is the
 * ledger, and `finishReplacing` brings it to its place, at the next start at the latest. Before that moment the
 * replaced one has no second name and its log no copy: opening such a name later would write an old log into the ledger that
 * went on.
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

/** Whether a ledger was decided on and is not in its place yet. */
export function isReplacing(ledger: string): boolean {
  return decided(ledger) !== undefined;
}

/** Where the new one is made. What an interrupted run leaves there is removed by the next. */
export function replacementDraft(ledger: string): string {
  return `${ledger}.restore-draft`;
}

/** A free name beside the ledger that it can be kept under; undefined where there is none to keep. Nothing is changed. */
export function nameAside(ledger: string, kind: "replaced" | "damaged", nowMs: number): string | undefined {
  if (!existsSync(ledger) && !existsSync(`${ledger}-wal`)) return undefined;
  const nameAt = (stamp: string) => `${ledger}.${kind}-${stamp}`;
  const isFree = (stamp: string) => !existsSync(nameAt(stamp)) && !existsSync(`${nameAt(stamp)}-wal`);
  return nameAt(freeStamp(nowMs, isFree));
}

/** Brings a ledger that was decided on to its place. Call with the directory locked, before the ledger is opened. */
export function finishReplacing(ledger: string): void {
  const decision = decided(ledger);
  if (decision === undefined) return;
  if (decision.keptAs !== undefined) setAside(ledger, decision.keptAs);
  // The old log would be taken for the new file's.
  for (const suffix of ["-wal", "-shm"]) rmSync(ledger + suffix, { force: true });
  syncPath(dirname(ledger));
  renameSync(decision.file, ledger);
  syncPath(dirname(ledger));
}

/** Puts the draft, which must be durable and whole, in the ledger's place; that one is kept, log and all, under the name that is given. */
export function replaceLedger(ledger: string, keptAs: string | undefined): void {
  const kept = keptAs === undefined ? "" : `-${keptAs.slice(ledger.length + 1)}`;
  renameSync(replacementDraft(ledger), `${ledger}.restored${kept}`);
  syncPath(dirname(ledger));
  finishReplacing(ledger);
}

/** As far as an earlier run has not done so. The ledger's own name stays until the new one takes it. */
function setAside(ledger: string, keptAs: string): void {
  if (existsSync(ledger) && !existsSync(keptAs)) linkSync(ledger, keptAs);
  const [log, keptLog] = [`${ledger}-wal`, `${keptAs}-wal`];
  // Readers leave an empty one.
  if (existsSync(log) && statSync(log).size > 0 && !existsSync(keptLog)) renameSync(log, keptLog);
}
