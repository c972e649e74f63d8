import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ScriptFailure } from "../command.ts";
import { freePort } from "../ports.ts";

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
  const [port, tlsPort] = [await freePort(), await freePort()];
  const recorder = join(import.meta.dirname, "code-recorder.ts");
  const service = spawn(node, [...flags, "--require", recorder, start, "serve", "--config", config], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      // Without this machine's own settings.
      ...{ PATH: process.env["PATH"], ...environment, SEALED_PARTS: partsFile, CODE_CACHES: caches },
      ...{ FLANCO_DATA_DIR: join(directory, "data"), CACHE_DIRECTORY: join(directory, "addons") },
      ...{ FLANCO_HOST: "127.0.0.1", FLANCO_HTTP_PORT: String(port), FLANCO_HTTPS_PORT: String(tlsPort) },
      ...{ FLANCO_GPIO_DRIVER: "simulated", FLANCO_LOG_LEVEL: "error" },
    },
  });
  const ended = once(service, "exit");
  for await (const line of createInterface(service.stdout)) if (line.includes("flanco is ready")) break;
  service.stdout.resume();
  service.kill("SIGTERM");
  const [code] = await ended;
  if (code !== 0) throw new ScriptFailure(`The service that makes the code caches ended with ${code}.`);
  const names = ["main", "store/ledger/writer-thread"];
  const absent = names.find((name) => !existsSync(join(caches, name)));
  if (absent !== undefined) throw new ScriptFailure(`The service made no code cache of ${absent}.`);
  return Object.fromEntries(names.map((name) => [`cache/${name}`, join(caches, name)]));
}
