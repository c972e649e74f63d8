import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "../rig/program.ts";

/** Every document of the project, by its path. */
export const DOCUMENTS = globSync(["*.md", "docs/**/*.md", "src/**/*.md"], { cwd: CHECKOUT }).sort();

export function readDocument(document: string): string {
  return readFileSync(join(CHECKOUT, document), "utf8");
}
