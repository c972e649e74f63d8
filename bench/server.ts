import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import DatabaseConstructor from "better-sqlite3";
import { ScriptFailure } from "../scripts/command.ts";

/** A server that the benchmark has started, and how it is asked. */
export interface Server {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** Cookie header; empty where there are no sessions. */
  readonly cookie: string;
  readonly postPath: string;
  /** The ledger's file, for counting its rows once the server has stopped. */
  readonly file: string;
  /** Posts that it has answered, and posts whose answers were not waited for. */
  acknowledged: number;
  unanswered: number;
  /** Ends the process by SIGTERM. Throws ScriptFailure when it does not end well. */
  stop(): Promise<void>;
}

/** How a server is started, the same for both. */
export interface ServerSetting {
  /** Empty folder for its data, on a real disk. */
  readonly directory: string;
  /** A library to preload; undefined: none. */
  readonly preload?: string | undefined;
  /** What flanco is set to besides. */
  readonly settings?: NodeJS.ProcessEnv;
}

/** Authorities that Node parses at each start beside its own: 40 ms of processor time, and 1.3 MB. No unit names any. */
const EXTRA_AUTHORITIES = "NODE_EXTRA_CA_CERTS";

/** The environment of a server: this process's own, without any setting of flanco's and without this machine's authorities. */
export function environmentFor(setting: ServerSetting): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("FLANCO_") && name !== EXTRA_AUTHORITIES,
  );
  return {
    ...Object.fromEntries(inherited),
    ...(setting.preload === undefined ? {} : { LD_PRELOAD: setting.preload }),
  };
}

/** The end of a process. Attach at its start: rejects with ScriptFailure when it ends other than with 0. */
export function endOf(child: ChildProcess, name: string): Promise<void> {
  const end = new Promise<void>((resolve, reject) => {
    child.once("error", (error) => reject(new ScriptFailure(`${name}: ${error.message}`)));
    child.once("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new ScriptFailure(`${name} ended with ${signal ?? `exit code ${code}`}`));
    });
  });
  // The caller that awaits it gets the error; until then it must not count as unhandled.
  end.catch(() => {});
  return end;
}

/** Starts a program as a server. `stop` ends it by SIGTERM, and throws ScriptFailure when it does not end well. */
export function startCommand(
  name: string,
  [program = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
) {
  const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const ended = endOf(child, name);
  return {
    child,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Processor time that a process has taken, in microseconds: of its main thread, and of all its threads. */
export function processorTime({ pid }: Pick<Server, "pid">): { readonly main: number; readonly all: number } {
  const of = (thread: string): number => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
    return Number(nanoseconds) / 1_000;
  };
  const all = readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + of(thread), 0);
  return { main: of(String(pid)), all };
}

/**
 * Counts the rows of a stopped server's ledger against the posts that it acknowledged. Throws
 * ScriptFailure when they differ: a server could be fast by not storing.
 */
export function checkRows({ file, name, acknowledged, unanswered }: Server, seeded = 0): number {
  const db = new DatabaseConstructor(file, { readonly: true });
  const rows = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
  db.close();
  const stored = rows - seeded;
  if (stored < acknowledged || stored > acknowledged + unanswered) {
    throw new ScriptFailure(
      `${name} acknowledged ${acknowledged} posts, did not answer ${unanswered} at most, and holds ${stored} records`,
    );
  }
  return rows;
}
