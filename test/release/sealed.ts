import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildBinary } from "../../scripts/release/binary.ts";
import { runCommand } from "../../scripts/release/command.ts";
import { isOwn, PROCESSORS, type Processor, runnerFor } from "../../scripts/release/processor.ts";
import { Appliance, CHECKOUT, type Ended, listen, RunningService, until } from "../cli/program.ts";

/** Emulated, a start takes most of a minute. */
const READY_MS = 180_000;
export const WORK = join(CHECKOUT, "build", "release");

/** The processors that this run is about: in the short form the machine's own. */
export const TESTED: readonly Processor[] =
  process.env["FLANCO_TEST_RELEASE"] === "short" ? PROCESSORS.filter(isOwn) : PROCESSORS;

/** The sealed program of this checkout, built anew. */
export async function buildSealed(processor: Processor): Promise<string> {
  mkdirSync(WORK, { recursive: true });
  runCommand([process.execPath, join(CHECKOUT, "scripts", "build-web.mjs")]);
  const target = join(WORK, `flanco-tested-${processor.debian}`);
  await buildBinary({ processor, checkout: CHECKOUT, directory: WORK, target });
  return target;
}

/** The sealed program with a directory, ports and an environment of its own. */
export class SealedAppliance {
  readonly appliance: Appliance;
  readonly #command: readonly string[];

  private constructor(appliance: Appliance, command: readonly string[]) {
    this.appliance = appliance;
    this.#command = command;
  }

  static async make(binary: string, processor: Processor): Promise<SealedAppliance> {
    return new SealedAppliance(await Appliance.make(), [...runnerFor(processor), binary]);
  }

  /** Runs one command to its end. `wrapper` is a command that runs it in its way. */
  async run(
    args: readonly string[],
    input = "",
    environment: Readonly<Record<string, string | undefined>> = {},
    wrapper: readonly string[] = [],
  ): Promise<Ended> {
    const child = this.#spawn(args, environment, wrapper);
    const said = listen(child);
    child.stdin?.end(input);
    const [exitCode] = (await once(child, "close")) as [number | null];
    return { exitCode, ...said };
  }

  /** Starts the service; resolves once it says that it is ready. */
  async start(environment: Readonly<Record<string, string | undefined>> = {}): Promise<RunningService> {
    const child = this.#spawn(["serve"], environment, []);
    const said = listen(child);
    child.stdin?.end();
    const ready = () => {
      if (child.exitCode !== null)
        throw new Error(`The service ended with ${child.exitCode}: ${said.stderr}`);
      return said.stdout.includes("flanco is ready.");
    };
    await until("the service says that it is ready", ready, READY_MS);
    return new RunningService(child, said, `http://127.0.0.1:${this.appliance.httpPort}`);
  }

  close(): Promise<void> {
    return this.appliance.close();
  }

  #spawn(
    args: readonly string[],
    environment: Readonly<Record<string, string | undefined>>,
    wrapper: readonly string[],
  ): ChildProcess {
    const [program = "", ...rest] = [...wrapper, ...this.#command, ...args];
    const env = { ...this.appliance.environment, ...environment };
    return this.appliance.adopt(spawn(program, rest, { cwd: this.appliance.directory, env, stdio: "pipe" }));
  }
}
