import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../scripts/command.ts";
import { buildBinary } from "../../scripts/release/binary.ts";
import { environmentFor, isOwn, PROCESSORS, type Processor } from "../../scripts/release/processor.ts";
import { CHECKOUT, Program } from "../rig/program.ts";

/** Emulated, a start takes most of a minute. */
const DEADLINE_MS = 180_000;
export const WORK = join(CHECKOUT, "build", "release");

/** The processors that this run is about: in the short form the machine's own. */
export const TESTED: readonly Processor[] =
  process.env["FLANCO_TEST_RELEASE"] === "short" ? PROCESSORS.filter(isOwn) : PROCESSORS;

/** Builds the sealed program of this checkout. */
export async function buildSealed(processor: Processor): Promise<string> {
  mkdirSync(WORK, { recursive: true });
  runCommand([process.execPath, join(CHECKOUT, "scripts", "build-web.ts")]);
  const target = join(WORK, `flanco-tested-${processor.debian}`);
  await buildBinary({ processor, checkout: CHECKOUT, directory: WORK, target });
  return target;
}

/** The sealed program with its own directory, ports and environment. */
export function makeSealed(binary: string, processor: Processor): Promise<Program> {
  return Program.make(environmentFor(processor), { command: [binary], deadlineMs: DEADLINE_MS });
}
