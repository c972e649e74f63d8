import { parentPort, workerData } from "node:worker_threads";
import DatabaseConstructor from "better-sqlite3";
import { type ErrorData, errorToData, FlancoError } from "../../domain/error.ts";
import { verifyLedger } from "../repair/verify.ts";
import { makeBackup } from "./backup.ts";
import type { UpkeepJob, UpkeepMessage } from "./upkeep-job.ts";

async function run(job: UpkeepJob): Promise<unknown> {
  switch (job.kind) {
    case "backup":
      return makeBackup(job.request);
    case "verify":
      return verifyLedger(job.ledger, () => {});
  }
}

async function answer(job: UpkeepJob): Promise<UpkeepMessage> {
  try {
    return { output: await run(job) };
  } catch (error) {
    return { error: toData(error) };
  }
}

function toData(error: unknown): ErrorData {
  if (error instanceof FlancoError) return errorToData(error);
  if (error instanceof DatabaseConstructor.SqliteError) {
    return {
      code: /^SQLITE_(CORRUPT|NOTADB)/.test(error.code) ? "damaged" : "unavailable",
      message: `The work on the ledger has failed (${error.code}).`,
      hint: "Check that the disk is neither full nor damaged.",
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "unavailable", message, hint: "Check that the disk is mounted." };
}

const port = parentPort;
if (port !== null) void answer(workerData as UpkeepJob).then((message) => port.postMessage(message));
