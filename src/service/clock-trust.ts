import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { MINUTE_MS } from "../domain/clock.ts";

/** systemd-timesyncd(8): made once the clock was set from the network, in a folder that each boot begins without. */
const SYSTEMD_MARK = "/run/systemd/timesync/synchronized";

/** Whether something has set the wall clock from a source outside since the machine was started. */
export type Synchronized = () => boolean;

/** How often systemd-timedated is asked, and how long it may take to answer: it is started for that. */
const ASK_EVERY_MS = MINUTE_MS;
const ANSWER_MS = 20_000;
const TIMEDATECTL = ["show", "--property=NTPSynchronized", "--value"];

/**
 * By systemd-timesyncd's mark at once, and for every other time daemon (chrony, ntpd) by systemd-timedated. The kernel
 * itself is not asked with adjtimex(2): under ProtectClock= of the unit it refuses to answer.
 */
export function synchronizedBySystem(): Synchronized {
  const timedated = askTimedated();
  return () => existsSync(SYSTEMD_MARK) || timedated();
}

/**
 * Whether `program`, timedatectl(1) unless a test has another, has answered yes. Asks once a minute at most while the
 * answer is no, and never waits: the result is that of the last answer.
 */
export function askTimedated(
  program = "timedatectl",
  nowMs: () => number = () => performance.now(),
): Synchronized {
  let isYes = false;
  let isAsking = false;
  let askedMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (isYes || isAsking || nowMs() - askedMs < ASK_EVERY_MS) return isYes;
    isAsking = true;
    askedMs = nowMs();
    // Of this process's environment it needs nothing but where programs are.
    const options = { timeout: ANSWER_MS, env: { PATH: process.env["PATH"] } };
    execFile(program, TIMEDATECTL, options, (_error, stdout) => {
      isAsking = false;
      isYes = stdout.trim() === "yes";
    });
    return false;
  };
}
