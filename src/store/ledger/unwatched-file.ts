import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import type { BootMoment } from "../../domain/boot.ts";
import type { Log } from "../../domain/log.ts";
import { writeDurablyInBackground } from "../../durable-file.ts";

const linesSchema = z.record(z.string(), z.object({ bootId: z.string(), monotonicMs: z.number() }));

/**
 * Since when lines are not watched, in a file beside the ledger: a process may end before a line comes back. It is
 * written when a line is lost or comes back, off the event loop, the newest state last. Without it such a gap begins
 * with the end of the last process.
 */
export class UnwatchedFile {
  readonly #file: string;
  readonly #log: Log;
  #next: ReadonlyMap<string, BootMoment> | undefined;
  #writing: Promise<void> | undefined;

  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
  }

  /** What was written last; empty where there is none, or none that can be read, which the log tells. */
  read(): ReadonlyMap<string, BootMoment> {
    try {
      return new Map(Object.entries(linesSchema.parse(JSON.parse(readFileSync(this.#file, "utf8")))));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
        this.#log.warn({ err: error }, "since when lines are not watched cannot be read");
      }
      return new Map();
    }
  }

  /** Resolves nothing and never throws: `close` waits for it. */
  write(lines: ReadonlyMap<string, BootMoment>): void {
    this.#next = lines;
    this.#writing ??= this.#writeAll();
  }

  /** Resolves once all is durable, or was given up. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    for (let lines = this.#next; lines !== undefined; lines = this.#next) {
      this.#next = undefined;
      try {
        await writeDurablyInBackground(this.#file, `${JSON.stringify(Object.fromEntries(lines))}\n`);
      } catch (error) {
        this.#log.warn({ err: error }, "since when lines are not watched cannot be noted");
      }
    }
    // In the same moment as the last look at what is next.
    this.#writing = undefined;
  }
}
