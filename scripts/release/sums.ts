import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** SHA-256 of a file, in hexadecimal digits. */
export function sha256Of(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

/** What `sha256sum --check` reads. */
export function sumsOf(files: readonly string[]): string {
  return files.map((file) => `${sha256Of(file)}  ${basename(file)}\n`).join("");
}
