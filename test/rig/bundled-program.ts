import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bundleProgram } from "../../scripts/bundle.ts";
import type { Patch } from "../../scripts/patch.ts";
import { NODE_FLAGS } from "../../scripts/release/binary.ts";
import { CHECKOUT } from "./program.ts";
import { TemporaryDirectory } from "./temporary-directory.ts";

const UNIT = join(CHECKOUT, "systemd", "flanco.service");

/** The program as it is installed: one file a thread, and the memory settings of its release and its unit. */
export class BundledProgram {
  readonly #directory = new TemporaryDirectory();

  private constructor() {}

  /** With `patches` in its sources. Throws when one does not fit. */
  static async make(patches: readonly Patch[] = []): Promise<BundledProgram> {
    const made = new BundledProgram();
    await bundleProgram(made.#directory.path, patches);
    return made;
  }

  get program(): string {
    return this.#directory.file("flanco.mjs");
  }

  /** Options of Node, before the program's name. */
  get nodeOptions(): readonly string[] {
    return NODE_FLAGS;
  }

  /** What the unit sets for malloc, which reads it before the program runs. */
  get environment(): Readonly<Record<string, string>> {
    const settings = readFileSync(UNIT, "utf8").matchAll(/^Environment=(MALLOC_\w+)=(\S+)$/gm);
    return Object.fromEntries([...settings].map(([, name = "", value = ""]) => [name, value]));
  }

  remove(): void {
    this.#directory.remove();
  }
}
