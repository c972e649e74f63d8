#!/usr/bin/env node
// Runs one command in a guest machine that has a simulated GPIO chip of eight lines, RELAY0 to RELAY7.
//
//   node scripts/guest/run.mjs [--timeout SECONDS] [--env NAME=VALUE]... -- COMMAND [ARGUMENT]...
//   node scripts/guest/run.mjs --timeout 120 -- mocha "test/gpio/*.test.ts"
//
// The command starts in the checkout's copy, with FLANCO_TEST_GPIO_SIM (the folder that holds sim_gpio0/pull)
// and FLANCO_TEST_GPIO_CHIP (the chip's name) set. Its output is passed on and its exit code is this program's.
// Exit codes of the machine itself, told on standard error: 124 the time ran out, 125 it failed, 64 bad usage.
import { parseArgs } from "node:util";
import { requireRuntime } from "../../bin/runtime.mjs";

const USAGE = "usage: run.mjs [--timeout SECONDS] [--env NAME=VALUE]... -- COMMAND [ARGUMENT]...";
const DEFAULT_TIMEOUT_SECONDS = "120";
const EXIT_USAGE = 64;
const EXIT_TIMEOUT = 124;
const EXIT_FAILURE = 125;

requireRuntime();
const { ScriptFailure } = await import("../command.ts");
const { buildGuest, GuestFailure, runInGuest } = await import("./machine.ts");
// A signal ends the machine too: its end hangs on this process's exit.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(EXIT_FAILURE));
process.exitCode = await main();

async function main() {
  const usage = parsed();
  if (usage === null) {
    console.error(USAGE);
    return EXIT_USAGE;
  }
  try {
    const { exitCode } = await runInGuest(await buildGuest({ checkout: true, scripts: {} }), {
      ...usage,
      onStdout: (chunk) => process.stdout.write(chunk),
      onStderr: (chunk) => process.stderr.write(chunk),
    });
    return exitCode;
  } catch (error) {
    if (!(error instanceof ScriptFailure)) throw error;
    console.error(`guest: ${error.message}`);
    return error instanceof GuestFailure && error.timedOut ? EXIT_TIMEOUT : EXIT_FAILURE;
  }
}

function parsed() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        timeout: { type: "string", default: DEFAULT_TIMEOUT_SECONDS },
        env: { type: "string", multiple: true, default: [] },
      },
    });
    const timeoutMs = Number(values.timeout) * 1000;
    const pairs = values.env.map((pair) => /^([A-Za-z_]\w*)=(.*)$/s.exec(pair));
    if (!(timeoutMs > 0) || positionals.length === 0 || pairs.includes(null)) return null;
    const environment = Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""]));
    return { command: positionals, environment, timeoutMs };
  } catch {
    return null;
  }
}
