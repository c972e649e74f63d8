import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { installFor } from "../../scripts/debian.ts";

/** What libfiu puts into errno. */
const EIO = 5;
const CONTROL_MS = 5_000;

/** What a disk may refuse to do. */
export type DiskCall = "posix/io/sync/*" | "posix/io/rw/pwrite*";

/** Lets a running process meet a disk that fails, by libfiu (Debian's fiu-utils), which stands before its C library. */
export class FailingDisk {
  readonly #control: string;

  /** The directory holds the pipes that the process is told by. */
  constructor(directory: string) {
    this.#control = join(directory, "fiu");
  }

  /** Installs what is missing; only root may. */
  static install(): void {
    installFor("failing disk");
  }

  /** Runs a command so that it can be told. */
  get wrapper(): readonly string[] {
    return ["fiu-run", "-x", "-f", this.#control];
  }

  fail(pid: number, call: DiskCall): void {
    this.#tell(pid, `enable name=${call},failinfo=${EIO}`);
  }

  recover(pid: number, call: DiskCall): void {
    this.#tell(pid, `disable name=${call}`);
  }

  #tell(pid: number, command: string): void {
    execFileSync("fiu-ctrl", ["-f", this.#control, "-c", command, String(pid)], { timeout: CONTROL_MS });
  }
}
