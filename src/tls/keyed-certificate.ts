import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { pemBlocks } from "./pem.ts";
import { writeWhole } from "./whole-file.ts";

/** A certificate and its private key, both in PEM. They lie in one file, so that no crash can part them. */
export interface KeyedCertificate {
  readonly key: string;
  readonly cert: string;
}

/**
 * Reads one; undefined when there is none, or what is there is no key with its certificate. Throws what the disk
 * says when the file cannot be read: a disk that fails must not cost an authority that browsers trust.
 */
export function readKeyed(file: string): KeyedCertificate | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  const blocks = pemBlocks(text);
  const key = blocks.find(({ label }) => label.endsWith("PRIVATE KEY"))?.pem;
  const cert = blocks.find(({ label }) => label === "CERTIFICATE")?.pem;
  if (key === undefined || cert === undefined) return undefined;
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { key, cert } : undefined;
  } catch {
    // What cannot be parsed serves nobody.
    return undefined;
  }
}

/** Puts one in its place, readable by its owner alone. It is on the disk when this returns. */
export function writeKeyed(file: string, { key, cert }: KeyedCertificate): void {
  writeWhole(file, key + cert);
}
