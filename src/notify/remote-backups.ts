import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import { ageOf, GATEWAY_FILE, outdatedBackups, type ProvenBackup, proofNameOf } from "../domain/backup.ts";
import { type Clock, type ClockTrust, DAY_MS, HOUR_MS, monotonicMs } from "../domain/clock.ts";
import { orNothing } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import type { Sink } from "../domain/sink.ts";
import { parseJson } from "../domain/text.ts";
import { makeDirectory, writeDurably } from "../platform/durable-file.ts";
import type { Rclone } from "../platform/rclone.ts";
import type { Feed, FeedProgress } from "./forwarder.ts";

/** How often it is looked whether all is still there, though there is no newer backup. */
const LOOK_MS = DAY_MS;
/** The first look of a process: its start is busy enough. */
const FIRST_LOOK_MS = HOUR_MS;
/** A backup of 500 MB at 12 kB/s. The next one waits meanwhile, and nothing else does. */
const SEND_MS = 12 * HOUR_MS;
/** Each try of a backup that breaks off sends it from its beginning. */
const LAST_RETRY_MS = HOUR_MS;

/** The ledger's backups on the gateway itself. */
export interface OwnBackups {
  /** Where each backup lies with its proof and the gateway file. */
  readonly folder: string;
  /** The newest proven one; null before the first. */
  newest(): ProvenBackup | null;
  /** Every proof there, also of backups that were removed. */
  proofs(): readonly ProvenBackup[];
}

const stateSchema = z.object({
  /** The identity of the ledger: a restored one has a folder of its own there. */
  ledger: z.string(),
  /** The newest backup there. */
  file: z.string(),
  madeMs: z.int(),
  clockTrusted: z.boolean(),
  deliveredMs: z.int(),
  /** Every file that was left there. */
  files: z.array(z.string()),
  /** How many files somebody else had removed at one look, and when that was. */
  removed: z.object({ count: z.int(), seenMs: z.int() }).nullable(),
});
type RemoteState = Readonly<z.output<typeof stateSchema>>;

/** What a delivery found and left. */
export interface RemoteContent {
  readonly files: readonly string[];
  /** Files that were left there before and are gone. */
  readonly gone: readonly string[];
}

/** What the sink needs of the place. */
export type OpenedPlace = Pick<Rclone, "list" | "send" | "remove" | "tryOut">;

export interface RemoteSinkOptions {
  readonly backups: OwnBackups;
  /** What is known of the remote place. */
  readonly file: string;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly log: Pick<Log, "warn">;
  /** Reads what opens the place. Throws `config`. */
  readonly open: () => OpenedPlace;
}

/**
 * Keeps backups at a place outside of the house: the newest, once it is proved, and again each day, because
 * somebody may have emptied the place. A backup counts there once its proof lies beside it, which is sent
 * last, after what arrived before it was held against what is here.
 */
export class RemoteSink implements Feed<ProvenBackup, RemoteContent>, Sink<ProvenBackup, RemoteContent> {
  readonly name = "remote";
  readonly deliverMs = SEND_MS;
  readonly lastRetryMs = LAST_RETRY_MS;
  readonly #options: RemoteSinkOptions;
  /** What the last delivery left; null where none was. */
  #state: RemoteState | null = null;
  /** When it was last looked, and the newest was sent by this process, in monotonic milliseconds. */
  #lookedMs = 0;
  #sentMs: number | null = null;

  constructor(options: RemoteSinkOptions) {
    this.#options = options;
  }

  load(): void {
    const { file, clock } = this.#options;
    this.#lookedMs = monotonicMs(clock) - LOOK_MS + FIRST_LOOK_MS;
    // Without it the newest backup is sent once more.
    this.#state = parseJson(stateSchema, orNothing(() => readFileSync(file, "utf8")) ?? "") ?? null;
  }

  async next(): Promise<ProvenBackup | undefined> {
    const newest = this.#options.backups.newest();
    if (newest === null) return undefined;
    const isLookDue = monotonicMs(this.#options.clock) - this.#lookedMs >= LOOK_MS;
    return newest.file !== this.#state?.file || isLookDue ? newest : undefined;
  }

  taken({ ledger, file, madeMs, clockTrusted }: ProvenBackup, { files, gone }: RemoteContent): void {
    const { clock, file: stateFile } = this.#options;
    const nowMs = clock.nowMs();
    this.#lookedMs = monotonicMs(clock);
    if (file !== this.#state?.file) this.#sentMs = this.#lookedMs;
    const removed = gone.length > 0 ? { count: gone.length, seenMs: nowMs } : (this.#state?.removed ?? null);
    this.#state = { ledger, file, madeMs, clockTrusted, deliveredMs: nowMs, files: [...files], removed };
    makeDirectory(dirname(stateFile));
    writeDurably(stateFile, `${JSON.stringify(this.#state)}\n`);
  }

  progress(): FeedProgress {
    const { backups, clock, trust } = this.#options;
    const [newest, state] = [backups.newest(), this.#state];
    const waiting = newest === null || newest.file === state?.file ? 0 : 1;
    const ageMs = state && ageOf(state, this.#sentMs, clock, trust);
    const backup = state && { madeMs: state.madeMs, ageMs, removed: state.removed };
    return { waiting, deliveredMs: state?.deliveredMs ?? null, givenUp: 0, backup };
  }

  async deliver({ ledger, file, bytes }: ProvenBackup, signal: AbortSignal): Promise<RemoteContent> {
    const { backups, open } = this.#options;
    const rclone = open();
    const before = await rclone.list(ledger, signal);
    const state = this.#state;
    const sent = [[file, GATEWAY_FILE], [proofNameOf(file)]];
    const left = state?.ledger === ledger ? state.files : [];
    // A delivery that did not end may have removed some of these.
    const ours = this.#outdated(new Set([...left, ...sent.flat()]));
    const gone = left.filter((name) => !before.has(name) && !ours.includes(name));
    const isThere =
      state?.file === file && before.get(file) === bytes && sent.flat().every((name) => before.has(name));
    if (!isThere) for (const names of sent) await rclone.send(backups.folder, ledger, names, signal);
    const all = new Set([...before.keys(), ...sent.flat()]);
    const outdated = this.#outdated(all);
    if (outdated.length > 0) await this.#remove(rclone, ledger, outdated, signal);
    return { files: [...all].filter((name) => !outdated.includes(name)), gone };
  }

  async test(signal: AbortSignal): Promise<string> {
    await this.#options.open().tryOut(signal);
    return "A small file was written there, read back, and removed.";
  }

  /** The backups that are not kept, each with its proof, and what interrupted tries have left. */
  #outdated(all: ReadonlySet<string>): readonly string[] {
    const isWhole = ({ file }: ProvenBackup) => all.has(file) && all.has(proofNameOf(file));
    const outdated = outdatedBackups(this.#options.backups.proofs().filter(isWhole));
    const unproved = [...all].filter((name) => name.endsWith(".db") && !all.has(proofNameOf(name)));
    return [...outdated.flatMap(({ file }) => [proofNameOf(file), file]), ...unproved];
  }

  /** Where the place allows no removal it has the newest backup all the same. */
  async #remove(rclone: OpenedPlace, ...what: Parameters<OpenedPlace["remove"]>): Promise<void> {
    try {
      await rclone.remove(...what);
    } catch (err) {
      this.#options.log.warn({ err }, "outdated backups at the remote place cannot be removed");
    }
  }
}
