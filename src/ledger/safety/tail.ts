import { constants, readdirSync, readFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { crc32 } from "node:zlib";
import { FlancoError, orNothing } from "../../domain/error.ts";
import type { Id } from "../../domain/id.ts";
import type { Sighting } from "../../domain/sale.ts";
import { makeDirectory, OWNER_ONLY } from "../../platform/durable-file.ts";
import { readHeldCommits } from "../engine/chain.ts";
import type { CommandName } from "../engine/commands.ts";
import { folderOf, readLedgerId, tryLedger } from "../engine/identity.ts";
import type { FirstNumbers } from "../engine/numbers.ts";
import { START_REBUILDS } from "../engine/open.ts";
import { SCHEMA_VERSION } from "../engine/schema.ts";
import type { BatchRequest } from "../engine/writer-thread.ts";

/** How long a commit may wait for its write to the tail. */
const WAIT_MS = 1_000;
/** So many waiting bytes are written without waiting longer. */
const MUCH_BYTES = 1024 * 1024;
/** So many bytes may wait for a disk that refuses writes: a full one may get room, a stick may come back. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** A file grows by so many bytes of zeros at a time: a write that lengthens a file costs the file system's journal too. */
const ROOM_BYTES = 64 * 1024;
/** What a disk writes whole: of a write that a power cut interrupts, any of these may be missing. */
const SECTOR_BYTES = 512;
/** A tail grows beyond this only if backups fail. Then it is given up until the next backup begins another. */
const MAX_BYTES = 64 * 1024 * 1024;
/**
 * A frame's header: length and checksum of what follows it, four
 * bytes each. The commit's number (eight bytes) and the frame follow.
 */
const HEADER_BYTES = 8;
const NUMBER_BYTES = 8;
/** What a frame takes at least for each entry of its commit. */
const ENTRY_BYTES = 100;
/**
 * Within one file numbers of commits grow by the entries of each. After damage, bytes that say a
 * number further ahead are no frame: so the search for the next one hardly ever adds a checksum up.
 */
export const MAX_LEAP = 2 ** 32;
/** A file's name has the schema, and the commit that its first frame follows. */
const NAME = /^tail-(\d+)-(\d+)$/;
/** Added to the name of a file that was set aside, because its schema is later than its ledger's. */
export const LATER = ".later";

/** The state of the tail. */
export interface TailState {
  /**
   * The commit that it follows without a gap. With it a backup
   * of that commit or a later one can be brought up to date.
   */
  readonly from: number;
  /** Why it is not being written; null while it is. */
  readonly failure: string | null;
}

/** One command of a commit, and the identifiers that were made for it. */
export interface TailCommand {
  readonly name: CommandName;
  readonly input: readonly unknown[];
  readonly ids: readonly Id[];
}

/** The levels of lines that a command takes in. */
export function sightingsOf({ name, input }: TailCommand): readonly Sighting[] {
  // A frame is a call that the compiler has checked, as it was written.
  return name === "takeIn" ? (input[0] as readonly Sighting[]) : [];
}

/** All that is needed to make a commit again, and the chain's head after it, to which it must lead again. */
export interface TailFrame extends Omit<BatchRequest, "commands"> {
  readonly position: number;
  /** Hexadecimal. */
  readonly head: string;
  /** The running boot before the commit. */
  readonly bootId: string | undefined;
  /** The zone of the local days, with which planned prices begin. */
  readonly timeZone: string;
  /** Of the entries that it adds. */
  readonly numbers: FirstNumbers;
  readonly commands: readonly TailCommand[];
}

/** A file of the tail as it was found. */
export interface Segment {
  readonly file: string;
  /** All that was written of the file: a restore goes on as a user that may not read it. */
  readonly content: Buffer;
  /** The commit that its first frame follows. */
  readonly from: number;
  /** Its last whole frame. */
  readonly end: number;
  /** Whether the writer was closed after that frame, and nothing was written since: then no commit is missing. */
  readonly closed: boolean;
  /** The length up to the last whole frame. A torn frame may follow. */
  readonly bytes: number;
  /** Whether it has bytes that were written as frames and are none. What follows them is read all the same. */
  readonly isDamaged: boolean;
}

/** The files of the tail in a ledger's folders, oldest first: those of this schema that can be read. */
export function segmentsIn(...folders: readonly string[]): readonly Segment[] {
  const found = folders.flatMap((folder) =>
    namesOf(folder, (schema) => schema === SCHEMA_VERSION).flatMap(
      (name) => orNothing(() => segmentOf(join(folder, name), Number(NAME.exec(name)?.[2]))) ?? [],
    ),
  );
  return found.toSorted((one, other) => one.from - other.from);
}

/** The names of the tail's files of these schemas in a folder; none where it is missing. */
function namesOf(folder: string, isOf: (schema: number) => boolean): readonly string[] {
  return (orNothing(() => readdirSync(folder)) ?? []).filter((name) => {
    const schema = NAME.exec(name)?.[1];
    return schema !== undefined && isOf(Number(schema));
  });
}

/**
 * Renames the tail's files of a later schema than the ledger's, and gives how many: the
 * names then end with `.later`. They are from after an upgrade that was taken back: the
 * next upgrade would take their commits for commits that the ledger has lost.
 */
export function setLaterTailAside(folder: string, schema: number): number {
  const names = namesOf(folder, (later) => later > schema);
  for (const name of names) renameSync(join(folder, name), join(folder, name + LATER));
  return names.length;
}

/** Whether a folder has files of the tail that this program cannot read, because another schema's program wrote them. */
export function hasTailOfOtherSchema(folder: string): boolean {
  return namesOf(folder, (schema) => schema !== SCHEMA_VERSION).length > 0;
}

function segmentOf(file: string, from: number): Segment {
  const whole = readFileSync(file);
  let segment: Segment = { file, content: whole, from, end: from, closed: false, bytes: 0, isDamaged: false };
  for (const { commit, frame, at, bytes } of framesOf(whole, from)) {
    const isDamaged = segment.isDamaged || at !== segment.bytes;
    segment = { ...segment, end: commit, closed: frame.length === 0, bytes, isDamaged };
  }
  const content = whole.subarray(0, writtenOf(whole, segment.bytes));
  const closed = segment.closed && content.length === segment.bytes;
  const isDamaged = segment.isDamaged || !isTorn(content, segment.bytes, segment.end);
  return { ...segment, content, closed, isDamaged };
}

/** The length without the zeros at the end, to be written over; at least up to the last whole frame. */
function writtenOf(content: Buffer, least: number): number {
  let length = content.length;
  while (length > least && content[length - 1] === 0) length -= 1;
  return length;
}

/**
 * How many entries these files may have told of at most, after this commit,
 * behind which nothing can be read: a commit's number grows by its entries.
 */
export function entriesBehind(segments: readonly Segment[], commit: number): number {
  return segments
    .filter((_, index) => (segments[index + 1]?.from ?? Number.POSITIVE_INFINITY) > commit)
    .reduce((sum, { from, end, bytes, content }) => {
      const unread = Math.ceil((content.length - bytes) / ENTRY_BYTES);
      return sum + Math.max(0, end - Math.max(from, commit)) + unread;
    }, 0);
}

/** A sentence about each of these files that is damaged. */
export function damageIn(segments: readonly Segment[]): readonly string[] {
  return segments.flatMap(({ file, isDamaged }) =>
    isDamaged ? [`The tail's file ${file} is damaged.`] : [],
  );
}

/** The frames of one file, with the numbers of their commits. The empty frame of a closed writer is left out. */
export function* readFrames({
  content,
  from,
}: Pick<Segment, "content" | "from">): Generator<{ readonly commit: number; readonly frame: TailFrame }> {
  for (const { commit, frame } of framesOf(content, from)) {
    if (frame.length > 0) yield { commit, frame: deserialize(frame) as TailFrame };
  }
}

interface RawFrame {
  readonly commit: number;
  readonly frame: Buffer;
  /** Where it begins and ends. */
  readonly at: number;
  readonly bytes: number;
}

/** The whole frames that follow a commit, also those after damaged bytes: then the next one is searched for. */
export function* framesOf(content: Buffer, from: number): Generator<RawFrame> {
  let after = from;
  for (let at = 0; at + HEADER_BYTES + NUMBER_BYTES <= content.length; ) {
    const found = frameAt(content, at, after);
    if (found !== undefined) {
      yield found;
      after = found.commit;
    }
    at = found?.bytes ?? at + 1;
  }
}

/** The frame that begins there; undefined where none does that is whole and comes after that commit. */
function frameAt(content: Buffer, at: number, after: number): RawFrame | undefined {
  if (!isNextCommit(content, at, after)) return undefined;
  const bytes = at + lengthAt(content, at);
  if (bytes > content.length) return undefined;
  const summed = content.subarray(at + HEADER_BYTES, bytes);
  if (crc32(summed) !== content.readUInt32BE(at + 4)) return undefined;
  const commit = summed.readDoubleBE();
  return { commit, frame: summed.subarray(NUMBER_BYTES), at, bytes };
}

/** Whether a kill or a power cut has left what is there: nothing, or a frame that is shorter than it says or lacks a sector. */
function isTorn(content: Buffer, at: number, after: number): boolean {
  if (at + HEADER_BYTES + NUMBER_BYTES > content.length || lacksSector(content, at)) return true;
  return at + lengthAt(content, at) > content.length && isNextCommit(content, at, after);
}

/** Whether a sector from there on is zeros, as it was before the write. */
function lacksSector(content: Buffer, from: number): boolean {
  for (let at = from; at < content.length; ) {
    const end = at - (at % SECTOR_BYTES) + SECTOR_BYTES;
    const sector = content.subarray(at, end);
    if (sector.length > HEADER_BYTES && sector.every((byte) => byte === 0)) return true;
    at = end;
  }
  return false;
}

/** Whether the number of the frame there can follow that commit. */
function isNextCommit(content: Buffer, at: number, after: number): boolean {
  const commit = content.readDoubleBE(at + HEADER_BYTES);
  return commit >= after && commit < after + MAX_LEAP;
}

/** The length that the header there says, itself included; that of no file where there is no header. */
function lengthAt(content: Buffer, at: number): number {
  if (at + HEADER_BYTES > content.length) return Number.POSITIVE_INFINITY;
  const length = content.readUInt32BE(at);
  return length < NUMBER_BYTES ? Number.POSITIVE_INFINITY : HEADER_BYTES + length;
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
 * Throws `damaged` where the ledger lacks commits that its tail has. SQLite reads its
 * log up to the first damaged frame, and takes the rest for a commit that a power cut
 * interrupted. Call it before the ledger is opened for writing, which removes the log.
 */
export function requireAllCommits(ledger: string, directory: string): void {
  const held = tryLedger(ledger, (db) => ({ id: readLedgerId(db), commits: readHeldCommits(db) }));
  // Opening the ledger will say what is wrong with it.
  if (held === undefined) return;
  const end = Math.max(0, ...segmentsIn(folderOf(directory, held.id)).map((segment) => segment.end));
  if (end <= held.commits) return;
  throw new FlancoError("damaged", `The ledger ${ledger} is damaged: its newest commits are missing.`, {
    hint: START_REBUILDS,
  });
}

/**
 * The commits that the newest backup may lack: each commit's commands, in files that
 * only grow. They are written after the commits, at most a second later and without
 * blocking the thread, so that no sale waits for this disk or fails with it. No file
 * stays open between two writes, so that a removable disk can be unmounted.
 */
export class Tail {
  readonly #ledgerId: string;
  readonly #tell: (state: TailState) => void;
  #file = "";
  /** How many bytes of the file are durable. */
  #bytes = 0;
  /** How long the file is: what follows those bytes is zeros. */
  #room = 0;
  #from = 0;
  #commit = 0;
  /** The newest commit in it. */
  #end = 0;
  #pending: { readonly commit: number; readonly bytes: Buffer }[] = [];
  #pendingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #beginning = Promise.resolve();
  #failure: string | null = null;
  /** Whether commits are missing, so that nothing is added before the next backup. */
  #hasGap = false;

  /** Each directory that is passed to it has a folder of this ledger. */
  constructor(ledgerId: string, tell: (state: TailState) => void) {
    this.#ledgerId = ledgerId;
    this.#tell = tell;
  }

  /**
   * Continues the newest file if it is whole and ends with this
   * commit, otherwise begins one. Sets files of a later schema aside.
   */
  open(directory: string, commit: number): void {
    this.#attempt(() => {
      const folder = folderOf(directory, this.#ledgerId);
      setLaterTailAside(folder, SCHEMA_VERSION);
      const last = segmentsIn(folder).at(-1);
      const goesOn = last?.end === commit && !last.isDamaged;
      if (last === undefined || !goesOn) return this.#begin(folder, commit);
      truncateSync(last.file, last.bytes);
      this.#go(last.file, last.from, last.bytes);
    });
    this.#commit = this.#end = commit;
  }

  /**
   * A backup to that directory begins, and a new file with it; or, with the number
   * of its commits, is proved: files that hold no later commits are removed.
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

  /** Writes the waiting frames, and the empty frame of a closed writer. */
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

  /** One write at a time. Frames that come meanwhile wait for the next: each costs a card several blocks. */
  async #write(): Promise<void> {
    // Nothing may come between this check and the next write.
    while (this.#writing !== undefined) await this.#writing;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.length === 0) return;
    const taken = this.#pending.length;
    const bytes = Buffer.concat(this.#pending.map((frame) => frame.bytes));
    this.#writing = append(this.#file, this.#bytes, this.#room, bytes).then(
      (room) => this.#written(taken, bytes.length, room),
      (error: unknown) => this.#refused(reasonOf(error)),
    );
    await this.#writing;
    this.#writing = undefined;
  }

  #written(taken: number, bytes: number, room: number): void {
    // The tail was given up meanwhile.
    if (this.#hasGap) return;
    this.#end = this.#pending[taken - 1]?.commit ?? this.#end;
    this.#pending = this.#pending.slice(taken);
    this.#pendingBytes -= bytes;
    this.#bytes += bytes;
    this.#room = room;
    if (this.#failure !== null) this.#say(null);
  }

  #refused(reason: string): void {
    if (this.#hasGap) return;
    if (this.#failure !== reason) this.#say(reason);
    this.#writeSoon();
  }

  /** Begins a file that follows the newest written frame. Waiting frames go there. */
  async #beginOnceWritten(folder: string): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    this.#attempt(() => this.#begin(folder, this.#hasGap ? this.#commit : this.#end));
  }

  #begin(folder: string, commit: number): void {
    makeDirectory(folder);
    // A file of that name would follow the same commit, so its commits were never in the ledger.
    const file = join(folder, `tail-${SCHEMA_VERSION}-${String(commit).padStart(16, "0")}`);
    rmSync(file, { force: true });
    this.#end = commit;
    this.#go(file, commit, 0);
  }

  #go(file: string, from: number, bytes: number): void {
    this.#file = file;
    this.#from = from;
    this.#bytes = this.#room = bytes;
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
 * Writes bytes durably at an offset of a file, into its room of zeros, which it lengthens where they need more; gives how
 * long the file then is. Cuts off first what an earlier attempt has left behind its room; makes a new file's name durable
 * too. Throws where the file is shorter than the offset: it is another file.
 */
async function append(file: string, offset: number, room: number, bytes: Buffer): Promise<number> {
  await using handle = await open(file, constants.O_WRONLY | constants.O_CREAT, OWNER_ONLY);
  const { size } = await handle.stat();
  if (size < offset) throw new Error(`${basename(file)} is not as it was left`);
  const isAsLeft = size === room;
  if (!isAsLeft) await handle.truncate(offset);
  const end = offset + bytes.length;
  const isEnough = isAsLeft && end <= room;
  const length = isEnough ? room : Math.ceil(end / ROOM_BYTES) * ROOM_BYTES;
  const written = isEnough ? bytes : Buffer.concat([bytes, Buffer.alloc(length - end)]);
  for (let done = 0; done < written.length; ) {
    done += (await handle.write(written, done, written.length - done, offset + done)).bytesWritten;
  }
  await handle.datasync();
  if (offset > 0) return length;
  await using folder = await open(dirname(file), "r");
  await folder.sync();
  return length;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `${code}${path === undefined ? "" : ` at ${basename(path)}`}`;
}
