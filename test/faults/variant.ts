import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Patch, patched } from "../../scripts/patch.ts";
import { CHECKOUT } from "../rig/program.ts";

const COPIED = ["bin", "scripts", "src", "test", "package.json"];
const LINKED = ["node_modules", "demo", "dist"];

/** The program with a protection taken away, in a copy of its sources: what a test must then notice. */
export class Variant {
  readonly directory = mkdtempSync(join(tmpdir(), "flanco-variant-"));

  /** Throws when a text to change does not stand in its file exactly once: then this is no control any more. */
  constructor(patches: readonly Patch[]) {
    for (const name of COPIED) cpSync(join(CHECKOUT, name), join(this.directory, name), { recursive: true });
    for (const name of LINKED) symlinkSync(join(CHECKOUT, name), join(this.directory, name));
    for (const file of new Set(patches.map((patch) => patch.file))) {
      const path = join(this.directory, file);
      writeFileSync(path, patched(file, readFileSync(path, "utf8"), patches));
    }
  }

  get program(): string {
    return join(this.directory, "bin", "flanco.mjs");
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The changed programs of one test: `forEachTest(() => new Variants())`, after what runs them. */
export class Variants {
  readonly #made: Variant[] = [];

  /** The entry of a program with these changes. */
  program(patches: readonly Patch[]): string {
    const variant = new Variant(patches);
    this.#made.push(variant);
    return variant.program;
  }

  remove(): void {
    for (const variant of this.#made) variant.remove();
  }
}
