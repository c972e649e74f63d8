import { randomBytes } from "node:crypto";
import { createReadStream, type ReadStream } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { OneTimeCode } from "../auth/one-time-code.ts";
import type { Actor } from "../domain/audit.ts";
import { type Clock, type ClockTrust, MINUTE_MS, monotonicMs, WEEK_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { type Fault, fault } from "../domain/fault.ts";
import type { Id } from "../domain/id.ts";
import type { LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import { CODE_MS, formatCode, SECRET_DIGITS } from "../domain/move.ts";
import type { MadeCode, MovedClinic, Moves } from "../http/move.ts";
import { isSecret } from "../secret-file.ts";
import type { BackupRequest, MadeBackup } from "../store/backup/backup.ts";
import type { WholeGateway } from "../store/backup/gateway-file.ts";
import type { DataDirectory } from "../store/data-directory.ts";
import { beginJob, type RunningJob } from "../store/job/job.ts";
import { folderOf } from "../store/ledger/identity.ts";

const TICKET_BYTES = 16;
/** A move is given up, and its backup removed, when the other gateway has asked nothing for this long. */
const IDLE_MS = 10 * MINUTE_MS;
const LOOK_MS = MINUTE_MS;
/** Bytes that are read at a time. */
const CHUNK_BYTES = 256 * 1024;

export interface MovingDependencies {
  readonly dataDirectory: DataDirectory;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly log: Log;
  readonly reader: Pick<LedgerReader, "lastAudit">;
  readonly writer: Pick<LedgerWriter, "noteAudit">;
  /** The gateway file's content, which the other gateway gets beside the ledger. */
  readonly gateway: () => WholeGateway;
  /** SHA-256 of the certificate that HTTPS serves, hexadecimal. */
  readonly servedFingerprint: () => string;
  /** Makes the backup; a process of its own where it is absent. */
  readonly backup?: (request: BackupRequest) => RunningJob<MadeBackup>;
}

const BACKUP = (request: BackupRequest): RunningJob<MadeBackup> => beginJob("backup", request);

/** A move under way. */
interface Move {
  readonly ticket: string;
  /** Undefined while an earlier move ends. */
  job: RunningJob<MadeBackup> | undefined;
  /** When the other gateway last asked, in monotonic milliseconds. */
  askedMs: number;
  ready: (MovedClinic & { readonly file: string }) | undefined;
  failure: FlancoError | undefined;
  stream: ReadStream | undefined;
}

/**
 * Hands the clinic over to another gateway. Its state is in
 * memory alone; it measures time by the monotonic clock.
 */
export class Moving implements Moves {
  readonly #dependencies: MovingDependencies;
  readonly #code: OneTimeCode;
  #move: Move | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: MovingDependencies) {
    this.#dependencies = dependencies;
    const make = () => randomBytes(SECRET_DIGITS).toString("hex").slice(0, SECRET_DIGITS);
    this.#code = new OneTimeCode(dependencies.clock, CODE_MS, make);
  }

  /** Removes the backup that an earlier process has left. */
  async open(): Promise<void> {
    await this.#clear();
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Ends a move that is under way. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#end();
  }

  async allow(by: Actor, userId: Id | null): Promise<MadeCode> {
    const { clock, writer, servedFingerprint } = this.#dependencies;
    await writer.noteAudit([{ kind: "move_allowed", userId, details: {}, actor: by }]);
    return { code: formatCode(this.#code.issue(), servedFingerprint()), endsMs: clock.nowMs() + CODE_MS };
  }

  accepts(secret: string): boolean {
    const isRight = this.#code.accepts(secret);
    if (isRight) this.#code.revoke();
    return isRight;
  }

  begin(): string {
    const { clock, log } = this.#dependencies;
    const ended = this.#end();
    const ticket = randomBytes(TICKET_BYTES).toString("base64url");
    const move: Move = {
      ticket,
      job: undefined,
      askedMs: monotonicMs(clock),
      ready: undefined,
      failure: undefined,
      stream: undefined,
    };
    this.#move = move;
    this.#prepare(move, ended).catch((error: unknown) => {
      if (this.#move !== move) return;
      log.error({ err: error }, "the backup for another gateway has failed");
      move.failure =
        error instanceof FlancoError
          ? error
          : new FlancoError("unavailable", "The old gateway could not make the backup.", { cause: error });
    });
    return ticket;
  }

  clinic(ticket: string): MovedClinic | null {
    const { ready, failure } = this.#known(ticket);
    if (failure !== undefined) throw failure;
    return ready === undefined ? null : { proof: ready.proof, gateway: ready.gateway };
  }

  read(ticket: string, from: number): Readable {
    const move = this.#known(ticket);
    if (move.failure !== undefined) throw move.failure;
    if (move.ready === undefined) throw new FlancoError("invalid", "from: the backup is not proved yet.");
    // One stream at a time: the other gateway asks again after its connection was cut.
    move.stream?.destroy();
    move.stream = createReadStream(move.ready.file, { start: from, highWaterMark: CHUNK_BYTES });
    return move.stream;
  }

  async finish(ticket: string, by: Actor): Promise<void> {
    this.#known(ticket);
    await this.#dependencies.writer.noteAudit([
      { kind: "ledger_moved", userId: null, details: {}, actor: by },
    ]);
    await this.#end();
  }

  /** The fault that the clinic was taken over: for a week after it, unless a backup was restored here since. */
  faults(): readonly Fault[] {
    const { reader, clock } = this.#dependencies;
    const moved = reader.lastAudit("ledger_moved");
    const restored = reader.lastAudit("ledger_restored");
    if (moved === undefined || moved.auditId < (restored?.auditId ?? 0)) return [];
    if (clock.nowMs() - moved.timeMs >= WEEK_MS) return [];
    return [fault("clinic_moved", moved.timeMs, { address: moved.from })];
  }

  /** Makes the backup once an earlier move has removed its own. */
  async #prepare(move: Move, ended: Promise<void>): Promise<void> {
    const { dataDirectory, clock, trust, gateway, backup = BACKUP } = this.#dependencies;
    await ended;
    if (this.#move !== move) return;
    move.job = backup({
      ledger: dataDirectory.ledger,
      directory: dataDirectory.move,
      rotate: false,
      nowMs: clock.nowMs(),
      clockTrusted: trust.trusted(),
    });
    const { ledger, file } = await move.job.done;
    const path = join(folderOf(dataDirectory.move, ledger), file);
    const proof = await readFile(`${path}.json`, "utf8");
    move.ready = { file: path, proof, gateway: JSON.stringify(gateway()) };
  }

  /** Throws `unauthorized`. */
  #known(ticket: string): Move {
    const move = this.#move;
    if (move === undefined || !isSecret(ticket, move.ticket)) {
      throw new FlancoError("unauthorized", "The move has ended.", {
        hint: "Begin it anew with another code: flanco move on the old gateway.",
      });
    }
    move.askedMs = monotonicMs(this.#dependencies.clock);
    return move;
  }

  /** Gives up a move that the other gateway has left. Called every minute. */
  async look(): Promise<void> {
    const move = this.#move;
    if (move === undefined || move.stream?.destroyed === false) return;
    if (monotonicMs(this.#dependencies.clock) - move.askedMs >= IDLE_MS) await this.#end();
  }

  async #end(): Promise<void> {
    const move = this.#move;
    if (move === undefined) return;
    this.#move = undefined;
    move.stream?.destroy();
    move.job?.cancel();
    // The job of a cancelled backup rejects.
    await move.job?.done.catch(() => {});
    await this.#clear();
  }

  #clear(): Promise<void> {
    return rm(this.#dependencies.dataDirectory.move, { recursive: true, force: true });
  }
}
