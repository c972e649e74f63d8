import { existsSync } from "node:fs";
import type { Log } from "./domain/log.ts";

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

/**
 * Gives the way to ask. koffi is loaded here and only when the configuration asks for it; where it does not
 * load, systemd's mark alone decides, and the log says so.
 */
export async function openSynchronized(log: Log): Promise<Synchronized> {
  const adjtimex = await loadAdjtimex(log);
  return () => existsSync(SYSTEMD_MARK) || (adjtimex !== undefined && isSynchronized(adjtimex));
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
