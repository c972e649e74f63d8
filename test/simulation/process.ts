import { statSync } from "node:fs";
import DatabaseConstructor, { type Database } from "better-sqlite3";
import { type Clock, monotonicMs } from "../../src/domain/clock.ts";
import type { Sighting } from "../../src/domain/sale.ts";
import type { NewWiring } from "../../src/domain/wiring.ts";
import { ChardevDriver } from "../../src/gpio/chardev.ts";
import { Recorder } from "../../src/gpio/recorder.ts";
import { readCommits } from "../../src/ledger/engine/chain.ts";
import { COMMAND_KINDS } from "../../src/ledger/engine/commands.ts";
import { Committer } from "../../src/ledger/engine/committer.ts";
import { dataDirectoryOf } from "../../src/ledger/engine/data-directory.ts";
import { toFailure } from "../../src/ledger/engine/disk-room.ts";
import { readLedgerId } from "../../src/ledger/engine/identity.ts";
import { openUpToDate, refuseLongWork } from "../../src/ledger/engine/up-to-date.ts";
import { type StoreWriter, storeWriter, type WriterPort } from "../../src/ledger/engine/writer.ts";
import type {
  BatchRequest,
  WriterMessage,
  WriterRequest,
  WriterStart,
} from "../../src/ledger/engine/writer-thread.ts";
import { bootReader } from "../../src/ledger/nouns/boot.ts";
import { LocalCalendar } from "../../src/ledger/nouns/calendar.ts";
import { lineStateReader } from "../../src/ledger/nouns/line.ts";
import { recordReader } from "../../src/ledger/nouns/record.ts";
import { wiringReader } from "../../src/ledger/nouns/wiring.ts";
import { makeBackup } from "../../src/ledger/safety/backup.ts";
import { type PrepareRequest, prepareLedger } from "../../src/ledger/safety/prepare.ts";
import { newestOf, type Sign } from "../../src/ledger/safety/sign-of-life.ts";
import { Tail } from "../../src/ledger/safety/tail.ts";
import { systemTimers } from "../../src/platform/machine.ts";
import { ClockWatch } from "../../src/service/clock-watch.ts";
import { openRecovering, type RecoveryOptions } from "../../src/service/ledger.ts";
import { SILENT } from "../gpio/recorder-rig.ts";
import type { SimulatedChip } from "./chip.ts";
import type { Input } from "./fold.ts";
import { closeLog } from "./sync-files.ts";
import { ZONE } from "./template.ts";

/** A disk's sync takes so long. */
export const COMMIT_US = 1_317;

/** A commit of the simulated process. */
export interface Commit {
  readonly bootId: string;
  /** When it was made. */
  readonly atUs: number;
  /** Its number in the ledger. */
  readonly number: number;
  readonly batch: BatchRequest;
  /** Whether each command was accepted. */
  readonly accepted: readonly boolean[];
  /** The positions of the records that each command has made, one for each sighting of a `takeIn`. */
  readonly records: readonly (readonly (number | null)[])[];
}

export interface ProcessOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly bootId: string;
  readonly isClockSet: () => boolean;
  readonly chip: SimulatedChip;
  readonly keeper: boolean;
  /** The signs of life of all processes, which outlive each. */
  readonly signs: Sign[];
  readonly onCommit: (commit: MadeCommit) => void;
}

/** What the writer has made of what it was sent. */
export type MadeCommit = Omit<Commit, "bootId" | "atUs">;

/** How a start, or what the history has in its place, brings a ledger to where it can be used. */
export function recovering(directory: string, clock: Clock) {
  const dataDirectory = dataDirectoryOf(directory);
  const config = { data_dir: directory, backup_dir: "", backup_disk_dir: "", time_zone: ZONE };
  return {
    config,
    dataDirectory,
    log: SILENT,
    clock,
    run: async (request: PrepareRequest) => prepareLedger(request, () => {}),
  } satisfies RecoveryOptions;
}

/** What the writer's thread is, in the simulation's own: each commit comes when the history says so. */
class WriterThread implements WriterPort {
  db: Database | undefined;
  tail: Tail | undefined;
  readonly #onCommit: (commit: MadeCommit) => void;
  #committer: Committer | undefined;
  readonly #listeners: ((message: WriterMessage) => void)[] = [];
  readonly #exits: (() => void)[] = [];
  readonly #requests: WriterRequest[] = [];
  readonly #answers: WriterMessage[] = [];

  constructor(start: WriterStart, onCommit: (commit: MadeCommit) => void) {
    this.#onCommit = onCommit;
    try {
      const { commandKinds } = this.#open(start);
      this.#answers.push({ kind: "ready", commands: commandKinds });
    } catch (error) {
      this.db?.close();
      this.db = undefined;
      this.#answers.push({ kind: "failed", error: toFailure(error) });
    }
  }

  on(event: string, listener: (...values: never[]) => void): void {
    if (event === "message") this.#listeners.push(listener as (message: WriterMessage) => void);
    else if (event === "exit") this.#exits.push(listener as () => void);
  }

  postMessage(request: WriterRequest): void {
    this.#requests.push(request);
  }

  /** Does what was asked for first, as the thread does. Gives whether there was anything. */
  commit(): boolean {
    const committer = this.#committer;
    const request = this.#requests.shift();
    if (committer === undefined || request === undefined) return false;
    if (request.kind === "batch") {
      const { batch } = request;
      const answer = committer.commit(batch);
      this.#answers.push({ ...answer, syncMs: COMMIT_US / 1_000 });
      const frame = committer.takeCommitted();
      if (frame !== undefined) {
        const accepted = answer.results.map((result) => "output" in result);
        const records = answer.results.map((result) => recordsIn("output" in result ? result.output : null));
        this.#onCommit({ number: committer.commits, batch, accepted, records });
        this.tail?.add(committer.commits, frame);
      }
      committer.checkpoint();
    } else if (request.kind === "close") this.#close(committer);
    return true;
  }

  /** Gives the main thread its answers. */
  answer(): boolean {
    const answers = this.#answers.splice(0);
    for (const answer of answers) for (const listener of this.#listeners) listener(answer);
    return answers.length > 0;
  }

  backUp(directory: string, proved: number | null): void {
    if (this.db !== undefined) this.tail?.backup(directory, proved);
  }

  #open({ file, tailDirectory = "", timeZone, startMs }: WriterStart): Committer {
    const calendar = new LocalCalendar(timeZone);
    const db = openUpToDate({ file, tailDirectory, startMs }, calendar, refuseLongWork);
    this.db = db;
    this.tail = new Tail(readLedgerId(db), () => {});
    this.tail.open(tailDirectory, readCommits(db));
    this.#committer = new Committer(db, calendar, undefined);
    return this.#committer;
  }

  #close(committer: Committer): void {
    committer.close();
    this.db = undefined;
    this.#committer = undefined;
    void Promise.resolve(this.tail?.close()).finally(() => {
      for (const exit of this.#exits) exit();
    });
  }
}

/** What a command answers that makes records. */
function recordsIn(output: unknown): readonly (number | null)[] {
  return [output].flat().map((made) => (made as { recordId?: number | null } | null)?.recordId ?? null);
}

function keyOf({ line, source }: Sighting): string {
  return `${line} ${JSON.stringify(source)}`;
}

/** The program as its service wires it together, from the ledger to the lines. */
export class SimulatedProcess {
  readonly #options: ProcessOptions;
  #thread: WriterThread | undefined;
  #writer: StoreWriter | undefined;
  #watch: ClockWatch | undefined;
  #recorder: Recorder | undefined;
  #isOpen = false;
  /** The sightings that are not committed, and, for each change of a room that was asked for, those that were not then. */
  readonly #uncommitted = new Set<string>();
  readonly #asked: ReadonlySet<string>[] = [];

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get db(): Database | undefined {
    return this.#thread?.db;
  }

  /** Undefined before it is open. */
  get writer(): StoreWriter | undefined {
    return this.#isOpen ? this.#writer : undefined;
  }

  async open(): Promise<void> {
    const { directory, clock, bootId, isClockSet, chip, keeper, signs } = this.#options;
    const dataDirectory = dataDirectoryOf(directory);
    const options = recovering(directory, clock);
    const settings = { file: dataDirectory.ledger, timeZone: ZONE, tailDirectory: dataDirectory.backups };
    const listener = {
      onChanges: (changes: readonly { kind: string }[]) => {
        if (changes.some(({ kind }) => kind === "wiring")) void this.#recorder?.reconcile();
      },
      edgesSettled: () => {
        this.#asked.push(new Set(this.#uncommitted));
        return this.#recorder?.settled();
      },
      onDeath: (error: Error) => {
        throw error;
      },
    };
    await openRecovering(options, async () => {
      const startThread = (start: WriterStart) => {
        this.#thread = new WriterThread(start, (commit) => this.#committed(commit));
        return this.#thread;
      };
      // Busy half of the time, it has both: batches that wait for others, and two on their way.
      const timers = { ...systemTimers, busyMs: () => monotonicMs(clock) / 2 };
      this.#writer = storeWriter(settings, clock, listener, startThread, timers);
      await this.#writer.open();
    });
    const writer = this.#writer;
    // The program reads on connections of its own. Between two commits they see what this one sees.
    const db = this.#thread?.db;
    if (writer === undefined || db === undefined) return;
    const reader = {
      ...wiringReader(db, new LocalCalendar(ZONE)),
      ...lineStateReader(db),
      ...bootReader(db),
      ...recordReader(db),
    };
    const log = SILENT;
    this.#watch = new ClockWatch({
      clock,
      bootId,
      writer,
      reader,
      log,
      synchronized: isClockSet,
      onBoots: () => {},
      committedMs: () => this.#recorder?.committedMs() ?? 0,
      sign: async (monotonicMs) => {
        signs.push({ bootId, monotonicMs, commits: reader.commits() });
      },
    });
    const driver = new ChardevDriver({
      clock,
      timers: systemTimers,
      loadKernel: async () => chip,
      keeper: keeper ? chip.keeper : undefined,
    });
    const trust = this.#watch;
    this.#recorder = new Recorder({
      driver,
      writer,
      reader,
      clock,
      timers: systemTimers,
      trust,
      log,
      bootId,
    });
    this.#recorder.listen((sighting) => void this.#uncommitted.add(keyOf(sighting)));
    this.#recorder.begin(newestOf(signs, reader));
    await this.#watch.open();
    await this.#recorder.open();
    this.#isOpen = true;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#recorder?.close();
    await this.#watch?.close();
    await this.#writer?.close();
    this.#thread = undefined;
  }

  commit(): boolean {
    return this.#thread?.commit() === true;
  }

  answer(): boolean {
    return this.#thread?.answer() === true;
  }

  /** Throws where a change of a room overtook an edge that was seen before it. */
  #committed(commit: MadeCommit): void {
    commit.batch.commands.forEach(({ name, input }, index) => {
      const isTakenIn = name === "takeIn" && commit.accepted[index] === true;
      const sightings = isTakenIn ? (input as Input<"takeIn">)[0] : [];
      for (const sighting of sightings) this.#uncommitted.delete(keyOf(sighting));
      const before = COMMAND_KINDS[name] === "room" ? this.#asked.shift() : undefined;
      const overtaken = [...(before ?? [])].find((key) => this.#uncommitted.has(key));
      if (overtaken !== undefined) throw new Error(`${name} has overtaken ${overtaken}`);
    });
    this.#options.onCommit(commit);
  }

  async wire(userId: string, wiring: NewWiring): Promise<void> {
    await this.#recorder?.wire([wiring.line], async ([line = wiring.line]) => {
      await this.#writer?.setWiring([{ userId, wiring: { ...wiring, line } }]);
    });
  }

  async backUp(nowMs: number): Promise<number> {
    const { ledger, backups } = dataDirectoryOf(this.#options.directory);
    this.#thread?.backUp(backups, null);
    const backup = await makeBackup({
      ledger,
      directory: backups,
      nowMs,
      clockTrusted: false,
      rotate: false,
    });
    this.#thread?.backUp(backups, backup.commits);
    return backup.commits;
  }

  /** Bytes of the log. */
  logBytes(): number {
    return (
      statSync(`${dataDirectoryOf(this.#options.directory).ledger}-wal`, { throwIfNoEntry: false })?.size ?? 0
    );
  }

  /**
   * Its files are closed as at a kill: SQLite brings the log into the file when the last connection that may write is closed,
   * unless one that may not is still open.
   */
  kill(): void {
    this.#isOpen = false;
    const db = this.#thread?.db;
    this.#thread = undefined;
    closeLog();
    if (db === undefined) return;
    const reading = new DatabaseConstructor(db.name, { readonly: true });
    reading.pragma("user_version");
    db.close();
    reading.close();
  }
}
