import { readFileSync } from "node:fs";
import type { Config } from "../config/schema.ts";
import { FlancoError } from "../domain/error.ts";
import type { ChipInfo } from "../domain/line.ts";
import { parseTrace, type Trace } from "../gpio/trace.ts";
import type { Installation } from "../installation.ts";

/**
 * The trace that drives the simulated lines: the configured file's, the demonstration's where `demo` is on; undefined
 * where there is neither. Throws `config`, naming the file, with every mistake in it.
 */
export function configuredTrace(
  config: Pick<Config, "simulated_trace" | "demo">,
  installation: Pick<Installation, "readDemoTrace">,
  chips: readonly ChipInfo[],
): Trace | undefined {
  if (config.simulated_trace !== "") return readTrace(config.simulated_trace, chips);
  return config.demo ? parseTrace(installation.readDemoTrace(), chips) : undefined;
}

function readTrace(file: string, chips: readonly ChipInfo[]): Trace {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new FlancoError("config", `The trace ${file} cannot be read.`, {
      hint: "Check that simulated_trace names a file that this user may read.",
      cause: error,
    });
  }
  try {
    return parseTrace(text, chips);
  } catch (error) {
    if (!(error instanceof FlancoError)) throw error;
    const { code, message, hint } = error;
    throw new FlancoError(code, `${file}: ${message}`, hint === undefined ? {} : { hint });
  }
}
