import { randomInt } from "node:crypto";
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import DatabaseConstructor, { type Database, type Statement } from "better-sqlite3";
import { FlancoError } from "../domain/error.ts";
import { IdGenerator } from "../domain/id.ts";
import type { Change } from "../domain/ledger.ts";
import { LocalCalendar } from "./calendar.ts";
import { allCommands, type CommandName, type Commands } from "./commands.ts";
import type {
  BatchRequest,
  CommandResult,
  ErrorMessage,
  WriterMessage,
  WriterRequest,
  WriterSettings,
} from "./message.ts";
import { openForWriting } from "./open.ts";
import { RollupWriter, rebuildRollups } from "./rollup.ts";

/** 48 bits less one value, the largest range that randomInt takes. */
const RANDOM_RANGE = 2 ** 48 - 1;

/** The one connection that writes. Lives in a thread of its own, so that a slow disk stalls nothing else. */
class WriterThread {
  readonly #db: Database;
  readonly #commands: Commands;
  readonly #rollups: RollupWriter;
  readonly #savepoint: Statement<[]>;
  readonly #release: Statement<[]>;
  readonly #rollbackTo: Statement<[]>;
  #nowMs = 0;
  #changes: Change[] = [];

  constructor(db: Database, calendar: LocalCalendar) {
    this.#db = db;
    this.#rollups = new RollupWriter(db, calendar);
    this.#savepoint = db.prepare("SAVEPOINT command");
    this.#release = db.prepare("RELEASE command");
    this.#rollbackTo = db.prepare("ROLLBACK TO command");
    this.#commands = allCommands(db, {
      ids: new IdGenerator(
        () => this.#nowMs,
        () => randomInt(RANDOM_RANGE),
      ),
      rollups: this.#rollups,
      calendar,
      nowMs: () => this.#nowMs,
      tell: (change) => void this.#changes.push(change),
    });
  }

  /**
   * Runs batches in one transaction. A command that fails leaves no trace and does not touch the
   * others; when the commit fails, all of them fail.
   */
  commit(batches: readonly BatchRequest[]): readonly Extract<WriterMessage, { kind: "batch" }>[] {
    try {
      this.#db.exec("BEGIN IMMEDIATE");
      const answers = batches.map((batch) => this.#runBatch(batch));
      this.#rollups.flush();
      this.#db.exec("COMMIT");
      return answers;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      this.#rollups.discard();
      const result = { error: toMessage(error) };
      return batches.map((batch) => ({
        kind: "batch",
        results: batch.commands.map(() => result),
      }));
    }
  }

  close(): void {
    this.#db.pragma("wal_checkpoint(TRUNCATE)");
    this.#db.close();
  }

  #runBatch(batch: BatchRequest): Extract<WriterMessage, { kind: "batch" }> {
    this.#nowMs = batch.nowMs;
    const results = batch.commands.map(({ name, input }) => this.#runCommand(name, input));
    return { kind: "batch", results };
  }

  #runCommand(name: CommandName, input: unknown): CommandResult {
    this.#changes = [];
    this.#savepoint.run();
    try {
      const run = this.#commands[name] as (input: unknown) => unknown;
      const output = run(input);
      this.#release.run();
      this.#rollups.keep();
      return this.#changes.length === 0 ? { output } : { output, changes: this.#changes };
    } catch (error) {
      this.#rollups.forget();
      // SQLite has already ended the whole transaction on a full disk: nothing of the batch is left.
      if (!this.#db.inTransaction) throw error;
      this.#rollbackTo.run();
      this.#release.run();
      return { error: toMessage(error) };
    }
  }
}

function toMessage(error: unknown): ErrorMessage {
  if (error instanceof FlancoError) {
    const { code, message, hint, fields } = error;
    return { code, message, hint, fields };
  }
  if (error instanceof DatabaseConstructor.SqliteError) {
    const code = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|CORRUPT)/.test(error.code)
      ? "unavailable"
      : "internal";
    return {
      code,
      message: `The ledger takes no writes (${error.code}).`,
      hint: "Check that the disk is not full and not damaged.",
      fields: undefined,
    };
  }
  return {
    code: "internal",
    message: error instanceof Error ? error.message : String(error),
    hint: undefined,
    fields: undefined,
  };
}

/** Rollups are sums by local day: another zone, or other rules for it, makes other days. */
function bringRollupsToZone(db: Database, calendar: LocalCalendar, port: MessagePort): void {
  const wanted = `${calendar.timeZone} ${process.versions["tz"] ?? ""}`;
  const stored = db.prepare<[], string>("SELECT value FROM setting WHERE name = 'rollup_zone'").pluck().get();
  if (stored === wanted) return;
  db.transaction(() => {
    rebuildRollups(db, calendar, (done, total) =>
      say(port, { kind: "progress", what: "rollups", done, total }),
    );
    db.prepare(
      `INSERT INTO setting (name, value) VALUES ('rollup_zone', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    ).run(wanted);
  }).immediate();
}

function say(port: MessagePort, message: WriterMessage): void {
  port.postMessage(message);
}

/** Takes everything that waits, commits it as one, and answers each batch. */
function serve(port: MessagePort, thread: WriterThread): void {
  port.on("message", (first: WriterRequest) => {
    const batches: BatchRequest[] = [];
    let closing = false;
    for (let next: { message: WriterRequest } | undefined = { message: first }; next; ) {
      if (next.message.kind === "close") closing = true;
      else batches.push(next.message.batch);
      next = receiveMessageOnPort(port) as { message: WriterRequest } | undefined;
    }
    if (batches.length > 0) for (const answer of thread.commit(batches)) say(port, answer);
    if (closing) {
      thread.close();
      port.close();
    }
  });
}

function start(port: MessagePort, settings: WriterSettings): void {
  try {
    const db = openForWriting(settings.file);
    const calendar = new LocalCalendar(settings.timeZone);
    bringRollupsToZone(db, calendar, port);
    serve(port, new WriterThread(db, calendar));
    say(port, { kind: "ready" });
  } catch (error) {
    say(port, { kind: "failed", error: toMessage(error) });
    port.close();
  }
}

if (parentPort !== null) start(parentPort, workerData as WriterSettings);
