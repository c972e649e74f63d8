import { FlancoError } from "../domain/error.ts";

/** `sun_path` of a Unix socket holds 108 bytes with its end. */
const MAX_PATH_BYTES = 107;

/** Throws `config` for a path that no Unix socket can have: the kernel says EINVAL and no more. */
export function requireSocketPath(path: string): void {
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return;
  throw new FlancoError("config", `The data directory's path is too long for a socket: ${path}`, {
    hint: `Choose a data_dir of at most ${MAX_PATH_BYTES - "/control.sock".length} bytes.`,
  });
}
