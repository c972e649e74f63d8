import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
// Not all of zod: the threads that load this parse little else.
import * as z from "zod/mini";
import { GATEWAY_FILE } from "../../domain/backup.ts";
import { FlancoError } from "../../domain/error.ts";
import { OWNER_ONLY, writeDurably } from "../../platform/durable-file.ts";

/** A mode that FAT and exFAT cannot keep. */
const TRIED_MODE = 0o640;
const PERMISSIONS = 0o777;
/** The most files of certificates: the gateway file may be of unknown origin. */
const MAX_FILES = 16;
const MAX_CHARACTERS = 64 * 1024;

const pem = z.string().check(z.maxLength(MAX_CHARACTERS));
const keys = z.object({
  authority: z.nullable(pem),
  certificates: z
    .array(z.object({ name: z.string().check(z.regex(/^[\w-][\w.-]{0,99}$/)), content: pem }))
    .check(z.maxLength(MAX_FILES)),
});
const setting = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const gateway = z.object({
  hostName: z.string().check(z.maxLength(253)),
  settings: z.record(z.string(), setting),
  /** Null where they were left out. */
  keys: z.nullable(keys),
});

/**
 * Private keys in PEM: the appliance's authority with its
 * certificate, and the administrator's certificates by file name.
 */
export type GatewayKeys = z.output<typeof keys>;

/** The content of a gateway file: what makes a clinic's gateway beside its ledger. */
export type GatewayFile = z.output<typeof gateway>;

/** A gateway with its keys. */
export type WholeGatewayFile = GatewayFile & { readonly keys: GatewayKeys };

/** Throws `damaged` for a text that is no gateway file. */
export function parseGatewayFile(text: string): GatewayFile {
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
export function readGatewayFile(folder: string): GatewayFile | undefined {
  const file = join(folder, GATEWAY_FILE);
  return existsSync(file) ? parseGatewayFile(readFileSync(file, "utf8")) : undefined;
}

/**
 * Writes the gateway file into a ledger's folder of backups, durably. Gives false where the
 * keys are left out, because the disk's file system has no owners. Throws the disk's error.
 */
export function writeGatewayFile(
  folder: string,
  whole: WholeGatewayFile,
  keepsModes = fileSystemKeepsModes,
): boolean {
  const areKept = keepsModes(folder);
  const gateway: GatewayFile = areKept ? whole : { ...whole, keys: null };
  writeDurably(join(folder, GATEWAY_FILE), `${JSON.stringify(gateway, null, 2)}\n`);
  return areKept;
}

/** Whether a file system keeps the mode of a file, as FAT and exFAT do not. Tried with an empty file. */
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
