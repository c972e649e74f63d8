import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { until } from "../../rig/until.ts";

/** Where it is installed in a guest. */
const PROGRAM = "/usr/lib/flanco/flanco.mjs";
const READY = "flanco is ready.";
/** On an emulated processor that has to share the real one a start takes half a minute. */
const START_MS = 240_000;
/** That it ends within 5 s is asserted where time is real (long-work.fault.ts): here a hang alone takes so long. */
const END_MS = 60_000;

/** The real program in a guest, started as a service would start it, on the lines of the kernel's simulated chip. */
export class Service {
  readonly baseUrl = "http://127.0.0.1:8080";
  readonly #environment: NodeJS.ProcessEnv;
  #process: ChildProcess | undefined;
  /** What it wrote since its last start. */
  #said = "";

  constructor(dataDirectory: string) {
    this.#environment = {
      FLANCO_CLOCK_TRUST: "always",
      ...process.env,
      FLANCO_DATA_DIR: dataDirectory,
      FLANCO_GPIO_DRIVER: "chardev",
      FLANCO_HTTP_PORT: "8080",
      FLANCO_HTTPS_PORT: "8443",
      FLANCO_TIME_ZONE: "UTC",
    };
  }

  /** The right to make the first user. */
  get firstRunToken(): string {
    const token = /\/primer-uso#([\w-]+)/.exec(this.#said)?.[1];
    if (token === undefined) throw new Error(`The program printed no link:\n${this.#said}`);
    return token;
  }

  /** Runs one of the program's commands to its end */
  async command(
    ...words: readonly string[]
  ): Promise<{ readonly exitCode: number | null; readonly said: string }> {
    const { program, said } = this.#spawn(words);
    const [exitCode] = (await once(program, "close")) as [number | null];
    return { exitCode, said: said() };
  }

  /** Starts the program; resolves once it says that it is ready, rejects when it ends before. */
  async start(): Promise<void> {
    const { program, said } = this.#spawn(["serve"]);
    this.#process = program;
    const isReady = () => {
      this.#said = said();
      if (program.exitCode !== null)
        throw new Error(`The program ended with ${program.exitCode}:\n${said()}`);
      return said().includes(READY);
    };
    await until("the program is ready", isReady, START_MS);
  }

  /** Tells the program to end; gives its exit code. Rejects when it does not end. */
  async end(): Promise<number | null> {
    const program = this.#process;
    if (program === undefined) throw new Error("The program does not run.");
    const exit = once(program, "close", { signal: AbortSignal.timeout(END_MS) });
    program.kill("SIGTERM");
    await exit;
    return program.exitCode;
  }

  #spawn(words: readonly string[]) {
    const program = spawn(process.execPath, [PROGRAM, ...words], {
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [program.stdout, program.stderr])
      stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
    return { program, said: () => said };
  }
}
