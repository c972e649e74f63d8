import { spawn } from "node:child_process";
import { once } from "node:events";
import { ScriptFailure } from "./command.ts";
import { freePort } from "./ports.ts";

const READY = "flanco is ready.";
const LIMIT_MS = 60_000;

/**
 * Runs a service on free ports of loopback until it is ready, and ends it, for what Node or V8 keep of its sources. It gets
 * none of this machine's own settings. Throws ScriptFailure where it does not become ready or does not end with 0.
 */
export async function runShortly(
  command: readonly [program: string, ...words: string[]],
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const [program, ...words] = command;
  const ports = { FLANCO_HTTP_PORT: String(await freePort()), FLANCO_HTTPS_PORT: String(await freePort()) };
  const child = spawn(program, words, {
    env: { PATH: process.env["PATH"], FLANCO_HOST: "127.0.0.1", ...ports, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const hear = (chunk: Buffer) => {
    const before = said.includes(READY);
    said += chunk.toString();
    // Once: a second signal would end it before Node has written what it keeps.
    if (!before && said.includes(READY)) child.kill("SIGTERM");
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  if (code !== 0) throw new ScriptFailure(`The service ended with ${code}:\n${said}`);
}
