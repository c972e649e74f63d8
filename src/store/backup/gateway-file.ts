import { createCipheriv, createDecipheriv, hash, randomBytes, scryptSync } from "node:crypto";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
// Not all of zod: the threads that load this parse little else.
import * as z from "zod/mini";
import { FlancoError } from "../../domain/error.ts";
import { OWNER_ONLY, writeDurably } from "../../durable-file.ts";

const NAME = "gateway.json";
/** A mode that FAT and exFAT cannot keep. */
const TRIED_MODE = 0o640;
const PERMISSIONS = 0o777;
/** The most files of certificates: the gateway file may be of unknown origin. */
const MAX_FILES = 16;
const MAX_CHARACTERS = 64 * 1024;
/** Each guess takes 32 MiB and some tenths of a second (RFC 7914). */
const SCRYPT = { N: 32_768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
/** Digits of the digest by which a change of the keys is noticed. */
const DIGEST_DIGITS = 32;

const pem = z.string().check(z.maxLength(MAX_CHARACTERS));
const base64 = z.string().check(z.regex(/^[A-Za-z0-9+/]+=*$/), z.maxLength(MAX_FILES * MAX_CHARACTERS * 2));
const keys = z.object({
  authority: z.nullable(pem),
  certificates: z
    .array(z.object({ name: z.string().check(z.regex(/^[\w-][\w.-]{0,99}$/)), content: pem }))
    .check(z.maxLength(MAX_FILES)),
});
const sealedKeys = z.object({ digest: z.string(), salt: base64, nonce: base64, tag: base64, sealed: base64 });
const setting = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const gateway = z.object({
  hostName: z.string().check(z.maxLength(253)),
  settings: z.record(z.string(), setting),
  keys: z.nullable(z.union([keys, sealedKeys])),
});

/** Private keys in PEM: the authority with its certificate, and other certificates by file name. */
export type GatewayKeys = z.output<typeof keys>;
/** The same keys, encrypted with a passphrase. */
export type SealedKeys = z.output<typeof sealedKeys>;

/** The content of a gateway file: what makes a clinic's gateway beside its ledger. */
export interface Gateway {
  readonly hostName: string;
  readonly settings: Readonly<Record<string, z.output<typeof setting>>>;
  /** Null where they were left out. */
  readonly keys: GatewayKeys | SealedKeys | null;
}

/** A gateway with its keys in plain. */
export type WholeGateway = Gateway & { readonly keys: GatewayKeys };

/**
 * How keys are kept beside a backup: `plain`, for the file's owner; `sealed` with a passphrase; `outdated`,
 * sealed before they changed; `left out`, on a file system without owners.
 */
export type KeptKeys = "plain" | "sealed" | "outdated" | "left out";

/** Throws `damaged` for a text that is no gateway file. */
export function parseGateway(text: string): Gateway {
  try {
    return gateway.parse(JSON.parse(text));
  } catch (cause) {
    throw new FlancoError("damaged", "The gateway file beside the backup cannot be read.", {
      hint: "Restore with --without-certificates: the gateway makes others, which browsers must trust anew.",
      cause,
    });
  }
}

/** The gateway file in a ledger's folder of backups; undefined where there is none. */
export function readGatewayFile(folder: string): Gateway | undefined {
  const file = join(folder, NAME);
  return existsSync(file) ? parseGateway(readFileSync(file, "utf8")) : undefined;
}

/**
 * Writes the gateway file into a folder of backups, durably. Sealed keys stay until sealed again.
 * @param passphrase seals the keys
 */
export function writeGatewayFile(
  folder: string,
  whole: WholeGateway,
  passphrase?: string,
  keepsModes = fileSystemKeepsModes,
): KeptKeys {
  const write = (kept: Gateway["keys"]) =>
    writeDurably(join(folder, NAME), `${JSON.stringify({ ...whole, keys: kept }, null, 2)}\n`);
  if (passphrase !== undefined) {
    write(seal(whole.keys, passphrase));
    return "sealed";
  }
  const before = sealedBefore(folder);
  if (before !== null) {
    write(before);
    return before.digest === digestOf(whole.keys) ? "sealed" : "outdated";
  }
  if (!keepsModes(folder)) {
    write(null);
    return "left out";
  }
  write(whole.keys);
  return "plain";
}

/** The sealed keys of the file that is there; null without any, or where it cannot be read. */
function sealedBefore(folder: string): SealedKeys | null {
  try {
    const found = readGatewayFile(folder)?.keys ?? null;
    return found !== null && areSealed(found) ? found : null;
  } catch (error) {
    if (error instanceof FlancoError) return null;
    throw error;
  }
}

export function areSealed(found: GatewayKeys | SealedKeys): found is SealedKeys {
  return "sealed" in found;
}

/** Takes some tenths of a second of the processor. */
function seal(plain: GatewayKeys, passphrase: string): SealedKeys {
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)];
  const cipher = createCipheriv(CIPHER, keyOf(passphrase, salt), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(plain), "utf8"), cipher.final()]);
  const [saltText = "", nonceText = "", tag = "", text = ""] = [salt, nonce, cipher.getAuthTag(), sealed].map(
    (bytes) => bytes.toString("base64"),
  );
  return { digest: digestOf(plain), salt: saltText, nonce: nonceText, tag, sealed: text };
}

/** Throws `unauthorized` for another passphrase. */
export function unseal({ salt, nonce, tag, sealed }: SealedKeys, passphrase: string): GatewayKeys {
  const [saltBytes, nonceBytes, tagBytes, bytes] = [salt, nonce, tag, sealed].map((text) =>
    Buffer.from(text, "base64"),
  ) as [Buffer, Buffer, Buffer, Buffer];
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(passphrase, saltBytes), nonceBytes, {
      authTagLength: 16,
    });
    decipher.setAuthTag(tagBytes);
    const plain = Buffer.concat([decipher.update(bytes), decipher.final()]);
    return keys.parse(JSON.parse(plain.toString("utf8")));
  } catch (cause) {
    throw new FlancoError("unauthorized", "The passphrase does not open the keys beside the backup.", {
      hint: "Nothing was changed. Try again; without the passphrase, --without-certificates makes others, which browsers must trust anew.",
      cause,
    });
  }
}

function keyOf(passphrase: string, salt: Buffer): Buffer {
  return scryptSync(passphrase.normalize("NFC"), salt, KEY_BYTES, SCRYPT);
}

/** Discloses nothing of the keys: each holds more than a hundred random bits. */
function digestOf(plain: GatewayKeys): string {
  return hash("sha256", JSON.stringify(plain)).slice(0, DIGEST_DIGITS);
}

/** Whether a file system keeps the mode of a file (FAT and exFAT do not), tried with an empty one. */
function fileSystemKeepsModes(directory: string): boolean {
  const file = join(directory, "mode.trial");
  rmSync(file, { force: true });
  writeFileSync(file, "", { mode: OWNER_ONLY, flag: "wx" });
  try {
    return [TRIED_MODE, OWNER_ONLY].every((mode) => {
      chmodSync(file, mode);
      return (statSync(file).mode & PERMISSIONS) === mode;
    });
  } catch {
    // FAT refuses the mode.
    return false;
  } finally {
    rmSync(file, { force: true });
  }
}
