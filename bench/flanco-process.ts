import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ScriptFailure } from "../scripts/command.ts";
import { freePort } from "../scripts/ports.ts";
import { endOf, environmentFor, type Server, type ServerSetting } from "./server.ts";

const ENTRY = join(import.meta.dirname, "..", "bin", "flanco.mjs");
const EMAIL = "banco@example.org";
const READY = "flanco is ready.";
/** One with changes of the clock, so that days are computed as they are in the field. */
export const TIME_ZONE = "Europe/Madrid";

/** Makes a data directory with one user, as its operator would. Gives the user's password. */
export function prepareFlanco(setting: ServerSetting): string {
  mkdirSync(setting.directory, { recursive: true, mode: 0o700 });
  const password = crypto.randomUUID();
  runFlanco(setting, ["user", "add", "--email", EMAIL, "--name", "Banco", "--password-stdin"], password);
  return password;
}

/** The ledger's file in a data directory. */
export function ledgerIn(directory: string): string {
  return join(directory, "flanco.db");
}

/** Starts the real program on a prepared data directory and signs in. */
export async function startFlanco(setting: ServerSetting, password: string): Promise<Server> {
  const port = await freePort();
  const child = spawn(process.execPath, [ENTRY, "serve"], {
    env: {
      ...flancoEnvironment(setting),
      FLANCO_HTTP_PORT: String(port),
      FLANCO_HTTPS_PORT: String(await freePort()),
      FLANCO_HOST: "127.0.0.1",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = endOf(child, "flanco");
  const ready = new Promise<true>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === READY) resolve(true);
    });
  });
  if ((await Promise.race([ready, ended])) !== true)
    throw new ScriptFailure("flanco ended before it was ready");
  return {
    name: "flanco",
    pid: Number(child.pid),
    port,
    cookie: await signIn(port, password),
    postPath: "/api/data",
    file: ledgerIn(setting.directory),
    acknowledged: 0,
    unanswered: 0,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** `flanco verify` on a stopped server's directory. Throws ScriptFailure when the ledger is not right. */
export function verifyFlanco(setting: ServerSetting): { readonly records: number } {
  const result = JSON.parse(runFlanco(setting, ["verify", "--json"], "")) as { records: number };
  return { records: result.records };
}

/** `flanco backup` beside the running service. */
export function backUpFlanco(setting: ServerSetting): void {
  runFlanco(setting, ["backup"], "");
}

function runFlanco(setting: ServerSetting, args: readonly string[], input: string): string {
  try {
    return execFileSync(process.execPath, [ENTRY, ...args], {
      env: flancoEnvironment({ directory: setting.directory }),
      input,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe"],
    });
  } catch (error) {
    const text = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    throw new ScriptFailure(`flanco ${args[0]}: ${text.trim()}`);
  }
}

/** A flanco in that folder, without lines, that one account may post to without end. */
export function flancoEnvironment(setting: ServerSetting): NodeJS.ProcessEnv {
  return {
    ...environmentFor(setting),
    FLANCO_DATA_DIR: setting.directory,
    FLANCO_GPIO_DRIVER: "none",
    FLANCO_DEMO: "false",
    // One account posts all that the machine takes.
    FLANCO_DAILY_RECORDS: "1000000000",
    FLANCO_DAILY_BYTES: "1000000000000",
    FLANCO_TIME_ZONE: TIME_ZONE,
    FLANCO_LOG_LEVEL: "warn",
    ...setting.settings,
  };
}

async function signIn(port: number, password: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: EMAIL, password }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0];
  if (response.status !== 200 || cookie === undefined) {
    throw new ScriptFailure(`flanco: signing in answered ${response.status}`);
  }
  return cookie;
}
