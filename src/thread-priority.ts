import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";

/** Gives a thread a third of the processor time that the service's own threads get while both are busy. */
const NICER = 5;
const MOST_NICE = 19;

/** Lowers the priority of this thread alone, which Linux allows: serving and recording come first. */
export function giveWay(): void {
  try {
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, Math.min(MOST_NICE, getPriority(thread) + NICER));
  } catch {
    // A sandbox may forbid it, or have no /proc. Then the threads share the processor equally.
  }
}
