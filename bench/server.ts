import type { JobResult } from "./job.ts";

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
  /** Where to write a CPU profile of the process; undefined: none. */
  readonly profiles?: string | undefined;
}

/** A server under measurement, and the posts that it has acknowledged so far. */
export interface Measured {
  readonly server: Server;
  acknowledged: number;
}

/** Notes what a job's result says was acknowledged. */
export function noteAcknowledged(measured: Measured, result: JobResult): void {
  measured.acknowledged += result.posts?.acknowledged ?? 0;
}
