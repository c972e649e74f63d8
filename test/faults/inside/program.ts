import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Where it is installed in a guest. */
export const PROGRAM = "/usr/lib/flanco/flanco.mjs";
const READY = "flanco is ready.";
const TOKEN = /\/primer-uso#([\w-]+)/;
const SHOWN_CHARACTERS = 4_000;

/** The real program in a guest, started as a service would start it, watching the lines of the kernel's simulated chip. */
export class Program {
  readonly #dataDir: string;
  #process: ChildProcess | null = null;
  #said = "";

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Starts the program; resolves once it says that it is ready, rejects when it ends before. */
  async start(): Promise<void> {
    const program = spawn(process.execPath, [PROGRAM, "serve"], {
      env: {
        FLANCO_CLOCK_TRUST: "always",
        ...process.env,
        FLANCO_DATA_DIR: this.#dataDir,
        FLANCO_GPIO_DRIVER: "chardev",
        FLANCO_TIME_ZONE: "UTC",
        FLANCO_LOG_LEVEL: "warn",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = program;
    const ready = new Promise<void>((resolve, reject) => {
      const hear = (chunk: Buffer) => {
        this.#said += chunk.toString();
        if (this.#said.includes(READY)) resolve();
      };
      program.stdout.on("data", hear);
      program.stderr.on("data", hear);
      program.once("close", (code) => {
        reject(new Error(`The program ended with ${code}:\n${this.lastWords()}`));
      });
    });
    await ready;
  }

  /** The right to make the first user. */
  get firstRunToken(): string {
    const token = TOKEN.exec(this.#said)?.[1];
    if (token === undefined) throw new Error(`The program printed no link:\n${this.lastWords()}`);
    return token;
  }

  /** Sends a signal and gives the exit code once the program is gone; null when the signal ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const program = this.#process;
    if (program === null) throw new Error("The program does not run.");
    const ended = once(program, "close");
    program.kill(signal);
    await ended;
    this.#process = null;
    return program.exitCode;
  }

  lastWords(): string {
    return this.#said.slice(-SHOWN_CHARACTERS);
  }
}
