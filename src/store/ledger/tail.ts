import { readdirSync, readFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { crc32 } from "node:zlib";
import { FlancoError, systemCode } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import { makeDirectory, OWNER_ONLY } from "../../durable-file.ts";
import { readHeldCommits } from "./chain.ts";
import { folderOf, readLedgerId, tryLedger } from "./identity.ts";
import { START_REBUILDS } from "./open.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import type { BatchRequest, CommandName, TailState } from "./writer-message.ts";

/** How long a commit may wait for its write to the tail. */
const WAIT_MS = 1_000;
/** Written at once, whatever the time. */
const MUCH_BYTES = 1024 * 1024;
/** What may wait for a disk that refuses it: a full one gets room, a stick comes back. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** A longer tail means that no backup has succeeded; the next backup begins another. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Length and checksum of what follows, four bytes each; then the commit's number, eight bytes, and the frame itself. */
const HEADER_BYTES = 8;
const NUMBER_BYTES = 8;
/** The schema, and the commit that the file's first frame follows. */
const NAME = /^tail-(\d+)-(\d+)$/;
/** How a file is called further that was set aside, because its schema is later than its ledger's. */
export const LATER = ".later";

/** One command of a commit that succeeded, and the identifiers that it was given. */
export interface TailCommand {
  readonly name: CommandName;
  readonly input: readonly unknown[];
  readonly ids: readonly Id[];
}

/** All that is needed to make a commit again, and the chain's head after it, which must come out. */
export interface TailFrame extends Omit<BatchRequest, "commands"> {
  readonly position: number;
  /** Hexadecimal. */
  readonly head: string;
  /** The boot that ran before it. */
  readonly bootId: string | undefined;
  /** Of the local days: planned prices begin with them. */
  readonly timeZone: string;
  readonly commands: readonly TailCommand[];
}

/** A file of the tail as it was found. */
export interface Segment {
  readonly file: string;
  /** The commit that its first frame follows. */
  readonly from: number;
  /** Its last whole frame. */
  readonly end: number;
  /** Whether the writer has ended by itself after that frame. */
  readonly closed: boolean;
  /** Up to the last whole frame: what follows is torn. */
  readonly bytes: number;
}

/** The files of the tail in a ledger's folder, oldest first: those of this program's schema that can be read. */
export function segmentsIn(folder: string): readonly Segment[] {
  return (orNothing(() => readdirSync(folder)) ?? [])
    .flatMap((name) => {
      const [, schema, from] = NAME.exec(name) ?? [];
      if (Number(schema) !== SCHEMA_VERSION) return [];
      return orNothing(() => segmentOf(join(folder, name), Number(from))) ?? [];
    })
    .toSorted((one, other) => one.from - other.from);
}

/** What is read of a disk; undefined where that is not there, or fails, which must not keep the service from its work. */
export function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** The names of the tail's files of some schemas in a folder, which need not be there. */
function namesOf(folder: string, isOf: (schema: number) => boolean): readonly string[] {
  return (orNothing(() => readdirSync(folder)) ?? []).filter((name) => {
    const schema = NAME.exec(name)?.[1];
    return schema !== undefined && isOf(Number(schema));
  });
}

/**
 * Renames the tail's files of a later schema than the ledger's: they end with `.later`. The ledger is the file of before that
 * version, and will lack what they hold, which the next version of that schema would take for a loss. Gives how many.
 */
export function setLaterTailAside(folder: string, schema: number): number {
  const names = namesOf(folder, (later) => later > schema);
  for (const name of names) renameSync(join(folder, name), join(folder, name + LATER));
  return names.length;
}

function segmentOf(file: string, from: number): Segment {
  let segment: Segment = { file, from, end: from, closed: false, bytes: 0 };
  for (const { commit, frame, bytes } of framesOf(file)) {
    segment = { ...segment, end: commit, closed: frame.length === 0, bytes };
  }
  return segment;
}

/** The frames of one file, with their commits' numbers. An empty one stands where the writer has ended by itself. */
export function* readFrames({ file }: Segment): Generator<{ commit: number; frame: TailFrame }> {
  for (const { commit, frame } of framesOf(file)) {
    if (frame.length > 0) yield { commit, frame: deserialize(frame) as TailFrame };
  }
}

/** Up to the first that is torn or damaged. `bytes` is where the frame ends. */
function* framesOf(file: string): Generator<{ commit: number; frame: Buffer; bytes: number }> {
  const content = readFileSync(file);
  for (let at = 0; at + HEADER_BYTES + NUMBER_BYTES <= content.length; ) {
    const end = at + HEADER_BYTES + content.readUInt32BE(at);
    const summed = content.subarray(at + HEADER_BYTES, end);
    if (end > content.length || summed.length < NUMBER_BYTES) return;
    if (crc32(summed) !== content.readUInt32BE(at + 4)) return;
    yield { commit: summed.readDoubleBE(0), frame: summed.subarray(NUMBER_BYTES), bytes: end };
    at = end;
  }
}

function encoded(commit: number, frame: TailFrame | null): Buffer {
  const payload = frame === null ? Buffer.alloc(0) : serialize(frame);
  const bytes = Buffer.alloc(HEADER_BYTES + NUMBER_BYTES + payload.length);
  bytes.writeDoubleBE(commit, HEADER_BYTES);
  payload.copy(bytes, HEADER_BYTES + NUMBER_BYTES);
  bytes.writeUInt32BE(bytes.length - HEADER_BYTES, 0);
  bytes.writeUInt32BE(crc32(bytes.subarray(HEADER_BYTES)), 4);
  return bytes;
}

/**
 * Throws `damaged` where the ledger lacks commits that its tail has. SQLite reads a log up to the first frame that is
 * damaged, and takes the rest for a commit that a power cut interrupted. Call before the ledger is opened for writing: the
 * log goes then.
 */
export function requireAllCommits(ledger: string, directory: string): void {
  const held = tryLedger(ledger, (db) => ({ id: readLedgerId(db), commits: readHeldCommits(db) }));
  // Opening a ledger that cannot be read says what is wrong with it.
  if (held === undefined) return;
  const end = Math.max(0, ...segmentsIn(folderOf(directory, held.id)).map((segment) => segment.end));
  if (end <= held.commits) return;
  throw new FlancoError("damaged", `The ledger ${ledger} is damaged: its newest commits are missing.`, {
    hint: START_REBUILDS,
  });
}

/**
 * What the ledger has and its newest backup may lack: each commit's commands, in files that only grow. Written behind the
 * commits, at most a second later and off the thread, so that no sale waits for this disk and none fails with it. No file
 * is held open in between: a removable disk can be unmounted.
 */
export class Tail {
  readonly #ledgerId: string;
  readonly #tell: (state: TailState) => void;
  #file = "";
  /** How much of the file is written, and durable. */
  #bytes = 0;
  #from = 0;
  #commit = 0;
  /** The newest commit that is written. */
  #end = 0;
  #pending: { readonly commit: number; readonly bytes: Buffer }[] = [];
  #pendingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #beginning = Promise.resolve();
  #failure: string | null = null;
  /** Whether commits are missing, so that nothing is added before the next backup. */
  #hasGap = false;

  /** Each directory that it is told of has a folder of this ledger. */
  constructor(ledgerId: string, tell: (state: TailState) => void) {
    this.#ledgerId = ledgerId;
    this.#tell = tell;
  }

  /** Goes on with the newest file where that ends with this commit, otherwise begins one. Sets what is later aside. */
  open(directory: string, commit: number): void {
    this.#attempt(() => {
      const folder = folderOf(directory, this.#ledgerId);
      setLaterTailAside(folder, SCHEMA_VERSION);
      const last = segmentsIn(folder).at(-1);
      if (last === undefined || last.end !== commit) return this.#begin(folder, commit);
      truncateSync(last.file, last.bytes);
      this.#go(last.file, last.from, last.bytes);
    });
    this.#commit = this.#end = commit;
  }

  /**
   * A backup to that directory begins, and a new file with it; or, with the number of its commits, is proved: files that hold
   * no later commits are removed.
   */
  backup(directory: string, proved: number | null): void {
    const folder = folderOf(directory, this.#ledgerId);
    if (proved !== null) void this.#trim(folder, proved);
    else this.#beginning = this.#beginOnceWritten(folder);
  }

  /** Takes a commit. Call after it, in the order of the commits. */
  add(commit: number, frame: TailFrame): void {
    this.#commit = commit;
    if (!this.#hasGap) this.#push(commit, frame);
  }

  /** Writes what waits, and that it is all. */
  async close(): Promise<void> {
    await this.#beginning;
    if (!this.#hasGap) this.#push(this.#commit, null);
    await this.#write();
    clearTimeout(this.#timer);
  }

  async #trim(folder: string, commit: number): Promise<void> {
    await this.#beginning;
    this.#attempt(() => {
      for (const { file, end } of segmentsIn(folder)) {
        if (end <= commit && file !== this.#file) rmSync(file);
      }
      for (const name of namesOf(folder, (schema) => schema < SCHEMA_VERSION)) rmSync(join(folder, name));
    });
  }

  #push(commit: number, frame: TailFrame | null): void {
    const bytes = encoded(commit, frame);
    if (this.#bytes + this.#pendingBytes > MAX_BYTES) {
      this.#giveUp(`it has reached ${MAX_BYTES / 1024 / 1024} MiB without a backup`);
      return;
    }
    if (this.#failure !== null && this.#pendingBytes > MAX_WAITING_BYTES) {
      this.#giveUp(this.#failure);
      return;
    }
    this.#pending.push({ commit, bytes });
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= MUCH_BYTES && this.#failure === null) void this.#write();
    else this.#writeSoon();
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.#write(), WAIT_MS).unref();
  }

  /** One write at a time. Frames that come meanwhile wait for the next: each write costs a card several blocks. */
  async #write(): Promise<void> {
    // Nothing may come between this check and the next write.
    while (this.#writing !== undefined) await this.#writing;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.length === 0) return;
    const taken = this.#pending.length;
    const bytes = Buffer.concat(this.#pending.map((frame) => frame.bytes));
    this.#writing = append(this.#file, this.#bytes, bytes).then(
      () => this.#written(taken, bytes.length),
      (error: unknown) => this.#refused(reasonOf(error)),
    );
    await this.#writing;
    this.#writing = undefined;
  }

  #written(taken: number, bytes: number): void {
    // Given up meanwhile.
    if (this.#hasGap) return;
    this.#end = this.#pending[taken - 1]?.commit ?? this.#end;
    this.#pending = this.#pending.slice(taken);
    this.#pendingBytes -= bytes;
    this.#bytes += bytes;
    if (this.#failure !== null) this.#say(null);
  }

  #refused(reason: string): void {
    if (this.#hasGap) return;
    if (this.#failure !== reason) this.#say(reason);
    this.#writeSoon();
  }

  /** The new file follows the newest frame that is written. What waits goes there. */
  async #beginOnceWritten(folder: string): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    this.#attempt(() => this.#begin(folder, this.#hasGap ? this.#commit : this.#end));
  }

  #begin(folder: string, commit: number): void {
    makeDirectory(folder);
    // A file of that name follows the same commit: what it holds was never in the ledger.
    const file = join(folder, `tail-${SCHEMA_VERSION}-${String(commit).padStart(16, "0")}`);
    rmSync(file, { force: true });
    this.#end = commit;
    this.#go(file, commit, 0);
  }

  #go(file: string, from: number, bytes: number): void {
    this.#file = file;
    this.#from = from;
    this.#bytes = bytes;
    this.#hasGap = false;
    this.#say(null);
  }

  #attempt(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#giveUp(reasonOf(error));
    }
  }

  /** From here to the next backup nothing is added: a file with a gap is of no use. */
  #giveUp(reason: string): void {
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#hasGap = true;
    this.#say(reason);
  }

  #say(failure: string | null): void {
    this.#failure = failure;
    this.#tell({ from: this.#from, failure });
  }
}

/**
 * Makes the bytes durable behind the first `offset` bytes of a file; a new file's name too. What an attempt before has left
 * behind these is cut off. Throws where the file is shorter: it is another one.
 */
async function append(file: string, offset: number, bytes: Buffer): Promise<void> {
  await using handle = await open(file, "a", OWNER_ONLY);
  const { size } = await handle.stat();
  if (size < offset) throw new Error(`${basename(file)} is not as it was left`);
  if (size > offset) await handle.truncate(offset);
  await handle.writeFile(bytes);
  await handle.datasync();
  if (offset > 0) return;
  await using folder = await open(dirname(file), "r");
  await folder.sync();
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `${code}${path === undefined ? "" : ` at ${basename(path)}`}`;
}
