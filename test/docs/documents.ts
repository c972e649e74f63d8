import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "../rig/program.ts";

/** Every document of the project, by its path. */
export const DOCUMENTS = globSync(["*.md", "docs/**/*.md", "src/**/*.md"], { cwd: CHECKOUT }).sort();

export function readDocument(document: string): string {
  return readFileSync(join(CHECKOUT, document), "utf8");
}

/** Where a link to a heading leads, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .replace(/^#+ /, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}
