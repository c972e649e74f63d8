import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { ScriptFailure } from "../command.ts";

/** A file as a release tells of it. */
export interface ReleasedFile {
  readonly name: string;
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** The files that a release is made of, as its manifest tells of them. */
export function manifestFiles(files: readonly string[]): ReleasedFile[] {
  return files.map((file) => ({ name: basename(file), bytes: statSync(file).size, sha256: sha256Of(file) }));
}

/** SHA-256 of a file, in hexadecimal digits. */
function sha256Of(file: string): string {
  return hash("sha256", readFileSync(file));
}

/** What `sha256sum --check` reads. */
export function sumsOf(files: readonly string[]): string {
  return files.map((file) => `${sha256Of(file)}  ${basename(file)}\n`).join("");
}

/** Signs the manifest's bytes; the signature is base64, of Ed25519. Throws ScriptFailure where the key is none. */
export function signManifest(text: string, keyFile: string): string {
  const key = readKey(() => createPrivateKey(readFileSync(keyFile)), keyFile);
  return `${sign(null, Buffer.from(text), key).toString("base64")}\n`;
}

/** Whether the signature is that key's, of these very bytes. Throws ScriptFailure where the key is none. */
export function isSigned(text: string, signature: string, publicKeyFile: string): boolean {
  const key = readKey(() => createPublicKey(readFileSync(publicKeyFile)), publicKeyFile);
  return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"));
}

function readKey(read: () => KeyObject, file: string): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (error) {
    throw new ScriptFailure(`${file} holds no key: ${error instanceof Error ? error.message : error}`);
  }
  if (key.asymmetricKeyType !== "ed25519") throw new ScriptFailure(`${file} holds no Ed25519 key.`);
  return key;
}
