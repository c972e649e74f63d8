import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { EMAIL, PASSWORD } from "../../guest/inside/api.ts";
import { Program } from "../../rig/program.ts";

const SHARED_MEMORY_INDEX = "flanco.db-shm";
let sets = 0;

/** Data directories as power cuts left them, each kind once, to start the real program on. */
export class FoundFolders {
  readonly #seen = new Set<string>();
  readonly #copies: string[] = [];
  readonly #scratch: string;
  /** Of so many that are looked at one is kept: each may hold some MiB, in memory. */
  readonly #every: number;
  readonly #program: string | undefined;
  #looked = 0;

  /** Copies are made in `scratch`, and are gone with it. `program` is started in place of this checkout's. */
  constructor(scratch: string, every: number, program?: string) {
    sets += 1;
    this.#scratch = join(scratch, `found-${sets}`);
    this.#every = every;
    this.#program = program;
  }

  /** How many different ones there were. */
  get count(): number {
    return this.#seen.size;
  }

  /** Takes note of a folder, and a copy of some. Call before anything opens what is in it. */
  keep(folder: string): void {
    const key = fingerprint(folder);
    this.#looked += 1;
    // One that was seen already leaves its turn to the next.
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    if (this.#copies.length * this.#every >= this.#looked) return;
    const copy = join(this.#scratch, key);
    cpSync(folder, copy, { recursive: true });
    this.#copies.push(copy);
  }

  /** Starts the program on those that were kept; gives the longest time to ready. */
  async startOnEach(signIn: boolean): Promise<{ started: number; slowestMs: number }> {
    let slowestMs = 0;
    for (const folder of this.#copies)
      slowestMs = Math.max(slowestMs, await startOn(folder, signIn, this.#program));
    return { started: this.#copies.length, slowestMs };
  }
}

async function startOn(folder: string, signIn: boolean, program: string | undefined): Promise<number> {
  const appliance = await Program.make();
  try {
    cpSync(folder, appliance.dataDir, { recursive: true });
    const began = performance.now();
    const service = await appliance.start({}, program === undefined ? {} : { program });
    const tookMs = Math.round(performance.now() - began);
    if (signIn) await service.signIn(EMAIL, PASSWORD);
    return tookMs;
  } finally {
    await appliance.close();
  }
}

/** Names a folder by what is in it. SQLite rebuilds its index of the log at each start. */
function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const isFile = statSync(join(folder, path)).isFile();
    hash.update(`${path} ${isFile}\n`);
    if (isFile && path !== SHARED_MEMORY_INDEX) hash.update(readFileSync(join(folder, path)));
  }
  return hash.digest("hex").slice(0, 16);
}
