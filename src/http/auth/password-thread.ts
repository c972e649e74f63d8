import { parentPort } from "node:worker_threads";
import { compareSync, hashSync } from "bcryptjs";
import { giveWay } from "../../platform/task-thread.ts";

/** With `hash` null it compares with a hash that no password has, at the same cost. */
export type PasswordTask =
  | { readonly kind: "hash"; readonly password: string }
  | { readonly kind: "compare"; readonly password: string; readonly hash: string | null };

/** 2^10 rounds: about 70 ms on a desktop and half a second on a Pi 3, the least that OWASP advises for bcrypt. */
const COST = 10;
/** Length of salt and digest in a bcrypt hash, behind its version and cost. */
const SALT_AND_DIGEST_CHARACTERS = 53;
/**
 * All zeros, which no password is likely to have. Making a
 * real hash would take longer than the thread's whole start.
 */
const UNKNOWN = `$2b$${COST}$${".".repeat(SALT_AND_DIGEST_CHARACTERS)}`;

function run(task: PasswordTask): string | boolean {
  return task.kind === "hash"
    ? hashSync(task.password, COST)
    : compareSync(task.password, task.hash ?? UNKNOWN);
}

giveWay();

// Answers in the order of the tasks.
parentPort?.on("message", (task: PasswordTask) => parentPort?.postMessage(run(task)));
