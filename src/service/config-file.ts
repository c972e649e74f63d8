import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, TomlError } from "smol-toml";
import type * as z from "zod";
import {
  CONFIG_KEYS,
  type Config,
  type ConfigKey,
  configSchema,
  SINK_KEYS,
  USUAL,
} from "../contract/config/schema.ts";
import { FlancoError } from "../domain/error.ts";
import { mistakeOf } from "../platform/mistake.ts";

/** The files that are read where none is named, if they exist; each wins over those before it. A card makes the first of its flanco.txt. */
const INSTALLED_CONFIG_FILES = ["/etc/flanco/card.toml", "/etc/flanco/flanco.toml"];
const PREFIX = "FLANCO_";
/** Variables with the prefix FLANCO_ that are no settings: the file's path, and variables of tests. */
const NOT_SETTINGS = /^FLANCO_(CONFIG$|TEST_)/;

export type Environment = Readonly<Record<string, string | undefined>>;

/** One source of settings, unchecked. */
interface Source {
  readonly values: Readonly<Record<string, unknown>>;
  /** How a mistake names a key of this source: `flanco.toml: https_port`. */
  readonly nameOf: (key: string) => string;
  /** Why the source itself could not be read; its values are empty then. */
  readonly unreadable?: string;
}

/**
 * Reads the configuration: flags over environment over file over defaults. Throws `config` with the
 * mistakes of all sources at once, one a line, each with its place.
 * @param checkout the folder of the checkout that the program is run from; null for an installed one
 * @param installed replaced in tests
 */
export function loadConfig(
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
  checkout: string | null,
  installed: readonly string[] = INSTALLED_CONFIG_FILES,
): Config {
  const named = typeof flags["config"] === "string" ? flags["config"] : environment["FLANCO_CONFIG"];
  const usual = checkout === null ? installed.filter((file) => existsSync(file)) : [];
  const files = named === undefined ? usual : [named];
  const sources = [...files.map(readFile), readEnvironment(environment), readFlags(flags)];
  return parseSources(sources, defaultConfig(checkout));
}

/**
 * The configuration where nothing is set. A program that is run from a checkout
 * has its data there, and simulated lines; an installed one watches real lines.
 * @param checkout the checkout's folder; null for an installed program
 */
export function defaultConfig(checkout: string | null): Config {
  const installed = CONFIG_KEYS.map((key) => [key, USUAL.get(configSchema.shape[key])?.value()]);
  const seen = { clock_trust: "always", gpio_driver: "simulated", demo: true };
  const own = checkout === null ? {} : { ...seen, data_dir: join(checkout, "data") };
  return {
    ...configSchema.parse({ ...Object.fromEntries(installed), ...own }, { jitless: true }),
    sinks: {},
  };
}

function readFile(file: string): Source {
  const nameOf = (key: string) => `${file}: ${key}`;
  try {
    return { values: parse(readFileSync(file, "utf8")), nameOf };
  } catch (error) {
    return { values: {}, nameOf, unreadable: describeUnreadable(file, error) };
  }
}

/**
 * Says in one line why a TOML file could not be read, from
 * the error of reading or parsing it. Throws any other error.
 */
export function describeUnreadable(file: string, error: unknown): string {
  if (error instanceof TomlError) {
    // The other lines of the text show the place.
    const reason = error.message.split("\n")[0] ?? "";
    return `${file}, line ${error.line}, column ${error.column}: ${reason}`;
  }
  if (error instanceof Error && "code" in error) {
    return `${file}: cannot be read (${error.code}): check that it exists and that this user may read it`;
  }
  throw error;
}

/** Settings of the environment: FLANCO_HTTPS_PORT is https_port. A misspelt variable is a mistake. */
function readEnvironment(environment: Environment): Source {
  const own = Object.entries(environment).filter(
    ([name, value]) => value !== undefined && name.startsWith(PREFIX) && !NOT_SETTINGS.test(name),
  );
  return {
    values: Object.fromEntries(own.map(([name, value]) => [name.slice(PREFIX.length).toLowerCase(), value])),
    nameOf: (key) => `environment variable ${PREFIX}${key.toUpperCase()}`,
  };
}

/** Settings of the command line, as commander gives them: httpsPort is https_port. */
function readFlags(flags: Readonly<Record<string, unknown>>): Source {
  const camelCase = (key: string) => key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const own = CONFIG_KEYS.map((key) => [key, flags[camelCase(key)]] as const);
  return {
    values: Object.fromEntries(own.filter(([, value]) => value !== undefined)),
    nameOf: (key) => `--${key.replaceAll("_", "-")}`,
  };
}

/** The shape of a source, which sets some of the settings. */
const someSettings = configSchema.partial();

/** Checks each source on its own, so that a mistake is reported even where another source overrides it. */
function parseSources(sources: readonly Source[], { sinks: _, ...usual }: Config): Config {
  const mistakes: string[] = [];
  let merged: Readonly<Record<string, unknown>> = usual;
  for (const source of sources) {
    if (source.unreadable !== undefined) mistakes.push(source.unreadable);
    const values = Object.fromEntries(
      Object.entries(source.values)
        .filter(([key]) => isKey(key) || !SINK_KEYS.has(key))
        .map(([key, value]) => [key, fromText(key, value)]),
    );
    // zod compiles a schema at its first parse, which costs more than the few parses of a start.
    const parsed = someSettings.safeParse(values, { jitless: true, error: mistakeOf });
    if (parsed.success) merged = { ...merged, ...values };
    else mistakes.push(...parsed.error.issues.flatMap((issue) => describe(issue, source)));
  }
  const given = sources.flatMap(({ values }) => Object.entries(values));
  const said = Object.entries(Object.fromEntries(given.filter(([key]) => SINK_KEYS.has(key))));
  // An empty text says something only where another value is usual.
  const sinks = Object.fromEntries(
    said.filter(([key, value]) => value !== "" || SINK_KEYS.get(key)?.usual !== undefined),
  );
  const config = { ...configSchema.parse(merged, { jitless: true }), sinks };
  if (mistakes.length === 0) mistakes.push(...incomplete(config));
  if (mistakes.length > 0) {
    throw new FlancoError("config", mistakes.map((mistake) => `${mistake}.`).join("\n"), {
      hint: "`flanco config check` reads it again; `flanco --help` lists every setting.",
    });
  }
  return Object.freeze(config);
}

function incomplete(config: Config): readonly string[] {
  const { gpio_driver, http_port, https_port } = config;
  const boxes = (["box_broker", "box_user"] as const).filter(
    (key) => gpio_driver === "mqtt" && config[key] === "",
  );
  return [
    ...boxes.map((key) => `${key}: must be set for the driver mqtt`),
    ...(http_port === https_port ? ["http_port: must be another port than https_port"] : []),
  ];
}

/** Parses a text of the environment or a flag as a number, list or boolean where the setting is one. */
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
