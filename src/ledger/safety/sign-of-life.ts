import { constants, readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { z } from "zod";
import type { BootMoment } from "../../domain/boot.ts";
import { orNothing } from "../../domain/error.ts";
import type { LedgerReader } from "../../domain/ledger.ts";
import { OWNER_ONLY } from "../../platform/durable-file.ts";
import { MAX_LEAP } from "./tail.ts";

/** A block of the file system: a write to one slot never touches the other, which stays whole in a power cut. */
const SLOT_BYTES = 4_096;
const SLOTS = 2;

const SIGN = z.object({ bootId: z.string(), monotonicMs: z.number(), commits: z.int() });

/** That a service ran at this moment, and that the ledger then held so many commits. */
export type Sign = z.infer<typeof SIGN>;

type SignedLedger = Pick<LedgerReader, "lastAlive" | "commits">;

/** The newest sign in a file, as `newestOf` gives it. */
export function lastSign(file: string, ledger: SignedLedger): BootMoment | undefined {
  return newestOf(signsIn(file), ledger);
}

/**
 * The newest sign of the ledger's newest boot, if it is later than what the ledger has; else undefined. A sign of
 * commits that the ledger has lost since then does not count: their edges are lost too, so the gap is longer. Nor
 * does one from before a rebuild or a restore, which numbers its commits far ahead and may lack some.
 */
export function newestOf(signs: readonly Sign[], ledger: SignedLedger): BootMoment | undefined {
  const stored = ledger.lastAlive();
  if (stored === undefined) return undefined;
  const commits = ledger.commits();
  const later = signs
    .filter((sign) => sign.bootId === stored.bootId)
    .filter((sign) => sign.commits <= commits && commits - sign.commits < MAX_LEAP)
    .map(({ monotonicMs }) => monotonicMs)
    .filter((monotonicMs) => monotonicMs > stored.monotonicMs);
  return later.length === 0 ? undefined : { ...stored, monotonicMs: Math.max(...later) };
}

function signsIn(file: string): readonly Sign[] {
  const content = orNothing(() => readFileSync(file, "latin1")) ?? "";
  return [0, SLOT_BYTES].flatMap((at) => {
    const [sum = "", text = ""] = content.slice(at, at + SLOT_BYTES).split("\n", 2);
    if (sum !== sumOf(text)) return [];
    // Another version may have had another form: that must not keep this one from its start.
    return SIGN.safeParse(JSON.parse(text)).data ?? [];
  });
}

function sumOf(text: string): string {
  return crc32(text).toString(16);
}

/**
 * The file of the last signs of life, which are written in place: 4 kB each on the disk, and no new block.
 * In the ledger each would be a commit, with the tail and two entries of the file system's journal.
 */
export class SignOfLife {
  readonly #file: string;
  #handle: FileHandle | undefined;
  #slot = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Writes a sign durably, in place of the last but one. Call it once the one before is written. */
  async write(sign: Sign): Promise<void> {
    // Not truncated: the signs of the process before are needed until the ledger has them.
    this.#handle ??= await open(this.#file, constants.O_RDWR | constants.O_CREAT, OWNER_ONLY);
    const text = JSON.stringify(sign);
    const slot = Buffer.alloc(SLOT_BYTES);
    slot.write(`${sumOf(text)}\n${text}\n`, "latin1");
    await this.#handle.write(slot, 0, SLOT_BYTES, this.#slot * SLOT_BYTES);
    await this.#handle.datasync();
    this.#slot = (this.#slot + 1) % SLOTS;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}
