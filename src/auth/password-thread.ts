import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";
import { parentPort } from "node:worker_threads";
import { compareSync, hashSync } from "bcryptjs";
import type { PasswordAnswer, PasswordQuestion, PasswordTask } from "./password-message.ts";

/** 2^10 rounds: about 70 ms on a desktop and half a second on a Pi 3, the least that OWASP advises for bcrypt. */
const COST = 10;
/** Than the rest of the program: a third of its processor time where both want it. */
const NICER = 5;
const MOST_NICE = 19;
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

/**
 * Whoever serves, records and writes comes before whoever signs in: a thread of Linux has a priority of its own,
 * and this link its number for whoever reads it.
 */
function giveWay(): void {
  try {
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, Math.min(MOST_NICE, getPriority(thread) + NICER));
  } catch {
    // A sandbox may forbid it, or have no /proc: then the scheduler's fairness must do.
  }
}

giveWay();

parentPort?.on("message", ({ id, task }: PasswordQuestion) => {
  const answer: PasswordAnswer = { id, result: run(task) };
  parentPort?.postMessage(answer);
});
