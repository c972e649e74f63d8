import { parentPort } from "node:worker_threads";
import { compareSync, hashSync } from "bcryptjs";
import type { PasswordAnswer, PasswordQuestion, PasswordTask } from "./password-message.ts";

/** 2^10 rounds: about 70 ms on a desktop and half a second on a Pi 3, the least that OWASP advises for bcrypt. */
const COST = 10;
/** In a hash of bcrypt, after its version and cost. */
const SALT_AND_DIGEST_CHARACTERS = 53;

/**
 * Nobody's, so that an unknown e-mail costs what a known one costs: salt and digest of nothing but zeros, which no
 * password is likely ever to have. Making one would take longer than all else that this thread does at start.
 */
const NOBODY = `$2b$${COST}$${".".repeat(SALT_AND_DIGEST_CHARACTERS)}`;

function run(task: PasswordTask): string | boolean {
  return task.kind === "hash"
    ? hashSync(task.password, COST)
    : compareSync(task.password, task.hash ?? NOBODY);
}

parentPort?.on("message", ({ id, task }: PasswordQuestion) => {
  const answer: PasswordAnswer = { id, result: run(task) };
  parentPort?.postMessage(answer);
});
