import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileLibrary } from "../../scripts/compile-library.ts";

const SOURCE = join(import.meta.dirname, "failing-sync.c");

/** One file of a process whose syncs fail from a moment on. libfiu cannot tell one file from another. */
export class FailingSync {
  readonly #library: string;
  readonly #begun: string;
  readonly #file: string;

  /** The library is made in this directory, by gcc. */
  constructor(directory: string, file: string) {
    this.#library = join(directory, "failing-sync.so");
    this.#begun = join(directory, "sync-fails");
    this.#file = file;
    compileLibrary(SOURCE, this.#library);
  }

  /** Runs a command so that its syncs can fail. */
  get wrapper(): readonly string[] {
    const variables = [
      `LD_PRELOAD=${this.#library}`,
      `FAIL_SYNC_OF=${this.#file}`,
      `FAIL_SYNC_WHEN=${this.#begun}`,
    ];
    return ["env", ...variables];
  }

  begin(): void {
    writeFileSync(this.#begun, "");
  }
}
