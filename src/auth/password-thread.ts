import { parentPort } from "node:worker_threads";
import { compareSync, hashSync } from "bcryptjs";
import type { PasswordAnswer, PasswordQuestion, PasswordTask } from "./password-message.ts";

/** 2^10 rounds: about 70 ms on a desktop and half a second on a Pi 3, the least that OWASP advises for bcrypt. */
const COST = 10;

/** Nobody's: made at start, so that an unknown e-mail costs what a known one costs. */
const NOBODY = hashSync(crypto.randomUUID(), COST);

function run(task: PasswordTask): string | boolean {
  return task.kind === "hash"
    ? hashSync(task.password, COST)
    : compareSync(task.password, task.hash ?? NOBODY);
}

parentPort?.on("message", ({ id, task }: PasswordQuestion) => {
  const answer: PasswordAnswer = { id, result: run(task) };
  parentPort?.postMessage(answer);
});
