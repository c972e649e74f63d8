import { parentPort, workerData } from "node:worker_threads";
import { type ErrorData, errorToData } from "../../domain/error.ts";
import type { CostlyRead, LedgerReader } from "../../domain/ledger.ts";
import { giveWay } from "../../platform/task-thread.ts";
import { openReader } from "./reader.ts";

export interface ReaderStart {
  readonly file: string;
  readonly timeZone: string;
}

export interface ReadTask {
  readonly name: CostlyRead;
  readonly input: readonly unknown[];
}

/** What the read gave, or its error. */
export type ReadAnswer = { readonly value: unknown } | { readonly error: ErrorData };

type AnyRead = (...input: readonly unknown[]) => unknown;

function run(reader: LedgerReader, { name, input }: ReadTask): ReadAnswer {
  try {
    // The other side has typed the name with its input.
    return { value: (reader[name] as AnyRead)(...input) };
  } catch (error) {
    return { error: errorToData(error) };
  }
}

const { file, timeZone } = workerData as ReaderStart;
giveWay();
const reader = openReader(file, timeZone);
// Answers in the order of the tasks.
parentPort?.on("message", (task: ReadTask) => parentPort?.postMessage(run(reader, task)));
