import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "../../scripts/bundle.ts";
import { HOUR_MS } from "../../src/domain/clock.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
/** What goes into the program. */
const SOURCES = ["src", "scripts/bundle.ts", "package-lock.json", "demo", "dist/web"];
const FOLDER = join(CHECKOUT, "build", "tested");

let tested: Promise<string> | undefined;

/**
 * The entry of the program that tests start, bundled from this checkout's sources: it starts in half the time that the
 * sources need. Built when a source is newer than the last build, once for all processes of a run.
 */
export function testedProgram(): Promise<string> {
  tested ??= build();
  return tested;
}

async function build(): Promise<string> {
  const version = String(Math.ceil(newest()));
  const folder = join(FOLDER, version);
  if (!existsSync(folder)) {
    const draft = join(FOLDER, `${version}.${process.pid}`);
    await bundleProgram(draft);
    try {
      renameSync(draft, folder);
    } catch (error) {
      // Another process of this run was first.
      if (!existsSync(folder)) throw error;
      rmSync(draft, { recursive: true });
    }
    removeOld();
  }
  return join(folder, "flanco.mjs");
}

/** A run that began earlier may still start its own build. */
function removeOld(): void {
  for (const name of readdirSync(FOLDER)) {
    const build = join(FOLDER, name);
    // Another process of this run may have removed its draft, or an old build, meanwhile.
    const { mtimeMs } = statSync(build, { throwIfNoEntry: false }) ?? { mtimeMs: Number.POSITIVE_INFINITY };
    if (mtimeMs < Date.now() - HOUR_MS) rmSync(build, { recursive: true, force: true });
  }
}

/** When the newest source was changed, in Unix milliseconds. */
function newest(): number {
  let newestMs = 0;
  for (const source of SOURCES) {
    const path = join(CHECKOUT, source);
    if (!existsSync(path)) continue;
    const names = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: "utf8" })
      : [];
    for (const file of [path, ...names.map((name) => join(path, name))]) {
      newestMs = Math.max(newestMs, statSync(file).mtimeMs);
    }
  }
  return newestMs;
}
