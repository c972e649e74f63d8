import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ScriptFailure } from "../scripts/command.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../src/domain/clock.ts";
import type { Claim } from "./claim.ts";
import { CountingDisk } from "./counting-disk.ts";
import { wireLines, withWriter } from "./fill.ts";
import { backUpFlanco, ledgerIn, prepareFlanco, startFlanco } from "./flanco-process.ts";
import type { Plan } from "./plan.ts";
import type { Server } from "./server.ts";
import { post } from "./wrk.ts";

const LINES = 32;
const PROMISED_QUIET_MB = 15;
const PROMISED_BUSY_MB = 30;
const SALES_A_DAY = 600;
/** As the card image has it: how /var is mounted, and how long the kernel keeps what nobody has synced. */
const JOURNAL_MS = 30 * MINUTE_MS;
const MOUNTED_AS = `noatime,commit=${JOURNAL_MS / SECOND_MS}`;
const EXPIRY = "/proc/sys/vm/dirty_expire_centisecs";
const EXPIRY_CENTISECONDS = JOURNAL_MS / 10;
/** The first backup, a minute after the start, and its proof are over by then. */
const SETTLED_MS = 2 * MINUTE_MS;
/** Those of half an hour. */
const SALES = Math.ceil((SALES_A_DAY * JOURNAL_MS) / DAY_MS);
/** The tail is written a second after a commit: a rise and a fall that are further apart cost two writes. */
const APART_MS = 3 * SECOND_MS;
const YEARS = 10;

/** Megabytes that a day writes to the card's block device, with its ext4 and 32 wired lines: a quiet day, and one of 600 sales. */
export async function measureWear(plan: Plan): Promise<readonly Claim[]> {
  const disk = new CountingDisk(join(plan.directory, "card"));
  disk.mount(MOUNTED_AS);
  const expiry = readFileSync(EXPIRY, "utf8");
  process.prependOnceListener("exit", () => writeFileSync(EXPIRY, expiry));
  writeFileSync(EXPIRY, String(EXPIRY_CENTISECONDS));
  try {
    const setting = {
      directory: join(disk.directory, "flanco"),
      settings: { FLANCO_GPIO_DRIVER: "simulated", FLANCO_SIMULATED_LINES: String(LINES) },
    };
    const password = prepareFlanco(setting);
    await withWriter(ledgerIn(setting.directory), (writer, userId) => wireLines(writer, userId, LINES));
    const server = await startFlanco(setting, password);
    await fillLog(server, plan.warmUpSeconds);
    await pause(SETTLED_MS);
    // After each backup the first one begins a file of the tail.
    await drive(server, "SIM0", true);
    await drive(server, "SIM0", false);
    await pause(SETTLED_MS);
    const signs = await disk.writtenWhile(() => pause(plan.quietMinutes * MINUTE_MS));
    const sales = await disk.writtenWhile(() => sell(server));
    const journals = DAY_MS / JOURNAL_MS;
    const day = (signs.synced * DAY_MS) / (plan.quietMinutes * MINUTE_MS);
    // The boot's row in the ledger is written each hour, which is as much as a fall.
    const hourly = (sales.synced / SALES / 2) * (DAY_MS / HOUR_MS);
    const quiet = day + hourly + signs.left * journals;
    const busy = day + hourly + (sales.synced / SALES) * SALES_A_DAY + sales.left * journals;
    const before = disk.bytesWritten();
    backUpFlanco(setting);
    const backup = disk.bytesWritten() - before;
    await server.stop();
    const gigabytes = (bytes: number) => Math.round((bytes * 365 * YEARS) / 1e9);
    const notes = [
      `a minute without a sale writes ${kb(signs.synced / plan.quietMinutes)}, a sale ${kb(sales.synced / SALES)}, and each half hour's journal ${kb(signs.left)}, with ${SALES} sales ${kb(sales.left)}`,
      `${YEARS} years: ${gigabytes(busy)} GB at ${SALES_A_DAY} sales a day, ${gigabytes(quiet)} GB without any`,
      `without the daily backup, which is as large as the ledger: ${kb(backup)} here`,
    ];
    return [
      claimOf("without a sale", PROMISED_QUIET_MB, quiet, notes),
      claimOf(`of ${SALES_A_DAY} sales`, PROMISED_BUSY_MB, busy, notes),
    ];
  } finally {
    disk.unmount();
  }
}

/** SQLite's log has its full size some days after a start, and is written over from then on. */
async function fillLog(server: Server, seconds: number): Promise<void> {
  const size = () => statSync(`${server.file}-wal`).size;
  for (let before = 0; size() > before; ) {
    before = size();
    await post(server, 1, seconds);
  }
}

async function sell(server: Server): Promise<void> {
  for (let sale = 0; sale < SALES; sale += 1) {
    for (const level of [true, false]) {
      await drive(server, `SIM${sale % LINES}`, level);
      await pause(APART_MS);
    }
  }
}

async function drive(server: Server, line: string, level: boolean): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/line/drive`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Cookie: server.cookie },
    body: JSON.stringify({ line, level }),
  });
  if (!response.ok) throw new ScriptFailure(`flanco: driving ${line} answered ${response.status}`);
}

function claimOf(what: string, promised: number, bytes: number, notes: readonly string[]): Claim {
  return {
    title: `Written to the card's block device on a day ${what}, ${LINES} wired lines`,
    names: ["promised", "written"],
    unit: "MB",
    target: { bound: "at most", ratio: 1 },
    pairs: [{ base: promised, measured: bytes / 1e6 }],
    notes,
  };
}

function kb(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} kB`;
}
