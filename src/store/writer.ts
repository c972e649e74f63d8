import type { Worker } from "node:worker_threads";
import { type Actor, type AuditNote, SERVICE_ACTOR } from "../domain/audit.ts";
import { type Clock, monotonicMs } from "../domain/clock.ts";
import type { DeviceChange, NewDevice } from "../domain/device.ts";
import { FlancoError } from "../domain/error.ts";
import type { Id } from "../domain/id.ts";
import type { Change, LedgerWriter, PostedRecord, Taken } from "../domain/ledger.ts";
import type { LocationChange, NewLocation } from "../domain/location.ts";
import type { Queue } from "../domain/queue.ts";
import type { Idempotency, NewRecord } from "../domain/record.ts";
import type { Sighting } from "../domain/sale.ts";
import type { NewSession, NewUser, Session, User } from "../domain/user.ts";
import type { OwnedWiring } from "../domain/wiring.ts";
import { startThread } from "../thread.ts";
import type { PreparedArchive } from "./archive-make.ts";
import type { CommandInput, CommandName, CommandOutput } from "./commands.ts";
import type {
  CommandResult,
  ErrorMessage,
  WriterMessage,
  WriterRequest,
  WriterSettings,
  WriterStart,
} from "./message.ts";

/** Writes that may wait for a commit. Beyond it a request is told to come back later. */
const MAX_WAITING = 4_096;
/** Further places that only lines may take: a relay cannot be told to come back. */
const RESERVED_FOR_EDGES = 16;
/** Batches on their way: one being committed, one ready to follow it. */
const MAX_IN_FLIGHT = 2;

/**
 * Megabytes of the writer thread's own objects. It makes and drops much and keeps little; left alone, its heap grows by a
 * hundred megabytes before it collects anything. What cannot be held in this ends the process, and loses nothing.
 */
const MEMORY = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 96 };

interface Waiting {
  readonly name: CommandName;
  readonly input: unknown;
  /** A change that this side knows without being told; undefined where there is none. */
  readonly changeOf: ((output: unknown) => Change | undefined) | undefined;
  resolve(output: unknown): void;
  reject(error: FlancoError): void;
}

interface SubmitOptions<N extends CommandName> {
  readonly maxWaiting?: number;
  readonly changeOf?: (output: CommandOutput<N>) => Change | undefined;
}

export interface WriterListener {
  /** What one commit changed, after it, in commit order. */
  onChanges(changes: readonly Change[]): void;
  /** Long work before the ledger opens. */
  onProgress(done: number, total: number): void;
  /** The disk is full since then (Unix milliseconds), or, with null, has room again. */
  onDisk?(fullSinceMs: number | null): void;
  /**
   * The thread died after `open` had resolved, or the disk fails: nothing more can be written, the process must
   * stop. What keeps `open` from its end is only what that rejects with.
   */
  onDeath(error: Error): void;
}

/**
 * The writing half of the ledger, seen from the main thread. Writes gather while a commit is under way
 * and go out together: one message each way and one fsync per batch, however many there are.
 */
export class StoreWriter implements LedgerWriter {
  readonly #settings: WriterSettings;
  readonly #clock: Clock;
  readonly #listener: WriterListener;
  #worker: Worker | undefined;
  #waiting: Waiting[] = [];
  #inFlight: Waiting[][] = [];
  #scheduled = false;
  #opened = false;
  #closing = false;
  #diskFullSinceMs: number | null = null;
  #onIdle: (() => void) | undefined;

  constructor(settings: WriterSettings, clock: Clock, listener: WriterListener) {
    this.#settings = settings;
    this.#clock = clock;
    this.#listener = listener;
  }

  /** Opens the file, brings its schema and rollups up to date. Throws `damaged`, `too_new`, `unavailable`. */
  async open(): Promise<void> {
    const worker = startThread("writer", {
      workerData: { ...this.#settings, startMs: this.#clock.nowMs() } satisfies WriterStart,
      resourceLimits: MEMORY,
      name: "flanco-writer",
    });
    this.#worker = worker;
    await new Promise<void>((resolve, reject) => {
      worker.on("message", (message: WriterMessage) => {
        if (message.kind === "ready") {
          this.#opened = true;
          resolve();
        } else if (message.kind === "failed") reject(fromMessage(message.error));
        else if (message.kind === "progress") this.#listener.onProgress(message.done, message.total);
        else if (message.kind === "disk") this.#noteDisk(message.fullSinceMs);
        else if (message.kind === "fatal") this.#die(fromMessage(message.error));
        else this.#settle(message.results);
      });
      worker.on("error", (error: Error) => {
        reject(error);
        this.#die(error);
      });
      worker.on("exit", () => {
        const error = new FlancoError("unavailable", "The ledger's writer has ended.");
        reject(error);
        this.#die(error);
      });
    });
  }

  /** Commits everything that waits, then closes the file. Later writes are refused as `unavailable`. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined || this.#closing) return;
    this.#closing = true;
    if (this.#waiting.length + this.#inFlight.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    this.#send({ kind: "close" });
    await ended;
  }

  /** Writes that wait for their commit. */
  get depth(): number {
    return this.#waiting.length + this.#inFlight.reduce((sum, batch) => sum + batch.length, 0);
  }

  /** The same beside its bound. */
  get queue(): Queue {
    return { waiting: this.depth, limit: MAX_WAITING };
  }

  /** Since when the disk is full, in Unix milliseconds; null while it has room. */
  get diskFullSinceMs(): number | null {
    return this.#diskFullSinceMs;
  }

  addUser(user: NewUser, by: Actor = SERVICE_ACTOR): Promise<User> {
    return this.#submit("addUser", { user, by });
  }

  addFirstUser(user: NewUser, by: Actor = SERVICE_ACTOR): Promise<User> {
    return this.#submit("addFirstUser", { user, by });
  }

  async setPassword(userId: Id, passwordHash: string, by: Actor = SERVICE_ACTOR): Promise<void> {
    await this.#submit("setPassword", { userId, passwordHash, by });
  }

  async removeUser(userId: Id, withDevices: boolean, by: Actor = SERVICE_ACTOR): Promise<void> {
    await this.#submit("removeUser", { userId, withDevices, by });
  }

  addSession(session: NewSession, passwordHash: string, by: Actor = SERVICE_ACTOR): Promise<Session> {
    return this.#submit("addSession", { session, passwordHash, by });
  }

  async removeSession(sid: Id, by: Actor = SERVICE_ACTOR): Promise<void> {
    await this.#submit("removeSession", { sid, by });
  }

  endSessions(by: Actor): Promise<number> {
    return this.#submit("endSessions", { by });
  }

  addLocation(userId: Id, location: NewLocation): Promise<Id> {
    return this.#submit("addLocation", { userId, location });
  }

  async changeLocation(userId: Id, locationId: Id, change: LocationChange): Promise<void> {
    await this.#submit("changeLocation", { userId, locationId, change });
  }

  async removeLocation(userId: Id, locationId: Id): Promise<void> {
    await this.#submit("removeLocation", { userId, locationId });
  }

  addDevice(userId: Id, device: NewDevice): Promise<Id> {
    return this.#submit("addDevice", { userId, device });
  }

  async changeDevice(userId: Id, dId: string, change: DeviceChange): Promise<void> {
    await this.#submit("changeDevice", { userId, dId, change });
  }

  async removeDevice(userId: Id, dId: string, by: Actor = SERVICE_ACTOR): Promise<void> {
    await this.#submit("removeDevice", { userId, dId, by });
  }

  addRecord(userId: Id, record: NewRecord, idempotency: Idempotency | null): Promise<PostedRecord> {
    return this.#submit(
      "addRecord",
      { userId, record, idempotency },
      {
        changeOf: ({ recordId, repeated }) =>
          repeated ? undefined : { kind: "record", userId, recordId, record },
      },
    );
  }

  async voidRecord(recordId: number, reason: string, by: Actor = SERVICE_ACTOR): Promise<void> {
    await this.#submit("voidRecord", { recordId, reason, by });
  }

  async settleTimes(bootId: string, zeroMs: number): Promise<number> {
    let settled = 0;
    // Some at a time, so that other writes come between.
    for (;;) {
      const { moved, more } = await this.#submit("settleTimes", { bootId, zeroMs });
      settled += moved;
      if (!more) return settled;
    }
  }

  async noteBoot(bootId: string, zeroMs: number | null): Promise<void> {
    await this.#submit("noteBoot", { bootId, zeroMs });
  }

  async purge(): Promise<number> {
    let purged = 0;
    for (let removed = -1; removed !== 0; purged += removed) removed = await this.#submit("purge", undefined);
    return purged;
  }

  /**
   * Takes checked entries out of the ledger: they count with their archive as soon as it is told of, and are removed
   * a few at a time, so that other writes come between. Rejects with `conflict` where one was changed meanwhile:
   * then nothing has changed.
   */
  async archive(prepared: PreparedArchive, by: Actor = SERVICE_ACTOR): Promise<void> {
    await this.removeArchived(await this.#submit("archive", { prepared, by }));
  }

  /** Removes what is left of the entries that the archive of this entry tells of. */
  async removeArchived(position: number): Promise<void> {
    for (let before = position; before > 0; ) {
      ({ before } = await this.#submit("removeArchived", { position, before }));
    }
  }

  async setWiring(wirings: readonly OwnedWiring[], by: Actor = SERVICE_ACTOR): Promise<void> {
    await this.#submit("setWiring", { wirings, by });
  }

  async removeWiring(userId: Id, line: string, by: Actor = SERVICE_ACTOR): Promise<void> {
    await this.#submit("removeWiring", { userId, line, by });
  }

  async noteAudit(notes: readonly AuditNote[]): Promise<void> {
    await this.#submit("noteAudit", notes);
  }

  openRequest(): Promise<number> {
    return this.#submit("openRequest", undefined, { maxWaiting: MAX_WAITING + RESERVED_FOR_EDGES });
  }

  takeIn(sightings: readonly Sighting[]): Promise<readonly Taken[]> {
    return this.#submit("takeIn", sightings, { maxWaiting: MAX_WAITING + RESERVED_FOR_EDGES });
  }

  /** Changes nothing: resolves once the thread has committed what was sent before. Takes a place that edges may take. */
  async ping(): Promise<void> {
    await this.#submit("ping", undefined, { maxWaiting: MAX_WAITING + RESERVED_FOR_EDGES });
  }

  #submit<N extends CommandName>(
    name: N,
    input: CommandInput<N>,
    options: SubmitOptions<N> = {},
  ): Promise<CommandOutput<N>> {
    if (this.#worker === undefined || this.#closing) {
      return Promise.reject(new FlancoError("unavailable", "The ledger is closed."));
    }
    if (this.#waiting.length >= (options.maxWaiting ?? MAX_WAITING)) {
      return Promise.reject(
        new FlancoError("overloaded", "Too many writes are waiting for the disk.", {
          hint: "Try again in a second.",
        }),
      );
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        name,
        input,
        changeOf: options.changeOf as Waiting["changeOf"],
        resolve: resolve as Waiting["resolve"],
        reject,
      });
      this.#schedule();
    });
  }

  /** Waits for the end of this turn of the loop, so that what arrives together leaves together. */
  #schedule(): void {
    if (this.#scheduled || this.#inFlight.length >= MAX_IN_FLIGHT) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#waiting.length === 0 || this.#inFlight.length >= MAX_IN_FLIGHT) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#inFlight.push(batch);
    const commands = batch.map(({ name, input }) => ({ name, input }));
    const clock = this.#clock;
    this.#send({ kind: "batch", batch: { nowMs: clock.nowMs(), monotonicMs: monotonicMs(clock), commands } });
  }

  #send(request: WriterRequest): void {
    this.#worker?.postMessage(request);
  }

  #settle(results: readonly CommandResult[]): void {
    const batch = this.#inFlight.shift() ?? [];
    const changes: Change[] = [];
    batch.forEach((waiting, index) => {
      const result = results[index];
      if (result === undefined || "error" in result) {
        waiting.reject(fromMessage(result?.error));
        return;
      }
      waiting.resolve(result.output);
      if (result.changes !== undefined) changes.push(...result.changes);
      const known = waiting.changeOf?.(result.output);
      if (known !== undefined) changes.push(known);
    });
    if (changes.length > 0) this.#listener.onChanges(changes);
    this.#flush();
    if (this.#inFlight.length === 0 && this.#waiting.length === 0) this.#onIdle?.();
  }

  #noteDisk(fullSinceMs: number | null): void {
    this.#diskFullSinceMs = fullSinceMs;
    this.#listener.onDisk?.(fullSinceMs);
  }

  #die(error: Error): void {
    if (this.#worker === undefined) return;
    this.#worker = undefined;
    const lost = new FlancoError("unavailable", "The ledger takes no writes.", { cause: error });
    for (const waiting of [...this.#inFlight.flat(), ...this.#waiting]) waiting.reject(lost);
    this.#inFlight = [];
    this.#waiting = [];
    this.#onIdle?.();
    if (this.#opened && !this.#closing) this.#listener.onDeath(error);
  }
}

function fromMessage(error: ErrorMessage | undefined): FlancoError {
  if (error === undefined) return new FlancoError("internal", "The writer gave no answer.");
  const { code, message, hint, fields } = error;
  return new FlancoError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(fields === undefined ? {} : { fields }),
  });
}
