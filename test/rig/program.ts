import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../scripts/ports.ts";
import type { CliContext } from "../../src/cli/command.ts";
import { Terminal } from "../../src/cli/terminal.ts";
import { run } from "../../src/main.ts";
import { findInstallation } from "../../src/platform/installation.ts";
import { testedProgram } from "./tested-program.ts";
import { until } from "./until.ts";

export const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));

/** The system's user that runs the commands of tests. */
export const OPERATOR = "root (ana)";
/** The entry of the sources, which an older Node can read too. */
export const SOURCE_PROGRAM = join(CHECKOUT, "bin", "flanco.mjs");

/** Generous: the machine may be busy with other tests. */
const DEADLINE_MS = 30_000;
/** For mocha: what one test or hook that starts processes may take. */
export const PROCESS_TEST_MS = 60_000;

/** How a command ended, and all that it said. */
export interface CommandOutcome {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Standard input; none: it ends at once. */
  readonly input?: string;
  /** Variables beside the appliance's own; undefined takes one away. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Options of Node itself, before the program's name. */
  readonly nodeOptions?: readonly string[];
  /** In place of the tested program: one that was changed for a test. */
  readonly program?: string | undefined;
  /** A command that runs Node in its way, and its arguments. */
  readonly wrapper?: readonly string[];
}

export interface StartOptions extends Omit<RunOptions, "environment" | "input"> {
  /** The command that serves; `serve` by default. */
  readonly command?: readonly string[];
}

export interface ProgramOptions {
  readonly command: readonly string[];
  /** What a start, or a command, may take. */
  readonly deadlineMs?: number;
}

/** The program, bundled from this checkout, with a directory, ports and an environment of its own. */
export class Program {
  /** A temporary directory; the data directory is a part of it. */
  readonly directory: string;
  readonly dataDir: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What starts the program: Node and a script, or the sealed file. */
  readonly command: readonly string[];
  readonly #deadlineMs: number;
  readonly #children = new Set<ChildProcess>();

  private constructor(
    { command, deadlineMs }: ProgramOptions,
    httpPort: number,
    httpsPort: number,
    environment: Readonly<Record<string, string | undefined>>,
  ) {
    this.command = command;
    this.#deadlineMs = deadlineMs ?? DEADLINE_MS;
    this.directory = mkdtempSync(join(tmpdir(), "flanco-"));
    this.dataDir = join(this.directory, "data");
    this.httpPort = httpPort;
    this.httpsPort = httpsPort;
    this.environment = {
      PATH: process.env["PATH"],
      FLANCO_DATA_DIR: this.dataDir,
      FLANCO_HOST: "127.0.0.1",
      FLANCO_HTTP_PORT: String(httpPort),
      FLANCO_HTTPS_PORT: String(httpsPort),
      FLANCO_GPIO_DRIVER: "simulated",
      FLANCO_DEMO: "false",
      FLANCO_CLOCK_TRUST: "always",
      FLANCO_TIME_ZONE: "UTC",
      FLANCO_LOG_LEVEL: "error",
      ...environment,
    };
  }

  static async make(
    environment: Readonly<Record<string, string | undefined>> = {},
    options?: ProgramOptions,
  ): Promise<Program> {
    const tested = options ?? { command: [process.execPath, await testedProgram()] };
    return new Program(tested, await freePort(), await freePort(), environment);
  }

  get ledgerFile(): string {
    return join(this.dataDir, "flanco.db");
  }

  get controlSocket(): string {
    return join(this.dataDir, "control.sock");
  }

  /** Writes a file beside the data directory and gives its path. */
  write(name: string, text: string | Uint8Array): string {
    const file = join(this.directory, name);
    writeFileSync(file, text);
    return file;
  }

  /** Runs one command to its end, whatever that is. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<CommandOutcome> {
    const child = this.spawn(args, options);
    const said = listen(child);
    child.stdin?.on("error", () => {}).end(options.input ?? "");
    const timer = setTimeout(() => child.kill("SIGKILL"), this.#deadlineMs);
    const [exitCode] = (await once(child, "close")) as [number | null];
    clearTimeout(timer);
    return { exitCode, ...said };
  }

  /** Runs a command, in the test's own process, that must succeed; gives its standard output. */
  async succeed(args: readonly string[], input = ""): Promise<string> {
    const { exitCode, stdout, stderr } = await this.call(args, input);
    if (exitCode !== 0) throw new Error(`flanco ${args.join(" ")} ended with ${exitCode}: ${stderr}`);
    return stdout;
  }

  /** Runs a command, in the test's own process, that must fail with exit code 1 and one line; gives the line. */
  async refused(args: readonly string[], input = ""): Promise<string> {
    const ended = await this.call(args, input);
    if (ended.exitCode !== 1) throw new Error(`flanco ${args.join(" ")} ended with ${ended.exitCode}.`);
    return onlyLine(ended);
  }

  /** Runs one command in the test's own process, which costs a second less than a process of its own. */
  async call(
    args: readonly string[],
    input = "",
    environment: Readonly<Record<string, string | undefined>> = {},
    bounds: Pick<CliContext, "answerMs"> = {},
  ): Promise<CommandOutcome> {
    const terminal = new RecordingTerminal(input);
    const exitCode = await run(args, {
      terminal,
      environment: { ...this.environment, ...environment },
      installation: findInstallation(),
      user: OPERATOR,
      ...bounds,
    });
    return { exitCode, stdout: terminal.stdout, stderr: terminal.stderr };
  }

  /** Starts a command that goes on; `close` ends it. */
  spawn(args: readonly string[], options: RunOptions = {}): ChildProcess {
    const [first = "", ...script] = this.command;
    const own = options.program === undefined ? script : [options.program];
    const words = [...(options.wrapper ?? []), first, ...(options.nodeOptions ?? []), ...own, ...args];
    const [command = "", ...rest] = words;
    const child = spawn(command, rest, {
      cwd: CHECKOUT,
      env: { ...this.environment, ...options.environment },
      stdio: "pipe",
    });
    return this.adopt(child);
  }

  /** Takes care that a process of any program is gone once this appliance is. */
  adopt(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    return child;
  }

  /** Starts the service; resolves once it says that it is ready. */
  async start(
    environment: Readonly<Record<string, string | undefined>> = {},
    { command = ["serve"], ...options }: StartOptions = {},
  ): Promise<RunningService> {
    const child = this.spawn(command, { ...options, environment });
    const said = listen(child);
    child.stdin?.end();
    const ready = () => {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`The service ended with ${child.exitCode}: ${said.stderr}`);
      }
      return said.stdout.includes("flanco is ready.");
    };
    await until("the service says that it is ready", ready, this.#deadlineMs);
    return new RunningService(child, said, `http://127.0.0.1:${this.httpPort}`);
  }

  /** Ends what still runs, then removes the directory. */
  async close(): Promise<void> {
    // All at once: one may end by itself while another is waited for.
    const exits = [...this.#children].map((child) => once(child, "exit"));
    for (const child of this.#children) child.kill("SIGKILL");
    await Promise.all(exits);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** A service that is ready, and a client of it. */
export class RunningService {
  readonly baseUrl: string;
  readonly #child: ChildProcess;
  readonly #said: { readonly stdout: string; readonly stderr: string };

  constructor(
    child: ChildProcess,
    said: { readonly stdout: string; readonly stderr: string },
    baseUrl: string,
  ) {
    this.#child = child;
    this.#said = said;
    this.baseUrl = baseUrl;
  }

  get stdout(): string {
    return this.#said.stdout;
  }

  get stderr(): string {
    return this.#said.stderr;
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("The service was never started.");
    return this.#child.pid;
  }

  /** The token of the one-time link that was printed last; undefined when none was. */
  get firstRunToken(): string | undefined {
    return [...this.stdout.matchAll(/http:\/\/localhost:\d+\/primer-uso#([\w-]+)/g)].at(-1)?.[1];
  }

  /** Waits until it ends by itself. */
  async ended(deadlineMs = DEADLINE_MS): Promise<CommandOutcome> {
    const child = this.#child;
    await until("the service ends", () => child.exitCode !== null || child.signalCode !== null, deadlineMs);
    return { exitCode: this.#child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<CommandOutcome> {
    const closed = once(this.#child, "close", { signal: AbortSignal.timeout(DEADLINE_MS) });
    this.#child.kill(signal);
    const [exitCode] = (await closed) as [number | null];
    return { exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  get(path: string, cookie = ""): Promise<Response> {
    return fetch(this.baseUrl + path, { headers: { cookie } });
  }

  post(
    path: string,
    body: unknown,
    cookie = "",
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return this.send("POST", path, body, cookie, headers);
  }

  send(
    method: string,
    path: string,
    body: unknown,
    cookie: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return fetch(this.baseUrl + path, {
      method,
      headers: { "content-type": "application/json", cookie, ...headers },
      body: JSON.stringify(body),
    });
  }

  /** Makes the first user by the printed link; gives the session's cookie. */
  async makeFirstUser(): Promise<string> {
    const body = { token: this.firstRunToken, name: "Ana", email: "ana@example.org", password: PASSWORD };
    return cookieOf(await this.post("/api/first-run", body));
  }

  /** Signs in; gives the session's cookie. */
  async signIn(email: string, password: string): Promise<string> {
    return cookieOf(await this.post("/api/login", { email, password }));
  }
}

/** A terminal without a keyboard: input is given, output is kept. */
class RecordingTerminal extends Terminal {
  stdout = "";
  stderr = "";
  readonly #input: string;

  constructor(input: string) {
    super();
    this.#input = input;
  }

  override out(line: string): void {
    this.stdout += `${line}\n`;
  }

  override err(line: string): void {
    this.stderr += `${line}\n`;
  }

  override json(value: unknown): void {
    this.out(JSON.stringify(value, null, 2));
  }

  override async data(line: string): Promise<void> {
    this.out(line);
  }

  override async readAll(): Promise<string> {
    return this.#input;
  }
}

/** Long enough for the rules. */
export const PASSWORD = "correct horse battery";

/** The session's cookie of an answer that must be a success. */
function cookieOf(answer: Response): string {
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0];
  if (!answer.ok || cookie === undefined) throw new Error(`No session was begun: ${answer.status}.`);
  return cookie;
}

/** Gathers what a process says; the texts grow as it speaks. */
export function listen(child: ChildProcess): { stdout: string; stderr: string } {
  const said = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text;
  });
  return said;
}

/** The one line that a failed command says; throws when it says more, less, or shows a stack. */
export function onlyLine({ stderr }: CommandOutcome): string {
  const lines = stderr.trimEnd().split("\n");
  const [line = ""] = lines;
  if (lines.length !== 1 || line === "" || /\s{2,}at /.test(stderr)) {
    throw new Error(`This is not one line of text:\n${stderr}`);
  }
  return line;
}
