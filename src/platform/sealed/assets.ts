import { getAsset, getAssetKeys, getRawAsset, isSea } from "node:sea";
import { Script } from "node:vm";
import { zstdDecompressSync } from "node:zlib";

/**
 * The size of a piece when a part is unpacked, larger than any
 * part: the usual pieces of 16 kB leave holes in the memory.
 */
const PIECE_BYTES = 4 * 1024 * 1024;

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

function unpacked(name: string): Buffer {
  return zstdDecompressSync(sealedBytes(name), { chunkSize: PIECE_BYTES });
}

/**
 * Runs a part of that file as a CommonJS module with this `require`, and gives its exports. Uses V8's code
 * cache where the file has one for the part (scripts/release/code-cache.ts). Throws for an unknown part.
 */
export function sealedModule(name: string, require: NodeJS.Require): unknown {
  const module = { exports: {} };
  // Not by `Buffer.toString`: its large texts have memory of their own, which V8 does not give back.
  const text = new TextDecoder().decode(unpacked(`module/${name}`));
  const source = `(function (exports, require, module, __filename) {${text}\n})`;
  const cache = `cache/${name}`;
  const cachedData = getAssetKeys().includes(cache) ? unpacked(cache) : undefined;
  const script = new Script(source, { filename: name, cachedData });
  if (script.cachedDataRejected) process.emitWarning(`V8 does not take the code cache of ${name}.`);
  script.runInThisContext()(module.exports, require, module, process.execPath);
  return module.exports;
}
