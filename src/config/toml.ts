import { TomlError } from "smol-toml";

/** Says in one line why a TOML file could not be read, from what reading or parsing it threw. Rethrows what is neither. */
export function describeUnreadable(file: string, error: unknown): string {
  if (error instanceof TomlError) {
    // The rest of the text draws the place.
    const reason = error.message.split("\n")[0] ?? "";
    return `${file}, line ${error.line}, column ${error.column}: ${reason}`;
  }
  if (error instanceof Error && "code" in error) {
    return `${file}: cannot be read (${error.code}): check that it exists and that this user may read it`;
  }
  throw error;
}
