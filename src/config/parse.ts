import type { z } from "zod";
import { FlancoError } from "../domain/error.ts";
import { defaultConfig, type Setting } from "./default.ts";
import { type Environment, readEnvironment, readFile, readFlags, type Source } from "./read.ts";
import { CONFIG_KEYS, type Config, type ConfigKey, configSchema } from "./schema.ts";

/**
 * Reads the configuration: flags over environment over file over defaults. Throws `config` with every
 * mistake of all sources at once, one a line, each with where it stands.
 */
export function loadConfig(
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
  setting: Setting,
): Config {
  const named = typeof flags["config"] === "string" ? flags["config"] : environment["FLANCO_CONFIG"];
  return parseConfig([readFile(named, setting), readEnvironment(environment), readFlags(flags)], setting);
}

/** A source sets some of the settings. */
const someSettings = configSchema.partial();

/** Checks each source on its own, so that a mistake is reported even where another source overrides it. */
export function parseConfig(sources: readonly Source[], setting: Setting): Config {
  const mistakes: string[] = [];
  let merged: Config = defaultConfig(setting);
  for (const source of sources) {
    if (source.unreadable !== undefined) mistakes.push(source.unreadable);
    const values = Object.fromEntries(
      Object.entries(source.values).map(([key, value]) => [key, fromText(key, value)]),
    );
    // zod compiles a schema at its first parse, which costs more than the three parses of a start.
    const parsed = someSettings.safeParse(values, { jitless: true });
    if (parsed.success) merged = { ...merged, ...withoutUndefined(parsed.data) };
    else mistakes.push(...parsed.error.issues.flatMap((issue) => describe(issue, source)));
  }
  if (mistakes.length === 0) mistakes.push(...incomplete(merged));
  if (mistakes.length > 0) {
    throw new FlancoError("config", mistakes.join("\n"), {
      hint: "`flanco config check` reads it again; `flanco config show` shows what is in force.",
    });
  }
  return Object.freeze(merged);
}

/** What must be set beside a setting, so that it works. */
const NEEDED = [
  ["email_server", "email_from"],
  ["email_server", "email_to"],
  ["email_login", "email_password_file"],
  ["webhook_url", "webhook_key_file"],
] as const satisfies readonly (readonly [ConfigKey, ConfigKey])[];

function incomplete(config: Config): readonly string[] {
  return NEEDED.filter(([set, needed]) => config[set].length > 0 && config[needed].length === 0).map(
    ([set, needed]) => `${needed}: must be set beside ${set}`,
  );
}

/** Environment and flags hold texts: numbers, lists and switches are read from them. */
function fromText(key: string, value: unknown): unknown {
  if (typeof value !== "string" || !isKey(key)) return value;
  const kind = configSchema.shape[key].type;
  if (kind === "number") return /^-?\d+$/.test(value) ? Number(value) : value;
  if (kind === "boolean") return value === "true" ? true : value === "false" ? false : value;
  if (kind === "array") return value === "" ? [] : value.split(",").map((part) => part.trim());
  return value;
}

function isKey(key: string): key is ConfigKey {
  return Object.hasOwn(configSchema.shape, key);
}

function describe(issue: z.core.$ZodIssue, source: Source): string[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map(
      (key) => `${source.nameOf(key)}: there is no such setting (there are: ${CONFIG_KEYS.join(", ")})`,
    );
  }
  const [key, ...rest] = issue.path.map(String);
  return [`${source.nameOf(key ?? "")}${rest.length > 0 ? `[${rest.join(".")}]` : ""}: ${issue.message}`];
}

function withoutUndefined(values: object): Partial<Config> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
