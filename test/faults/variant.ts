import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHECKOUT } from "../cli/program.ts";

/** A change of one source file: this text, which stands there once, becomes that one. */
export interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const COPIED = ["bin", "src", "package.json"];
const LINKED = ["node_modules", "demo", "dist"];

/** The program with a protection taken away, in a copy of its sources: what a test must then notice. */
export class Variant {
  readonly #directory = mkdtempSync(join(tmpdir(), "flanco-variant-"));

  /** Throws when a text to change does not stand in its file exactly once: then this is no control any more. */
  constructor(patches: readonly Patch[]) {
    for (const name of COPIED) cpSync(join(CHECKOUT, name), join(this.#directory, name), { recursive: true });
    for (const name of LINKED) symlinkSync(join(CHECKOUT, name), join(this.#directory, name));
    for (const patch of patches) this.#apply(patch);
  }

  get program(): string {
    return join(this.#directory, "bin", "flanco.mjs");
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #apply({ file, from, to }: Patch): void {
    const path = join(this.#directory, file);
    const parts = readFileSync(path, "utf8").split(from);
    if (parts.length !== 2)
      throw new Error(`${file} holds this ${parts.length - 1} times, not once: ${from}`);
    writeFileSync(path, parts.join(to));
  }
}
