import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ScriptFailure } from "../command.ts";
import { runShortly } from "../short-run.ts";

export interface CodeCacheOptions {
  /** The Node of the sealed program, and the options that it runs with: V8 refuses the cache of another Node, or of other options. */
  readonly node: string;
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** What the sealed program runs first. */
  readonly start: string;
  /** Paths of the sealed program's parts by their names. */
  readonly parts: Readonly<Record<string, string>>;
  /** For the caches, and for what comes and goes. */
  readonly directory: string;
}

/**
 * Runs the service, from its start to its end, before it is sealed, and gives the files of what V8 compiled meanwhile: the caches
 * of the program and its writer, by their names in the sealed program. Node's own cache (`useCodeCache`) has none of the functions
 * that are compiled when they are first called, and these take a quarter of a start. Throws ScriptFailure.
 */
export async function makeCodeCaches(options: CodeCacheOptions): Promise<Readonly<Record<string, string>>> {
  const { node, flags, environment, start, parts, directory } = options;
  const caches = join(directory, "cache");
  mkdirSync(caches, { recursive: true });
  const partsFile = join(directory, "parts.json");
  writeFileSync(partsFile, JSON.stringify(parts));
  const config = join(directory, "flanco.toml");
  writeFileSync(config, "");
  const recorder = join(import.meta.dirname, "code-recorder.ts");
  await runShortly([node, ...flags, "--require", recorder, start, "serve", "--config", config], {
    ...environment,
    SEALED_PARTS: partsFile,
    CODE_CACHES: caches,
    FLANCO_DATA_DIR: join(directory, "data"),
    CACHE_DIRECTORY: join(directory, "addons"),
    FLANCO_GPIO_DRIVER: "simulated",
    FLANCO_LOG_LEVEL: "error",
  });
  const names = ["main", "ledger/engine/writer-thread"];
  const absent = names.find((name) => !existsSync(join(caches, name)));
  if (absent !== undefined) throw new ScriptFailure(`The service made no code cache of ${absent}.`);
  return Object.fromEntries(names.map((name) => [`cache/${name}`, join(caches, name)]));
}
