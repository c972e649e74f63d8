import { readFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";

/** MADV_DONTNEED of asm-generic/mman-common.h. */
const MADV_DONTNEED = 4;
/** A file's pages that this process reads or runs and has not written to; the path follows after inode and spaces. */
const FILE_MAPPING = /^([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ [1-9]\d* +\//;
/** A multiple of every page size. */
const PIECE_BYTES = 2 * 1024 * 1024;
const UNCHANGED = /^Anonymous: +0 kB$/m;

/** A stretch of this process's memory. */
export interface Mapping {
  /** Its first address. */
  readonly start: number;
  /** In bytes. */
  readonly length: number;
}

/** The mappings of files in the text of /proc/self/smaps whose pages the kernel can read again at any time. */
export function rereadable(smaps: string): readonly Mapping[] {
  return smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).flatMap((text) => {
    const [, from, to] = FILE_MAPPING.exec(text) ?? [];
    if (from === undefined || to === undefined || !UNCHANGED.test(text)) return [];
    const start = Number.parseInt(from, 16);
    return [{ start, length: Number.parseInt(to, 16) - start }];
  });
}

/** Those mappings in pieces that the kernel lets go of within a millisecond or two, also on a small machine. */
export function* piecesOf(mappings: Iterable<Mapping>): Generator<Mapping> {
  for (const { start, length } of mappings) {
    for (let at = 0; at < length; at += PIECE_BYTES) {
      yield { start: start + at, length: Math.min(PIECE_BYTES, length - at) };
    }
  }
}

/**
 * Gives back memory that the start alone needed: free parts of the heap, and pages of the program's own file, which come
 * back one by one as they are needed. A third of the process is such pages (docs/packaging.md), and a gateway may have
 * 512 MB. Whatever else the process does goes on in between. Garbage is V8's to collect: asked for all of it at once, it stops
 * everything for longer than an edge or a request may wait. Throws where koffi does not load.
 */
export async function releaseStartMemory(): Promise<void> {
  const koffi = await import("koffi");
  const libc = koffi.load("libc.so.6");
  libc.func("int malloc_trim(size_t pad)")(0);
  const advise = libc.func("int madvise(uintptr_t address, size_t length, int advice)");
  // By another thread: the kernel counts every page for it.
  const smaps = await readFile("/proc/self/smaps", "utf8");
  for (const { start, length } of piecesOf(rereadable(smaps))) {
    advise(start, length, MADV_DONTNEED);
    await nextTurn();
  }
}
