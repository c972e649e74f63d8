import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileLibrary } from "../../scripts/compile-library.ts";

const SOURCE = join(import.meta.dirname, "failing-disk.c");

/** What a disk may refuse to do. */
export type DiskCall = "sync" | "write";

/** Lets a process meet a disk that fails from a moment on, by a library that stands before its C library. */
export class FailingDisk {
  /** Runs a command so that it can be failed. */
  readonly wrapper: readonly string[];
  readonly #begun: string;

  /**
   * gcc makes the library in this directory.
   * @param file the one that the disk fails for; without it, for all
   */
  constructor(directory: string, call: DiskCall, file?: string) {
    const library = join(directory, "failing-disk.so");
    this.#begun = join(directory, "disk-fails");
    compileLibrary(SOURCE, library);
    const only = file === undefined ? [] : [`FAIL_OF=${file}`];
    const what = [`FAIL_CALLS=${call}`, `FAIL_WHEN=${this.#begun}`, ...only];
    this.wrapper = ["env", `LD_PRELOAD=${library}`, ...what];
  }

  begin(): void {
    writeFileSync(this.#begun, "");
  }
}
