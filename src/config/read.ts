import { existsSync, readFileSync } from "node:fs";
import { parse, TomlError } from "smol-toml";
import { INSTALLED_CONFIG_FILE, type Setting } from "./default.ts";
import { CONFIG_KEYS } from "./schema.ts";

/** One source of settings as it was found, nothing checked yet. */
export interface Source {
  readonly values: Readonly<Record<string, unknown>>;
  /** How a mistake names a key of this source: `flanco.toml: https_port`. */
  readonly nameOf: (key: string) => string;
  /** Why the source itself could not be read; its values are empty then. */
  readonly unreadable?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = "FLANCO_";
/** Variables of that prefix that are no settings: the file's place, and what tests tell each other. */
const NOT_SETTINGS = /^FLANCO_(CONFIG$|TEST_)/;

/** Reads the file that `--config` or FLANCO_CONFIG names, or the installed one where it is there. */
export function readFile(named: string | undefined, setting: Setting): Source {
  const file =
    named ?? (setting.checkout === null && existsSync(INSTALLED_CONFIG_FILE) ? INSTALLED_CONFIG_FILE : null);
  const nameOf = (key: string) => `${file}: ${key}`;
  if (file === null) return { values: {}, nameOf };
  try {
    return { values: parse(readFileSync(file, "utf8")), nameOf };
  } catch (error) {
    return { values: {}, nameOf, unreadable: describeUnreadable(file, error) };
  }
}

/** Settings of the environment: FLANCO_HTTPS_PORT is https_port. A misspelt one is a mistake, not silence. */
export function readEnvironment(environment: Environment): Source {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !name.startsWith(PREFIX) || NOT_SETTINGS.test(name)) continue;
    values[name.slice(PREFIX.length).toLowerCase()] = value;
  }
  return { values, nameOf: (key) => `environment variable ${PREFIX}${key.toUpperCase()}` };
}

/** Settings of the command line, as commander gives them: httpsPort is https_port. */
export function readFlags(flags: Readonly<Record<string, unknown>>): Source {
  const values: Record<string, unknown> = {};
  for (const key of CONFIG_KEYS) {
    const value = flags[camelCase(key)];
    if (value !== undefined) values[key] = value;
  }
  return { values, nameOf: (key) => `--${key.replaceAll("_", "-")}` };
}

function camelCase(key: string): string {
  return key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

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
