import { parentPort, workerData } from "node:worker_threads";
import DatabaseConstructor from "better-sqlite3";
import { FlancoError } from "../domain/error.ts";
import { prepareArchive } from "./archive-make.ts";
import { planRetention } from "./archive-plan.ts";
import { unfinishedArchives } from "./archive-state.ts";
import { makeBackup } from "./backup.ts";
import { checkAll } from "./full-check.ts";
import type { ErrorMessage } from "./message.ts";
import type { UpkeepJob, UpkeepMessage } from "./upkeep-job.ts";

async function run(job: UpkeepJob): Promise<unknown> {
  switch (job.kind) {
    case "backup":
      return makeBackup(job.request);
    case "verify":
      return checkAll(job.ledger, job.archives, () => {});
    case "retention":
      return planRetention(job.request);
    case "archive":
      return prepareArchive(job.request);
    case "unfinished":
      return unfinishedArchives(job.ledger, job.directory);
  }
}

async function answer(job: UpkeepJob): Promise<UpkeepMessage> {
  try {
    return { output: await run(job) };
  } catch (error) {
    return { error: toMessage(error) };
  }
}

function toMessage(error: unknown): ErrorMessage {
  if (error instanceof FlancoError) {
    const { code, message, hint, fields } = error;
    return { code, message, hint, fields };
  }
  if (error instanceof DatabaseConstructor.SqliteError) {
    return {
      code: /^SQLITE_(CORRUPT|NOTADB)/.test(error.code) ? "damaged" : "unavailable",
      message: `The work on the ledger has failed (${error.code}).`,
      hint: "Check that the disk is neither full nor damaged.",
      fields: undefined,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "unavailable", message, hint: "Check that the disk is mounted.", fields: undefined };
}

const port = parentPort;
if (port !== null) void answer(workerData as UpkeepJob).then((message) => port.postMessage(message));
