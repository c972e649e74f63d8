import type { ChildProcess } from "node:child_process";
import DatabaseConstructor from "better-sqlite3";
import { ScriptFailure } from "../scripts/command.ts";

/** A server that the benchmark has started, and how it is asked. */
export interface Server {
  readonly name: string;
  readonly port: number;
  /** Cookie header; empty where there are no sessions. */
  readonly cookie: string;
  readonly postPath: string;
  /** The ledger's file, for counting its rows once the server has stopped. */
  readonly file: string;
  /** Ends the process by SIGTERM. Throws ScriptFailure when it does not end well. */
  stop(): Promise<void>;
}

/** How a server is started, the same for both. */
export interface ServerSetting {
  /** Empty folder for its data, on a real disk. */
  readonly directory: string;
  /** A library to preload; undefined: none. */
  readonly preload?: string | undefined;
}

/** A server under measurement, and the posts that it has acknowledged so far. */
export interface Measured {
  readonly server: Server;
  acknowledged: number;
}

/** The environment of a server: this process's own, without any setting of flanco's. */
export function environmentFor(setting: ServerSetting): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("FLANCO_"));
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

/**
 * Counts the rows of a stopped server's ledger against the posts that it acknowledged. Throws
 * ScriptFailure when they differ: a server could be fast by not storing.
 */
export function checkRows(measured: Measured, seeded = 0): number {
  const db = new DatabaseConstructor(measured.server.file, { readonly: true });
  const rows = db.prepare<[], number>("SELECT count(*) FROM record").pluck().get() ?? 0;
  db.close();
  const expected = seeded + measured.acknowledged;
  if (rows !== expected) {
    throw new ScriptFailure(
      `${measured.server.name} acknowledged ${expected} posts and holds ${rows} records`,
    );
  }
  return rows;
}
