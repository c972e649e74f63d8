import { readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** The files that belong to the program beside its sources. */
export interface Installation {
  /** The checkout's folder; null when the program is installed. */
  readonly checkout: string | null;
  readonly version: string;
  /** Folder of the built page. */
  readonly pageDirectory: string;
  /** Trace of the demonstration. */
  readonly demoTrace: string;
}

/** Finds what belongs to this program, run from a checkout's sources or from a bundle (scripts/bundle.mjs). */
export function findInstallation(): Installation {
  const folder = import.meta.dirname;
  if (extname(import.meta.filename) !== ".ts") return { ...partsIn(folder, "web"), checkout: null };
  const checkout = join(folder, "..");
  return { ...partsIn(checkout, join("dist", "web")), checkout };
}

function partsIn(folder: string, page: string): Omit<Installation, "checkout"> {
  return {
    version: versionIn(join(folder, "package.json")),
    pageDirectory: join(folder, page),
    demoTrace: join(folder, "demo", "relays.trace"),
  };
}

function versionIn(file: string): string {
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return version;
}
