import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { isSealed, sealedBytes, sealedNames, sealedText } from "./sealed/assets.ts";

/** A file of the built page. */
export interface InstalledFile {
  /** Path on the server, without the first slash. */
  readonly name: string;
  readonly content: Buffer;
}

/** The parts of the program beside its code. */
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
 * Finds the parts of this program, which is run from a checkout's sources,
 * from a bundle (scripts/bundle.ts) or as one sealed file (scripts/release).
 */
export function findInstallation(): Installation {
  if (isSealed()) return sealed();
  const folder = import.meta.dirname;
  if (extname(import.meta.filename) !== ".ts") return { ...partsIn(folder, "web"), checkout: null };
  const checkout = join(folder, "..", "..");
  return { ...partsIn(checkout, join("dist", "web")), checkout };
}

/** The built page in a folder; no file where there is no such folder. */
export function readFiles(folder: string): readonly InstalledFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => ({ name: file.slice(folder.length + 1), content: readFileSync(file) }));
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
