import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory of a test's or a suite's own, empty at first. */
export class TemporaryDirectory {
  readonly path: string;

  /** Its name begins so. */
  constructor(prefix = join(tmpdir(), "flanco-test-")) {
    this.path = mkdtempSync(prefix);
  }

  /** The path of something in it, which need not be there. */
  file(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    this.remove();
  }
}
