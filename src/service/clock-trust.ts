import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import type { Log } from "../domain/log.ts";

/** systemd-timesyncd(8): made once the clock was set from the network, in a folder that each boot begins without. */
const SYSTEMD_MARK = "/run/systemd/timesync/synchronized";
/** linux/timex.h: adjtimex(2) gives it while the clock is not synchronized. */
const TIME_ERROR = 5;
const STA_UNSYNC = 0x0040;
/** struct timex on 64-bit processors: its size, and where the status stands. */
const TIMEX_BYTES = 208;
const STATUS_OFFSET = 40;

/** adjtimex(2); `modes`, the structure's first word, is 0 here, which only reads. */
type Adjtimex = (timex: Uint8Array) => number;

/** Whether something has set the wall clock from a source outside since the machine was started. */
export type Synchronized = () => boolean;

/** How often a service is asked, and how long it may take to answer: it is started for that. */
const ASK_EVERY_MS = 60_000;
const ANSWER_MS = 20_000;
const TIMEDATECTL = ["show", "--property=NTPSynchronized", "--value"];

/**
 * Returns the way to ask, and loads koffi for it. Systemd's mark alone decides where koffi does not load, which the log
 * says. The kernel refuses to answer under ProtectClock= of the unit: then systemd-timedated is asked.
 */
export async function openSynchronized(log: Log): Promise<Synchronized> {
  const adjtimex = await loadAdjtimex(log);
  const answer = adjtimex !== undefined && mayAsk(adjtimex) ? () => isSynchronized(adjtimex) : askTimedated();
  return () => existsSync(SYSTEMD_MARK) || answer();
}

function mayAsk(adjtimex: Adjtimex): boolean {
  return adjtimex(new Uint8Array(TIMEX_BYTES)) >= 0;
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

/** Any time daemon tells the kernel: ntpd, chrony, timesyncd. */
function isSynchronized(adjtimex: Adjtimex): boolean {
  const timex = new Uint8Array(TIMEX_BYTES);
  const state = adjtimex(timex);
  const status = new DataView(timex.buffer).getInt32(STATUS_OFFSET, true);
  return state >= 0 && state !== TIME_ERROR && (status & STA_UNSYNC) === 0;
}

async function loadAdjtimex(log: Log): Promise<Adjtimex | undefined> {
  try {
    const koffi = await import("koffi");
    return koffi.load(null).func("int adjtimex(void *timex)");
  } catch (error) {
    log.warn({ err: error }, "the kernel cannot be asked whether the clock is set: koffi does not load");
    return undefined;
  }
}
