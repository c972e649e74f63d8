import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { EMAIL, PASSWORD } from "../../guest/inside/api.ts";
import { Program } from "../../rig/program.ts";

/** Each may hold some MiB, in memory. */
const MAX_COPIES = 16;
const SHARED_MEMORY_INDEX = "flanco.db-shm";
let sets = 0;

/** Data directories as power cuts left them, each kind once, to start the real program on. */
export class FoundFolders {
  readonly #seen = new Set<string>();
  #copies: string[] = [];
  /** Of so many new ones one is kept. */
  #stride = 1;
  readonly #scratch: string;

  readonly #program: string | undefined;

  /** Copies are made in `scratch`, and are gone with it. `program` is started in place of this checkout's. */
  constructor(scratch: string, program?: string) {
    this.#program = program;
    sets += 1;
    this.#scratch = join(scratch, `found-${sets}`);
  }

  get count(): number {
    return this.#seen.size;
  }

  /** Takes note of a folder, and a copy of some. Call before anything opens what is in it. */
  keep(folder: string): void {
    const key = fingerprint(folder);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    if ((this.#seen.size - 1) % this.#stride !== 0) return;
    const copy = join(this.#scratch, key);
    cpSync(folder, copy, { recursive: true });
    this.#copies.push(copy);
    if (this.#copies.length > MAX_COPIES) this.#thinOut();
  }

  /** Every second one stays, so that those that are kept come evenly from all. */
  #thinOut(): void {
    this.#stride *= 2;
    const [stay, go] = [0, 1].map((rest) => this.#copies.filter((_, index) => index % 2 === rest));
    for (const copy of go ?? []) rmSync(copy, { recursive: true });
    this.#copies = stay ?? [];
  }

  /** Starts the program on so many of them, evenly chosen; gives the longest time to ready. */
  async startOnEach(count: number, signIn: boolean): Promise<{ started: number; slowestMs: number }> {
    const folders = sample(this.#copies, count);
    let slowestMs = 0;
    for (const folder of folders)
      slowestMs = Math.max(slowestMs, await startOn(folder, signIn, this.#program));
    return { started: folders.length, slowestMs };
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

/** Evenly from the whole list, its ends included. */
function sample<T>(list: readonly T[], count: number): readonly T[] {
  if (list.length <= count) return list;
  return Array.from(
    { length: count },
    (_, index) => list[Math.floor((index * (list.length - 1)) / (count - 1))],
  ).filter((item) => item !== undefined);
}
