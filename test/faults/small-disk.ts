import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { installFor } from "../../scripts/debian.ts";

const OWNER_ONLY = 0o700;
const PIECE_BYTES = 4_096;

/** A file system of a few MiB that is really full when it says so. Only root may mount one. */
export class SmallDisk {
  readonly directory: string;
  readonly #ballast: string;

  constructor(directory: string) {
    this.directory = directory;
    this.#ballast = join(directory, "ballast");
  }

  mount(mebibytes: number): void {
    installFor("small disk");
    mkdirSync(this.directory, { recursive: true, mode: OWNER_ONLY });
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=700`, "tmpfs", this.directory]);
  }

  unmount(): void {
    execFileSync("umount", ["--lazy", this.directory]);
  }

  /** Takes all the room that is left. */
  fill(): void {
    const piece = Buffer.alloc(PIECE_BYTES, 1);
    const descriptor = openSync(this.#ballast, "a");
    try {
      for (;;) writeSync(descriptor, piece);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    } finally {
      closeSync(descriptor);
    }
  }

  /** Takes all the room but so many bytes. */
  fillBut(bytes: number): void {
    this.fill();
    truncateSync(this.#ballast, Math.max(0, statSync(this.#ballast).size - bytes));
  }

  /** Gives the room back. */
  free(): void {
    rmSync(this.#ballast, { force: true });
  }
}
