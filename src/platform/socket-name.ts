import { closeSync, constants, openSync } from "node:fs";
import { basename, dirname } from "node:path";

/** `sun_path` of a Unix socket holds 108 bytes with its end. */
const MAX_PATH_BYTES = 107;

/**
 * The name by which a Unix socket is bound or connected to: its path; of a path
 * that is too long for the kernel, one by its directory's descriptor, until disposed.
 */
export class SocketName {
  readonly name: string;
  #directory: number | undefined;

  /** Throws the system's error where the directory of a long path cannot be opened. */
  constructor(path: string) {
    this.name = path;
    if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return;
    this.#directory = openSync(dirname(path), constants.O_DIRECTORY);
    this.name = `/proc/self/fd/${this.#directory}/${basename(path)}`;
  }

  [Symbol.dispose](): void {
    if (this.#directory !== undefined) closeSync(this.#directory);
    this.#directory = undefined;
  }
}
