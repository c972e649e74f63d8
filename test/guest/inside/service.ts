import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Said } from "../told.ts";
import { until } from "./deadline.ts";
import { allWatched } from "./relays.ts";

/** Where it is installed in a guest. */
const PROGRAM = "/usr/lib/flanco/flanco.mjs";
/** On an emulated processor that has to share the real one a start takes half a minute. */
const START_MS = 240_000;
/** That it ends within 5 s is asserted where time is real (test/cli/serve.test.ts): here a hang alone takes so long. */
const END_MS = 20_000;
const LOG_LINES = 30;

/** The real program, started as a service would start it: by its command, with its environment, as a process. */
export class Service {
  readonly baseUrl = "http://127.0.0.1:8080";
  readonly #environment: NodeJS.ProcessEnv;
  readonly #dataDirectory: string;
  readonly #log: string;
  #process: ChildProcess | null = null;

  constructor(driver: string) {
    this.#dataDirectory = `/var/lib/flanco-${driver}`;
    this.#log = `/var/log/flanco-${driver}.log`;
    this.#environment = {
      ...process.env,
      FLANCO_DATA_DIR: this.#dataDirectory,
      FLANCO_GPIO_DRIVER: driver,
      FLANCO_HTTP_PORT: "8080",
      FLANCO_HTTPS_PORT: "8443",
      FLANCO_CLOCK_TRUST: "always",
    };
    mkdirSync(this.#dataDirectory, { recursive: true, mode: 0o700 });
    mkdirSync("/var/log", { recursive: true });
  }

  get ledgerFile(): string {
    return join(this.#dataDirectory, "flanco.db");
  }

  /** Runs one of the program's commands to its end. */
  command(options: readonly string[], input = ""): Said {
    const result = spawnSync(process.execPath, [PROGRAM, ...options], {
      env: this.#environment,
      input,
      encoding: "utf8",
    });
    return { exitCode: result.status, said: `${result.stdout}${result.stderr}` };
  }

  /** Starts the program; resolves once it says that it is healthy. */
  async start(): Promise<void> {
    appendFileSync(this.#log, `--- start at ${new Date().toISOString()}\n`);
    const log = openSync(this.#log, "a");
    const program = spawn(process.execPath, [PROGRAM, "serve"], {
      env: this.#environment,
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    this.#process = program;
    await until(async () => {
      if (program.exitCode !== null) throw new Error(`The service ended with ${program.exitCode}.`);
      return (await this.#isHealthy()) ? null : "the service is not healthy";
    }, START_MS);
  }

  /** Resolves once the kernel has an interrupt for each of the eight lines. */
  watchesAllLines(): Promise<void> {
    return allWatched(START_MS);
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#process?.kill(signal) !== true) throw new Error("The service does not run.");
  }

  /** Sends a signal that ends the program; gives its exit code, or rejects when it does not end. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const program = this.#process;
    if (program === null) throw new Error("The service does not run.");
    const exit = once(program, "exit", { signal: AbortSignal.timeout(END_MS) });
    this.signal(signal);
    await exit;
    this.#process = null;
    return program.exitCode;
  }

  /** For the end of a run that went wrong as well: leaves no process behind. */
  abandon(): void {
    this.#process?.kill("SIGKILL");
  }

  /** The last lines that the program wrote, for a failure's text. */
  lastWords(): string {
    if (!existsSync(this.#log)) return "The service wrote nothing.";
    return readFileSync(this.#log, "utf8").trimEnd().split("\n").slice(-LOG_LINES).join("\n");
  }

  async #isHealthy(): Promise<boolean> {
    try {
      return (await fetch(`${this.baseUrl}/healthz`)).ok;
    } catch {
      // The port is not open yet.
      return false;
    }
  }
}
