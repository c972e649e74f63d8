import { getAsset, getAssetKeys, getRawAsset, isSea } from "node:sea";
import { Script } from "node:vm";

/** Whether the program is sealed into one file with all its parts (scripts/release). */
export function isSealed(): boolean {
  return isSea();
}

/** The text of a part of that file. Throws for an unknown part. */
export function sealedText(name: string): string {
  return getAsset(name, "utf8");
}

/** The bytes of a part of that file, not copied, so they must not be changed. */
export function sealedBytes(name: string): Buffer {
  return Buffer.from(getRawAsset(name) as ArrayBuffer);
}

/** Names of the parts in one folder, without the folder's name. */
export function sealedNames(folder: string): readonly string[] {
  return getAssetKeys()
    .filter((name) => name.startsWith(`${folder}/`))
    .map((name) => name.slice(folder.length + 1));
}

/**
 * Runs a part of that file as a CommonJS module, and gives its exports. `require` is the one that it gets. What V8 compiled of it
 * when the file was made is used where that is there (scripts/release/code-cache.ts). Throws for an unknown part.
 */
export function sealedModule(name: string, require: NodeJS.Require): unknown {
  const module = { exports: {} };
  const source = `(function (exports, require, module, __filename) {${sealedText(`module/${name}`)}\n})`;
  const cache = `cache/${name}`;
  const cachedData = getAssetKeys().includes(cache) ? sealedBytes(cache) : undefined;
  const script = new Script(source, { filename: name, cachedData });
  if (script.cachedDataRejected) process.emitWarning(`V8 does not take the code cache of ${name}.`);
  script.runInThisContext()(module.exports, require, module, process.execPath);
  return module.exports;
}
