import { randomInt } from "node:crypto";
import { closeSync, fdatasyncSync, openSync, readSync, statSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import DatabaseConstructor, { type Database, type Statement } from "better-sqlite3";
import type { ChainHead } from "../../domain/chain-entry.ts";
import type { Change } from "../../domain/change.ts";
import { type ErrorData, errorFromData, FlancoError } from "../../domain/error.ts";
import { type Id, IdGenerator } from "../../domain/id.ts";
import type { LedgerCommands } from "../../domain/ledger.ts";
import { auditLog } from "../nouns/audit.ts";
import { type Boots, bootLog } from "../nouns/boot.ts";
import type { LocalCalendar } from "../nouns/calendar.ts";
import { RollupWriter } from "../nouns/rollup.ts";
import { sightingsOf, type TailCommand, type TailFrame } from "../safety/tail.ts";
import { Chain, readHead } from "./chain.ts";
import { allCommands, COMMAND_KINDS, type CommandName } from "./commands.ts";
import { DISK_FULL, type DiskRoom, isFailing, isFull, namedByDisk, toData, toFailure } from "./disk-room.ts";
import { CHECKPOINT_PAGES } from "./open.ts";
import type { BatchRequest, CommandKinds, CommandResult, WriterMessage } from "./writer-thread.ts";

/** Bytes of the log's own header, and of the header of each frame (sqlite.org/walformat.html). */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/**
 * Where a frame's header says how many pages the file has
 * after a commit; 0 where more frames of the commit follow.
 */
const COMMIT_OFFSET = 4;

/** 48 bits less one value, the largest range that randomInt takes. */
const RANDOM_RANGE = 2 ** 48 - 1;

type BatchAnswer = Extract<WriterMessage, { kind: "batch" }>;

/**
 * `apart`: each command has a savepoint of its own, so that a command that fails can
 * be undone alone. A savepoint costs half as much as the write itself, and hardly
 * any command fails. So a batch is first tried `together`, without savepoints.
 */
type Isolation = "together" | "apart";

/**
 * What a commit of the tail follows. `commit`: the one before it, which was made again. `loss`: an earlier
 * commit is lost, and with it perhaps levels of lines. `lost_entries`: the entry before its only one is lost.
 */
export type RepeatAfter = "commit" | "loss" | "lost_entries";

/** Commits batches of commands on the one connection that writes, and holds what the next commit builds on. */
export class Committer {
  readonly #db: Database;
  readonly #commands: LedgerCommands;
  readonly #rollups: RollupWriter;
  readonly #chain: Chain;
  readonly #begin: Statement<[]>;
  readonly #end: Statement<[]>;
  readonly #savepoint: Statement<[]>;
  readonly #release: Statement<[]>;
  readonly #rollbackTo: Statement<[]>;
  readonly #log: WriteAheadLog;
  readonly #room: DiskRoom | undefined;
  readonly #boots: Boots;
  #nowMs = 0;
  #monotonicMs = 0;
  /** What the running transaction has done, for the tail. */
  #done: TailCommand[] = [];
  #committed: TailFrame | undefined;
  readonly #timeZone: string;
  #ids: Id[] = [];
  /** The identifiers for the command of the tail that is made again; null while commands are new. */
  #given: Id[] | null = null;
  #changes: Change[] = [];

  #failure: ErrorData | undefined;
  /** SQLite's number that changes with a commit of another connection, and the one that was seen last. */
  readonly #version: Statement<[], number>;
  #seenVersion: number | undefined;

  constructor(db: Database, calendar: LocalCalendar, room: DiskRoom | undefined) {
    this.#db = db;
    this.#room = room;
    this.#timeZone = calendar.timeZone;
    this.#log = new WriteAheadLog(db);
    this.#version = db.prepare<[], number>("PRAGMA data_version").pluck();
    this.#seenVersion = this.#version.get();
    this.#rollups = new RollupWriter(db);
    this.#chain = new Chain(db);
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#end = db.prepare("COMMIT");
    this.#savepoint = db.prepare("SAVEPOINT command");
    this.#release = db.prepare("RELEASE command");
    this.#rollbackTo = db.prepare("ROLLBACK TO command");
    const nowMs = () => this.#nowMs;
    const boots = bootLog(db, () => this.#monotonicMs);
    this.#boots = boots;
    const generator = new IdGenerator(nowMs, () => randomInt(RANDOM_RANGE));
    this.#commands = allCommands(db, {
      ids: {
        next: () => {
          const id = this.#given?.shift() ?? generator.next();
          this.#ids.push(id);
          return id;
        },
      },
      rollups: this.#rollups,
      chain: this.#chain,
      calendar,
      boots,
      audit: auditLog(db, { nowMs, boots, chain: this.#chain }),
      nowMs,
      tell: (change) => void this.#changes.push(change),
    });
  }

  /** Why nothing can be written any more; undefined while the disk works and no other process writes. */
  get failure(): ErrorData | undefined {
    return this.#failure;
  }

  /**
   * Runs a batch in one transaction. A command that fails leaves no trace and does not touch the
   * others; when the commit fails, all of them fail.
   */
  commit(batch: BatchRequest): BatchAnswer {
    if (this.#failure !== undefined) return allFailed(batch, this.#failure);
    return this.#tryCommit(batch, "together");
  }

  /** Every command, with its kind. */
  get commandKinds(): CommandKinds {
    const names = Object.keys(this.#commands) as CommandName[];
    return Object.fromEntries(names.map((name) => [name, COMMAND_KINDS[name] ?? "other"])) as CommandKinds;
  }

  /** The number of the newest commit. */
  get commits(): number {
    return this.#chain.commits;
  }

  /** The head of the chain. */
  get head(): ChainHead {
    return this.#chain.head;
  }

  /**
   * Makes a commit of the tail again, with its number. Gives false, and keeps nothing of
   * it, where it does not lead to the same head. Throws what SQLite throws.
   */
  repeat(commit: number, frame: TailFrame, after: RepeatAfter = "commit"): boolean {
    const { bootId, nowMs, monotonicMs, commands, position, head, numbers } = frame;
    this.#boots.resume(bootId);
    this.#nowMs = nowMs;
    this.#monotonicMs = monotonicMs;
    this.#begin.run();
    try {
      if (after !== "commit") this.#forgetLevels(commands);
      if (after === "lost_entries") this.#chain.expect({ position, hash: head });
      this.#chain.numbers.goOnFrom(numbers);
      for (const { name, input, ids } of commands) {
        this.#given = [...ids];
        this.#runTogether(name, input);
      }
      const made = this.#chain.head;
      const isSame = made.position === position && made.hash === head;
      if (isSame) this.#endRepeated(commit);
      else this.#rollBack();
      return isSame;
    } catch (error) {
      this.#rollBack();
      if (error instanceof FlancoError) return false;
      throw error;
    } finally {
      this.#given = null;
    }
  }

  /** Passes over a commit of the tail that cannot be made again: the next one follows the head that it led to. */
  passOver(commit: number, { position, head: hash }: TailFrame): void {
    this.#begin.run();
    this.#rollups.rollUp({ position, hash, commits: commit });
    this.#end.run();
    this.#chain.goOnFrom({ position, hash }, commit);
  }

  /** Commits before this one may be lost: then its number does not follow from the entries that are here. */
  #endRepeated(commit: number): void {
    const { head } = this.#chain;
    if (this.#nextCommits() === commit) this.#rollUpIfDue();
    else this.#rollups.rollUp({ ...head, commits: commit });
    this.#end.run();
    this.#chain.goOnFrom(head, commit);
  }

  /** A lost commit may have had the last level of these lines: a rise after it must not be taken for a repeated one. */
  #forgetLevels(commands: TailFrame["commands"]): void {
    const forget = this.#db.prepare<[string]>("DELETE FROM line_state WHERE line = ?");
    for (const { line } of commands.flatMap(sightingsOf)) forget.run(line);
  }

  /** The commit since the last call, for the tail; undefined where nothing was committed. */
  takeCommitted(): TailFrame | undefined {
    const committed = this.#committed;
    this.#committed = undefined;
    return committed;
  }

  /** Brings a long log into the file. Call it after the answers: commits are already durable in the log. */
  checkpoint(): void {
    if (this.#failure !== undefined) return;
    try {
      this.#log.checkpoint();
    } catch (error) {
      if (isFull(namedByDisk(error, dirname(this.#db.name)))) this.#room?.ranOut(this.#nowMs);
      else this.#failure = toFailure(error);
    }
  }

  close(): void {
    this.#room?.close();
    this.#log.close();
    if (this.#failure !== undefined) return;
    const rollUp = this.#db.transaction(() => {
      if (this.#isOvertaken()) return;
      this.#rollups.rollUp({ ...this.#chain.head, commits: this.#chain.commits });
    });
    // With the mark at the end of the chain, entries that
    // are removed there while no service runs are noticed.
    this.#unlessFull(() => rollUp());
    // On a full disk commits stay in the log until there is room.
    this.#unlessFull(() => void this.#db.pragma("wal_checkpoint(TRUNCATE)"));
    this.#db.close();
  }

  #unlessFull(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!isFull(namedByDisk(error, dirname(this.#db.name)))) throw error;
    }
  }

  #tryCommit(batch: BatchRequest, how: Isolation): BatchAnswer {
    try {
      return this.#commitOnce(batch, how);
    } catch (error) {
      const full = isFull(error);
      if (full && this.#room?.ranOut(batch.nowMs)) return this.#tryCommit(batch, how);
      if (how === "apart" || full || isFailing(error) || this.#failure !== undefined)
        return this.#fail(batch, error);
      return this.#tryCommit(batch, "apart");
    }
  }

  /** When it throws, it leaves no transaction open, and nothing in memory that the file does not hold. */
  #commitOnce({ nowMs, monotonicMs, commands }: BatchRequest, how: Isolation): BatchAnswer {
    const bootId = this.#boots.running();
    this.#nowMs = nowMs;
    this.#monotonicMs = monotonicMs;
    this.#done = [];
    try {
      this.#begin.run();
      if (this.#isOvertaken()) {
        this.#failure = OVERTAKEN;
        throw errorFromData(OVERTAKEN);
      }
      const run = how === "together" ? this.#runTogether : this.#runApart;
      const results = commands.map(({ name, input }) => run.call(this, name, input));
      const hasWritten = this.#done.length > 0;
      if (hasWritten) this.#rollUpIfDue();
      const beganMs = performance.now();
      this.#end.run();
      if (hasWritten) this.#log.sync();
      const syncMs = performance.now() - beganMs;
      if (hasWritten) {
        this.#chain.commit();
        const { position, hash: head } = this.#chain.head;
        this.#committed = {
          position,
          head,
          bootId,
          timeZone: this.#timeZone,
          numbers: this.#chain.numbers.takeFirst(),
          nowMs,
          monotonicMs,
          commands: this.#done,
        };
      }
      return { kind: "batch", results, syncMs };
    } catch (error) {
      this.#rollBack();
      throw namedByDisk(error, dirname(this.#db.name));
    }
  }

  /**
   * Whether another process has added an entry, which this chain lacks: then nothing may be
   * written any more, and the next process reads the head. Call it in a transaction.
   */
  #isOvertaken(): boolean {
    const version = this.#version.get();
    if (version === this.#seenVersion) return false;
    this.#seenVersion = version;
    const { position, hash } = readHead(this.#db);
    const { head } = this.#chain;
    return position !== head.position || hash !== head.hash;
  }

  #rollBack(): void {
    if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
    this.#chain.discard();
  }

  /** A commit without entries is numbered by what it stores. */
  #rollUpIfDue(): void {
    const { head, hasGrown } = this.#chain;
    const commits = this.#nextCommits();
    if (!hasGrown || this.#rollups.isDue(head.position)) this.#rollups.rollUp({ ...head, commits });
  }

  /** The number of the commit that this transaction would be. */
  #nextCommits(): number {
    const { head, hasGrown, commits } = this.#chain;
    return hasGrown ? this.#chain.commitsAt(head) : commits + 1;
  }

  #fail(batch: BatchRequest, error: unknown): BatchAnswer {
    const message = toData(error);
    if (isFailing(error)) {
      this.#failure = toFailure(error);
      this.#log.cutBack();
    }
    return allFailed(batch, message);
  }

  /** Throws what the command throws, and what it has written stays: the transaction must be rolled back. */
  #run(name: CommandName, input: readonly unknown[]): CommandResult {
    // A client can post again later; edges cannot come again, so the room that is left is for them.
    if (COMMAND_KINDS[name] === "post" && this.#room?.full) return { error: DISK_FULL };
    this.#changes = [];
    this.#ids = [];
    // The main thread made the message of a call that the compiler has checked.
    const run = this.#commands[name] as (...input: readonly unknown[]) => unknown;
    const output = run(...input);
    return this.#changes.length === 0 ? { output } : { output, changes: this.#changes };
  }

  #runTogether(name: CommandName, input: readonly unknown[]): CommandResult {
    const result = this.#run(name, input);
    this.#chain.keep();
    this.#noteDone(name, input, result);
    return result;
  }

  /** Only what has changed the ledger is made again from the tail. */
  #noteDone(name: CommandName, input: readonly unknown[], result: CommandResult): void {
    if (name !== "ping" && "output" in result) this.#done.push({ name, input, ids: this.#ids });
  }

  /** Rolls back to before the command when it fails, and answers with the error. */
  #runApart(name: CommandName, input: readonly unknown[]): CommandResult {
    this.#savepoint.run();
    try {
      const result = this.#run(name, input);
      // Rolled up within the savepoint, so that a sum that is too large fails this command alone.
      const { newest } = this.#chain;
      this.#rollups.rollUp({ ...newest, commits: this.#chain.commitsAt(newest) });
      this.#release.run();
      this.#chain.keep();
      this.#noteDone(name, input, result);
      return result;
    } catch (error) {
      this.#chain.forget();
      // On a full disk SQLite may have ended the whole transaction: nothing of the batch is left.
      if (!this.#db.inTransaction || isFull(error) || isFailing(error)) throw error;
      this.#rollbackTo.run();
      this.#release.run();
      return { error: toData(error) };
    }
  }
}

const OVERTAKEN: ErrorData = {
  code: "unavailable",
  message: "Another process has written to the ledger.",
  hint: "Only one service may use a data directory: stop the other one. This one goes on from what is there once it is started again.",
};

function allFailed({ commands }: BatchRequest, error: ErrorData): BatchAnswer {
  return { kind: "batch", results: commands.map(() => ({ error })), syncMs: 0 };
}

/**
 * SQLite's log, for the connection that writes: when it is synced, and when it is brought into the file.
 *
 * A commit is synced here, by fdatasync, before it is answered. SQLite's own fsync would
 * also write the file's time of change, which costs 12 kB of the file system's journal.
 * Before a checkpoint SQLite itself syncs the log, and after it the file. During a sync a
 * reader sees a commit that a power cut could still undo; its client has no answer yet.
 */
class WriteAheadLog {
  readonly #db: Database;
  readonly #file: string;
  /** `log`: frames in the log, committed; -1 where SQLite does not know. */
  readonly #state: Statement<[], { readonly log: number }>;
  #descriptor: number | undefined;
  /** Whether the newest commit is not known to be durable. */
  #isBehind = false;

  constructor(db: Database) {
    this.#db = db;
    this.#file = `${db.name}-wal`;
    db.pragma("synchronous = NORMAL");
    // SQLite reports no failure of a checkpoint that it makes by itself.
    db.pragma("wal_autocheckpoint = 0");
    this.#state = db.prepare("PRAGMA wal_checkpoint(NOOP)");
  }

  /**
   * Makes every commit durable. Throws SQLITE_IOERR_FSYNC; then
   * this process cannot know what the disk holds, and must end.
   */
  sync(): void {
    this.#isBehind = true;
    try {
      this.#descriptor ??= openSync(this.#file, "r");
      fdatasyncSync(this.#descriptor);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new DatabaseConstructor.SqliteError(`The log is not synced (${code}).`, "SQLITE_IOERR_FSYNC");
    }
    this.#isBehind = false;
  }

  /** Brings a long log into the file. Throws what SQLite throws. */
  checkpoint(): void {
    const frames = this.#state.get()?.log ?? 0;
    if (frames >= CHECKPOINT_PAGES) this.#db.pragma("wal_checkpoint(PASSIVE)");
  }

  /**
   * Cuts the newest commit off the log if its sync failed, as far as a failing disk allows. The next
   * process would read it from the log, though its client was told that it failed and may send it again.
   */
  cutBack(): void {
    try {
      let frames = this.#state.get()?.log ?? -1;
      if (frames < 0) return;
      const frameBytes = FRAME_HEADER_BYTES + Number(this.#db.pragma("page_size", { simple: true }));
      if (this.#isBehind) frames = this.#framesBeforeLastCommit(frames, frameBytes);
      const end = HEADER_BYTES + frames * frameBytes;
      if (statSync(this.#file).size > end) truncateSync(this.#file, end);
    } catch {
      // The disk takes not even this; the process ends all the same.
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #framesBeforeLastCommit(frames: number, frameBytes: number): number {
    this.#descriptor ??= openSync(this.#file, "r");
    const pages = Buffer.alloc(4);
    for (let before = frames - 1; before > 0; before -= 1) {
      const header = HEADER_BYTES + (before - 1) * frameBytes;
      readSync(this.#descriptor, pages, 0, pages.length, header + COMMIT_OFFSET);
      if (pages.readUInt32BE() > 0) return before;
    }
    return 0;
  }
}
