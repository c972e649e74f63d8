import { parentPort, workerData } from "node:worker_threads";
import DatabaseConstructor from "better-sqlite3";
import { type ErrorData, errorToData, FlancoError, messageOf } from "../../domain/error.ts";
import type { OnProgress } from "../../domain/work.ts";
import { makeBackup } from "../backup/backup.ts";
import { headsOf, lookAtBackups } from "../backup/backup-directory.ts";
import { prepareLedger } from "../repair/prepare.ts";
import { checkFile, verifyLedger } from "../repair/verify.ts";
import type { Job, JobMessage } from "./job.ts";

async function run(job: Job, onProgress: OnProgress): Promise<unknown> {
  switch (job.kind) {
    case "backup":
      return makeBackup(job.request);
    case "verify":
      return verifyLedger(job.ledger, () => {}, headsOf(job.ledger, job.directories));
    case "check-file":
      return checkFile(job.ledger);
    case "look":
      return lookAtBackups(job.directory, job.ledgerIds);
    case "prepare":
      return prepareLedger(job.request, onProgress);
  }
}

async function answer(job: Job, say: (message: JobMessage) => void): Promise<void> {
  try {
    say({ output: await run(job, (progress) => say({ progress })) });
  } catch (error) {
    say({ error: toData(error) });
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
  return { code: "unavailable", message: messageOf(error), hint: "Check that the disk is mounted." };
}

const port = parentPort;
if (port !== null) void answer(workerData as Job, (message) => port.postMessage(message));
