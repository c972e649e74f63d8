import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { outcomeOf, type Said } from "../told.ts";
import { until } from "./deadline.ts";
import { allWatched } from "./relays.ts";

/** Where it is installed in a guest. */
const PROGRAM = "/usr/lib/flanco/flanco.mjs";
const READY = "flanco is ready.";
/** On an emulated processor that has to share the real one a start takes half a minute. */
const START_MS = 240_000;
/** That it ends within 5 s is asserted where time is real (test/cli/serve.test.ts): here a hang alone takes so long. */
const END_MS = 60_000;
const SHOWN_CHARACTERS = 4_000;

/** The real program in a guest, started as a service would start it, on the lines of the kernel's simulated chip. */
export class Service {
  readonly baseUrl = "http://127.0.0.1:8080";
  readonly #environment: NodeJS.ProcessEnv;
  readonly #dataDirectory: string;
  #process: ChildProcess | null = null;
  /** What it wrote since its last start. */
  #said = "";

  constructor(dataDirectory: string, driver: "chardev" | "sysfs") {
    this.#dataDirectory = dataDirectory;
    this.#environment = {
      FLANCO_CLOCK_TRUST: "always",
      ...process.env,
      FLANCO_DATA_DIR: dataDirectory,
      FLANCO_GPIO_DRIVER: driver,
      FLANCO_HTTP_PORT: "8080",
      FLANCO_HTTPS_PORT: "8443",
      FLANCO_TIME_ZONE: "UTC",
    };
  }

  get ledgerFile(): string {
    return join(this.#dataDirectory, "flanco.db");
  }

  /** The right to make the first user. */
  get firstRunToken(): string {
    const token = /\/primer-uso#([\w-]+)/.exec(this.#said)?.[1];
    if (token === undefined) throw new Error(`The program printed no link:\n${this.lastWords()}`);
    return token;
  }

  /** Runs one of the program's commands to its end. */
  command(...words: readonly string[]): Promise<Said> {
    return outcomeOf(this.#spawn(words));
  }

  /** Starts the program; resolves once it says that it is ready, rejects when it ends before. */
  async start(): Promise<void> {
    const program = this.#spawn(["serve"]);
    this.#process = program;
    this.#said = "";
    for (const stream of [program.stdout, program.stderr])
      stream.on("data", (chunk: Buffer) => (this.#said += chunk.toString()));
    await until(() => {
      if (program.exitCode !== null) throw new Error(`The program ended with ${program.exitCode}.`);
      return this.#said.includes(READY) ? null : "the program is not ready";
    }, START_MS);
  }

  /** Resolves once the kernel has an interrupt for each of the eight lines. */
  watchesAllLines(): Promise<void> {
    return allWatched(START_MS);
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#process?.kill(signal) !== true) throw new Error("The program does not run.");
  }

  /** Sends a signal that ends the program; gives its exit code, null when the signal ended it. Rejects when it does not end. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const program = this.#process;
    if (program === null) throw new Error("The program does not run.");
    const exit = once(program, "close", { signal: AbortSignal.timeout(END_MS) });
    this.signal(signal);
    await exit;
    this.#process = null;
    return program.exitCode;
  }

  /** For the end of a run that went wrong as well: leaves no process behind. */
  abandon(): void {
    this.#process?.kill("SIGKILL");
  }

  /** What the program wrote last, for a failure's text. */
  lastWords(): string {
    return this.#said.slice(-SHOWN_CHARACTERS);
  }

  #spawn(words: readonly string[]) {
    return spawn(process.execPath, [PROGRAM, ...words], {
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
}
