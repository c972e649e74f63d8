import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleProgram } from "../../scripts/bundle.mjs";
import type { Patch } from "../../scripts/patch.ts";
import { NODE_FLAGS } from "../../scripts/release/node-flags.ts";
import { CHECKOUT } from "./program.ts";

const UNIT = join(CHECKOUT, "systemd", "flanco.service");

/** The program as it is installed: one file a thread, and the memory settings of its release and its unit. */
export class BundledProgram {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** With `patches` in its sources. Throws when one does not fit. */
  static async make(patches: readonly Patch[] = []): Promise<BundledProgram> {
    const directory = mkdtempSync(join(tmpdir(), "flanco-bundle-"));
    await bundleProgram(directory, patches);
    return new BundledProgram(directory);
  }

  get program(): string {
    return join(this.#directory, "flanco.mjs");
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
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
