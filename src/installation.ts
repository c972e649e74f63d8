import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isSealed, sealedBytes, sealedNames, sealedText } from "./sealed/assets.ts";

/** A file of the built page. */
export interface InstalledFile {
  /** Path on the server, without the first slash. */
  readonly name: string;
  readonly content: Buffer;
}

/** What belongs to the program beside its sources. */
export interface Installation {
  /** The checkout's folder; null when the program is installed. */
  readonly checkout: string | null;
  readonly version: string;
  /** Reads the built page; no file when it has not been built. */
  readonly readPage: () => readonly InstalledFile[];
  /** Reads the demonstration's trace. */
  readonly readDemoTrace: () => string;
}

/**
 * Finds what belongs to this program, run from a checkout's sources, from a bundle (scripts/bundle.mjs) or as one
 * sealed file (scripts/release).
 */
export function findInstallation(): Installation {
  if (isSealed()) return sealed();
  const folder = import.meta.dirname;
  if (extname(import.meta.filename) !== ".ts") return { ...partsIn(folder, "web"), checkout: null };
  const checkout = join(folder, "..");
  return { ...partsIn(checkout, join("dist", "web")), checkout };
}

/**
 * The built page in a folder; no file where there is no such folder. A build may change the folder meanwhile: a name
 * follows from its file's content, so the files belong together when the names are the same before and after reading.
 */
export function readFiles(folder: string): readonly InstalledFile[] {
  if (!existsSync(folder)) return [];
  for (;;) {
    const names = namesIn(folder);
    // A build makes a few changes, and each further round is another one's.
    const stayed = () => isDeepStrictEqual(namesIn(folder), names);
    try {
      const files = names.map((name) => ({ name, content: readFileSync(join(folder, name)) }));
      if (stayed()) return files;
    } catch (error) {
      if (stayed()) throw error;
    }
  }
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function sealed(): Installation {
  return {
    checkout: null,
    version: versionOf(sealedText("package.json")),
    readPage: () => sealedNames("web").map((name) => ({ name, content: sealedBytes(`web/${name}`) })),
    readDemoTrace: () => sealedText("demo/relays.trace"),
  };
}

function partsIn(folder: string, page: string): Omit<Installation, "checkout"> {
  return {
    version: versionOf(readFileSync(join(folder, "package.json"), "utf8")),
    readPage: () => readFiles(join(folder, page)),
    readDemoTrace: () => readFileSync(join(folder, "demo", "relays.trace"), "utf8"),
  };
}

function versionOf(manifest: string): string {
  const { version } = JSON.parse(manifest) as { version: string };
  return version;
}
