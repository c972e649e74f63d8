import { getAsset, getAssetKeys, getRawAsset, isSea } from "node:sea";

/** Whether the program and all that belongs to it are one file (scripts/release). */
export function isSealed(): boolean {
  return isSea();
}

/** The text of a part of that file. Throws where there is no such part. */
export function sealedText(name: string): string {
  return getAsset(name, "utf8");
}

/** The bytes of a part of that file, where they lie in it: nothing is copied, and nobody may write to them. */
export function sealedBytes(name: string): Buffer {
  return Buffer.from(getRawAsset(name) as ArrayBuffer);
}

/** Names of the parts under one folder, without the folder's. */
export function sealedNames(folder: string): readonly string[] {
  return getAssetKeys()
    .filter((name) => name.startsWith(`${folder}/`))
    .map((name) => name.slice(folder.length + 1));
}
