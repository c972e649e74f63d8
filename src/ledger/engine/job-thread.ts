import { parentPort, workerData } from "node:worker_threads";
import DatabaseConstructor from "better-sqlite3";
import { type ErrorData, errorToData, FlancoError, messageOf } from "../../domain/error.ts";
import type { OnProgress } from "../../platform/work.ts";
import { type BackupRequest, makeBackup } from "../safety/backup.ts";
import { checkCopies, headsOf, surveyBackups } from "../safety/backup-directory.ts";
import { prepareLedger } from "../safety/prepare.ts";
import { verifyLedger } from "../safety/verify.ts";
import { isDamage } from "./disk-room.ts";
import type { Job, JobMessage } from "./job.ts";

interface VerifyRequest {
  readonly ledger: string;
  /** With the proofs that the ledger is held against, and the copies that are checked too. */
  readonly directories: readonly string[];
}

/** The function for each kind of work. It may report progress. */
const WORK = {
  backup: (request: BackupRequest) => makeBackup(request),
  verify: ({ ledger, directories }: VerifyRequest, onProgress: OnProgress) => ({
    ...verifyLedger(
      ledger,
      (done, total) => onProgress({ kind: "check", done, total }),
      headsOf(ledger, directories),
    ),
    copies: checkCopies(ledger, directories),
  }),
  survey: surveyBackups,
  prepare: prepareLedger,
};

export type JobWork = typeof WORK;

async function answer({ kind, input }: Job, say: (message: JobMessage) => void): Promise<void> {
  // The other side has typed the input of this kind.
  const work = WORK[kind] as (input: unknown, onProgress: OnProgress) => unknown;
  try {
    say({ output: await work(input, (progress) => say({ progress })) });
  } catch (error) {
    say({ error: toData(error) });
  }
}

function toData(error: unknown): ErrorData {
  if (error instanceof FlancoError) return errorToData(error);
  if (error instanceof DatabaseConstructor.SqliteError) {
    return {
      code: isDamage(error) ? "damaged" : "unavailable",
      message: `The work on the ledger has failed (${error.code}).`,
      hint: "Check that the disk is neither full nor damaged.",
    };
  }
  return { code: "unavailable", message: messageOf(error), hint: "Check that the disk is mounted." };
}

const port = parentPort;
if (port !== null) void answer(workerData as Job, (message) => port.postMessage(message));
