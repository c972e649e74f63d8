import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { FlancoError } from "../domain/error.ts";
import { type Addon, addonDirectories, placeAddon } from "./addon-folder.ts";
import { sealedBytes, sealedText } from "./assets.ts";

/** Where a thread finds what the thread that started it has checked: file by the addon's name. */
const CHECKED = "flanco.addons";

/**
 * Loads a native addon of the sealed program: what its package's own loader does elsewhere, put in that one's place by
 * scripts/bundle.mjs. The file is taken from the first directory that can be trusted and that the kernel runs code
 * from. Throws `unavailable` where there is none.
 */
export function loadAddon(name: string): unknown {
  const checked = (getEnvironmentData(CHECKED) ?? {}) as Readonly<Record<string, string>>;
  const known = checked[name];
  if (known !== undefined) return open(known);
  const uid = process.geteuid?.() ?? 0;
  const addon: Addon = {
    name,
    sha256: sealedText(`addon/${name}.sha256`),
    content: () => gunzipSync(sealedBytes(`addon/${name}.node.gz`)),
  };
  const reasons = new Set<string>();
  for (const directory of addonDirectories({ uid, environment: process.env })) {
    try {
      const file = placeAddon(directory, addon, uid);
      const exports = open(file);
      setEnvironmentData(CHECKED, { ...checked, [name]: file });
      return exports;
    } catch (error) {
      // A read-only or noexec file system, no such directory, somebody else's files: the next one.
      reasons.add(error instanceof Error ? error.message : String(error));
    }
  }
  throw new FlancoError(
    "unavailable",
    `The native part ${name} cannot be loaded: ${[...reasons].join("; ")}.`,
    {
      hint: "Set XDG_CACHE_HOME to a directory of this user on a file system that programs may run from (not noexec).",
    },
  );
}

function open(file: string): unknown {
  const module = { exports: {} };
  process.dlopen(module, file);
  return module.exports;
}
