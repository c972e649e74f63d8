import { closeSync, existsSync, openSync, readSync, writeSync } from "node:fs";

/** https://www.sqlite.org/fileformat2.html#walformat: where the log and its frames keep what is needed here. */
const HEADER_BYTES = 32;
const HEADER_SUMMED_BYTES = 24;
const SALT_AT = 16;
const HEADER_SUM_AT = 24;
const MAGIC = 0x377f0682;
const BIG_ENDIAN_MAGIC = 0x377f0683;
const FRAME_HEADER_BYTES = 24;
const FRAME_SUMMED_BYTES = 8;
const FRAME_COMMIT_AT = 4;
const FRAME_SALT_AT = 8;
const FRAME_SUM_AT = 16;
const SALT_BYTES = 8;
/** In a database's own header. */
const PAGE_SIZE_AT = 16;
const LARGEST_PAGE_SIZE_CODE = 1;
const LARGEST_PAGE_BYTES = 65_536;
/** Each commit is on the disk before the next begins: a power cut leaves one unfinished at most. */
const COMMITS_OF_A_POWER_CUT = 1;

type Checksum = readonly [number, number];

/** One page as a commit wrote it. `bytes` is valid until the next frame is read. */
interface Frame {
  readonly page: number;
  /** True for the last frame of a commit. */
  readonly commit: boolean;
  /** Whether its salt is that of the log; what an earlier use of the file has left has another. */
  readonly ofThisLog: boolean;
  /** Whether its checksum follows from the one that is stored before it. */
  readonly follows: boolean;
  readonly bytes: Buffer;
}

/**
 * Whether the log of this ledger is damaged before its end. SQLite reads a log up to the first invalid frame, and takes
 * the rest for a commit that a power cut interrupted. If complete commits follow that frame, the log is damaged, and
 * SQLite would silently lose them. Damage to one of the last two commits cannot be distinguished from a power cut. Call
 * only while nothing writes, because a frame is invalid while it is written.
 */
export function isLogDamaged(file: string): boolean {
  let damaged = false;
  let commitsAfter = 0;
  readFrames(file, (frame) => {
    const holds = frame.ofThisLog && frame.follows;
    if (damaged && holds && frame.commit) commitsAfter += 1;
    damaged ||= !holds;
  });
  return commitsAfter > COMMITS_OF_A_POWER_CUT;
}

/**
 * Writes every page of the damaged log into `copy`, a copy of the file that it belongs to, as far as the log has commits: also what stands
 * after the damage. What is in a damaged frame is written as it is; who reads the copy must not trust it.
 */
export function foldDamagedLog(file: string, copy: string): void {
  let index = 0;
  let committed = 0;
  readFrames(file, ({ commit, ofThisLog }) => {
    index += 1;
    if (commit && ofThisLog) committed = index;
  });
  const target = openSync(copy, "r+");
  try {
    index = 0;
    readFrames(file, ({ page, ofThisLog, bytes }) => {
      index += 1;
      if (index <= committed && ofThisLog && page > 0)
        writeSync(target, bytes, 0, bytes.length, (page - 1) * bytes.length);
    });
  } finally {
    closeSync(target);
  }
}

/** Reads the frames of a database's log in their order; none when there is no log. */
function readFrames(file: string, take: (frame: Frame) => void): void {
  const log = `${file}-wal`;
  if (!existsSync(log)) return;
  const pageBytes = pageBytesOf(file);
  const descriptor = openSync(log, "r");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(descriptor, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return;
    const magic = header.readUInt32BE(0);
    const bigEndian = magic === BIG_ENDIAN_MAGIC;
    const headerSum = addTo([0, 0], header.subarray(0, HEADER_SUMMED_BYTES), bigEndian);
    const headerHolds = (magic === MAGIC || bigEndian) && isSum(header, HEADER_SUM_AT, headerSum);
    const buffer = Buffer.alloc(FRAME_HEADER_BYTES + pageBytes);
    let salt = headerHolds ? header.subarray(SALT_AT, SALT_AT + SALT_BYTES) : undefined;
    let before: Checksum = headerSum;
    for (
      let at = HEADER_BYTES;
      readSync(descriptor, buffer, 0, buffer.length, at) === buffer.length;
      at += buffer.length
    ) {
      const ownSalt = buffer.subarray(FRAME_SALT_AT, FRAME_SALT_AT + SALT_BYTES);
      // Where the header is damaged, the salt of the first frame counts.
      salt ??= Buffer.from(ownSalt);
      const summed = addTo(before, buffer.subarray(0, FRAME_SUMMED_BYTES), bigEndian);
      const sum = addTo(summed, buffer.subarray(FRAME_HEADER_BYTES), bigEndian);
      take({
        page: buffer.readUInt32BE(0),
        commit: buffer.readUInt32BE(FRAME_COMMIT_AT) !== 0,
        ofThisLog: ownSalt.equals(salt),
        follows: isSum(buffer, FRAME_SUM_AT, sum),
        bytes: buffer.subarray(FRAME_HEADER_BYTES),
      });
      before = [buffer.readUInt32BE(FRAME_SUM_AT), buffer.readUInt32BE(FRAME_SUM_AT + 4)];
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The log's checksum, carried on over more bytes, whose number is a multiple of 8. */
function addTo([first, second]: Checksum, bytes: Buffer, bigEndian: boolean): Checksum {
  let s0 = first;
  let s1 = second;
  for (let at = 0; at < bytes.length; at += 8) {
    s0 = (s0 + (bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + s1) >>> 0;
    s1 = (s1 + (bigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + s0) >>> 0;
  }
  return [s0, s1];
}

function isSum(bytes: Buffer, at: number, [s0, s1]: Checksum): boolean {
  return bytes.readUInt32BE(at) === s0 && bytes.readUInt32BE(at + 4) === s1;
}

function pageBytesOf(file: string): number {
  const header = Buffer.alloc(PAGE_SIZE_AT + 2);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, header, 0, header.length, 0);
  } finally {
    closeSync(descriptor);
  }
  const code = header.readUInt16BE(PAGE_SIZE_AT);
  return code === LARGEST_PAGE_SIZE_CODE ? LARGEST_PAGE_BYTES : code;
}
