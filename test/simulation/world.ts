import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { SERVICE_ACTOR } from "../../src/domain/audit.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { readCommits } from "../../src/ledger/engine/chain.ts";
import { dataDirectoryOf } from "../../src/ledger/engine/data-directory.ts";
import { folderOf, readLedger } from "../../src/ledger/engine/identity.ts";
import { markSuspect, type PrepareRequest } from "../../src/ledger/safety/prepare.ts";
import { openBackup, restoreLedger } from "../../src/ledger/safety/restore.ts";
import type { Sign } from "../../src/ledger/safety/sign-of-life.ts";
import { faultsOf, verifyLedger } from "../../src/ledger/safety/verify.ts";
import { openRecovering } from "../../src/service/ledger.ts";
import { SILENT } from "../gpio/recorder-rig.ts";
import { askFor } from "./asked.ts";
import { SimulatedChip } from "./chip.ts";
import type { History, Step } from "./history.ts";
import { Model } from "./model.ts";
import { COMMIT_US, type Commit, type MadeCommit, recovering, SimulatedProcess } from "./process.ts";
import { Remains } from "./remains.ts";
import { written } from "./sync-files.ts";
import { START_US, type Template } from "./template.ts";
import { SimulatedTime } from "./time.ts";

const US_PER_MS = 1_000;
const DAY_US = 86_400_000_000;
/** A process that is to close or open does so within this time, whatever the disk refuses. */
const PATIENCE_US = 60_000_000;
/** The writer gathers commands for less than this. */
const SOON_US = 20_000;
const DOWN_US = 1_500_000;
/** Two looks at a line, and its new request. */
const SWALLOWED_US = 2_000_000;
/** How much of a damaged file is left, or where it is overwritten. */
const DAMAGES = ["cut", "head", "end"] as const;

/** One gateway in its clinic, and one history that happens to it. */
export class World {
  readonly #history: History;
  readonly #template: Template;
  readonly #directory: string;
  readonly #signs: Sign[] = [];
  readonly #ledger: string;
  /** The folder of the ledger's backups and its tail. */
  readonly #backups: string;
  readonly #time = new SimulatedTime();
  readonly #chip: SimulatedChip;
  readonly #model: Model;
  readonly #clock: Clock;
  #process: SimulatedProcess | undefined;
  #boots = 0;
  #bootUs = 0;
  #clockErrorUs = 0;
  #isClockSet = false;
  /** The commit during which the power fails. */
  #torn: Commit | undefined;
  #isTearing = false;
  #lastCommit = 0;
  /** The last commit that the tail holds. */
  #copied = 0;
  /** Restored, and not backed up since: until then a rebuild may lead to what was before (docs/reliability.md). */
  #isRestored = false;

  constructor(history: History, template: Template, directory: string) {
    this.#history = history;
    this.#template = template;
    this.#directory = mkdtempSync(join(directory, "history-"));
    const { ledger, backups } = dataDirectoryOf(this.#directory);
    this.#ledger = ledger;
    this.#backups = folderOf(backups, template.ledgerId);
    copyFileSync(template.file, ledger);
    this.#time.us = START_US;
    this.#clock = {
      nowMs: () => Math.floor((this.#time.us + this.#clockErrorUs) / US_PER_MS),
      monotonicNs: () => BigInt(this.#time.us - this.#bootUs) * 1_000n,
    };
    this.#chip = new SimulatedChip(history.bufferEvents, () => ({
      us: this.#time.us,
      bootId: this.#bootId,
      monotonicNs: this.#clock.monotonicNs(),
    }));
    this.#model = new Model(this.#chip, this.#time);
  }

  /** Gives what is wrong at the end; empty where all is as it must be. */
  async run(): Promise<readonly string[]> {
    this.#time.install();
    written.notice = () => {
      this.#copied = this.#lastCommit;
    };
    try {
      this.#boot();
      for (const step of [{ kind: "start" } as const, ...this.#history.steps]) await this.#do(step);
      await this.#finish();
      return [
        ...faultsOf(verifyLedger(this.#ledger, () => {})),
        ...this.#model.compare(this.#ledger, this.#template.userId),
      ];
    } catch (error) {
      return [`it fails: ${error instanceof Error ? error.stack : String(error)}`];
    } finally {
      this.#process?.kill();
      this.#time.clear();
      rmSync(this.#directory, { recursive: true });
    }
  }

  get #bootId(): string {
    return `boot ${this.#boots}`;
  }

  #boot(): void {
    this.#boots += 1;
    this.#bootUs = this.#time.us - 5_000_000;
    this.#isClockSet = this.#history.clockSet;
    this.#clockErrorUs = this.#isClockSet ? 0 : -400 * DAY_US;
    this.#model.boot(this.#bootId, this.#bootUs, this.#clockErrorUs);
  }

  async #do(step: Step): Promise<void> {
    // Two steps are never at the same moment: the program keeps moments of changes in whole milliseconds.
    this.#time.us += 2_137;
    switch (step.kind) {
      case "edges":
        return this.#switch(step);
      case "swallow":
        return this.#swallow(step.line);
      case "wait":
        return this.#wait(step.ms * US_PER_MS);
      case "settle":
        return this.#settle();
      case "turn":
        while (this.#time.next(this.#time.us));
        this.#chip.wakeAll();
        this.#process?.answer();
        return this.#time.turn();
      case "commit":
        this.#commit();
        return;
      case "trust":
        return this.#setClock();
      case "disk":
        return this.#setRoom(step.full);
      case "stop":
        return this.#stop();
      case "kill":
        return this.#end("on");
      case "power cut":
        return this.#cutPower(step.torn);
      case "start":
        return this.#start(step);
      case "back up":
        return this.#backUp();
      case "restore":
        return this.#restore(step.withTail);
      case "damage":
        return this.#damage(step.how);
      default: {
        const { userId, deviceId } = this.#template;
        return askFor(step, this.#process, { userId, deviceId, clock: this.#clock });
      }
    }
  }

  async #switch({ line, count, everyUs }: Extract<Step, { kind: "edges" }>): Promise<void> {
    for (let edge = 0; edge < count; edge += 1) {
      this.#chip.toggle(line);
      this.#time.us += everyUs;
    }
  }

  async #swallow(line: number): Promise<void> {
    if (this.#process?.isOpen !== true) return;
    await this.#settle();
    this.#chip.toggle(line, true);
    await this.#wait(SWALLOWED_US);
  }

  async #wait(us: number): Promise<void> {
    const untilUs = this.#time.us + us;
    await this.#settle();
    while (this.#time.next(untilUs)) await this.#settle();
    this.#time.us = Math.max(this.#time.us, untilUs);
    await this.#settle();
  }

  async #settle(): Promise<void> {
    for (let isBusy = true; isBusy; ) {
      isBusy = this.#process !== undefined && this.#chip.wakeAll();
      await this.#time.turn();
      isBusy = this.#commit() || isBusy;
      isBusy = this.#process?.answer() === true || isBusy;
      isBusy ||= this.#time.next(this.#time.us + SOON_US);
    }
    await this.#time.turn();
  }

  #commit(): boolean {
    const isDone = this.#process?.commit() === true;
    if (isDone) this.#time.us += COMMIT_US;
    return isDone;
  }

  /** Does all that is needed for this to end; false where it was to be killed after so many commits before. */
  async #pump(work: Promise<void>, commits = Number.POSITIVE_INFINITY): Promise<boolean> {
    let isEnded = false;
    const untilUs = this.#time.us + PATIENCE_US;
    const end = () => {
      isEnded = true;
    };
    work.then(end, end);
    for (let left = commits; ; ) {
      await this.#time.turn();
      if (isEnded) break;
      const committed = this.#commit();
      if (committed) {
        if (left === 0) return false;
        left -= 1;
      }
      if (this.#process?.answer() === true || committed) continue;
      await this.#time.turn();
      if (!isEnded && !this.#time.next(untilUs)) throw new Error("the process hangs");
    }
    await work;
    return true;
  }

  async #start({ killAfter }: Extract<Step, { kind: "start" }>): Promise<void> {
    if (this.#process !== undefined) return;
    const process = new SimulatedProcess({
      directory: this.#directory,
      clock: this.#clock,
      bootId: this.#bootId,
      chip: this.#chip,
      keeper: this.#history.keeper,
      signs: this.#signs,
      isClockSet: () => this.#isClockSet,
      onCommit: (commit) => this.#committed(commit),
    });
    this.#process = process;
    if (!(await this.#pump(process.open(), killAfter))) await this.#end("on");
  }

  #committed(made: MadeCommit): void {
    const commit = { ...made, bootId: this.#bootId, atUs: this.#time.us };
    this.#lastCommit = commit.number;
    if (this.#isTearing) this.#torn = commit;
    else this.#model.commit(commit);
  }

  #commits(): number {
    return readLedger(this.#ledger, readCommits);
  }

  async #stop(): Promise<void> {
    const process = this.#process;
    if (process === undefined) return;
    await this.#pump(process.close());
    this.#afterProcess("on");
  }

  async #end(power: "on" | "off"): Promise<void> {
    this.#process?.kill();
    this.#afterProcess(power);
  }

  #afterProcess(power: "on" | "off"): void {
    this.#process = undefined;
    this.#time.clear();
    const isKeeping = power === "on" && this.#history.keeper;
    const kept = isKeeping ? this.#chip.requests.filter(({ isOpen }) => isOpen) : [];
    this.#chip.end(power);
    if (!this.#isTearing) this.#model.endProcess(kept);
    this.#time.us += DOWN_US;
    if (power === "off") this.#boot();
  }

  async #cutPower(torn: number | undefined): Promise<void> {
    const process = this.#process;
    if (process === undefined || torn === undefined) return this.#end("off");
    const before = process.logBytes();
    this.#isTearing = true;
    process.commit();
    const after = process.logBytes();
    await this.#end("off");
    this.#isTearing = false;
    rmSync(`${this.#ledger}-shm`, { force: true });
    const log = `${this.#ledger}-wal`;
    if (existsSync(log)) truncateSync(log, before + Math.round((after - before) * torn));
    if (this.#torn !== undefined && this.#commits() >= this.#torn.number) this.#model.commit(this.#torn);
    this.#torn = undefined;
    this.#model.endProcess([]);
  }

  #setClock(): void {
    this.#clockErrorUs = 0;
    this.#isClockSet = true;
    this.#model.setClock(this.#bootId);
  }

  #setRoom(full: boolean): void {
    const db = this.#process?.db;
    if (db === undefined) return;
    const pages = full ? Number(db.pragma("page_count", { simple: true })) : 2 ** 30;
    db.pragma(`max_page_count = ${pages}`);
  }

  async #backUp(): Promise<void> {
    const process = this.#process;
    if (process?.isOpen !== true) return;
    await this.#settle();
    let ended = false;
    const made = process.backUp(this.#clock.nowMs()).finally(() => {
      ended = true;
    });
    // It reads files beside the loop: nothing else happens until it is done.
    while (!ended) await this.#time.turn();
    await made;
    this.#isRestored = false;
  }

  /** Restores the newest backup, with what came after it or as it is. */
  async #restore(withTail: boolean): Promise<void> {
    const remains = new Remains(this.#backups);
    const { backup } = remains;
    if (this.#process !== undefined || backup === undefined) return;
    using opened = openBackup(join(this.#backups, backup.file));
    const isWhole = withTail && remains.isWhole && !this.#isRestored;
    const { later } = restoreLedger({
      backup: opened,
      ledger: this.#ledger,
      nowMs: this.#clock.nowMs(),
      by: SERVICE_ACTOR,
      tail: withTail ? remains.joined : [],
      directories: [dirname(this.#backups)],
      mayBeOther: false,
      onProgress: () => {},
      onProved: () => {},
    });
    this.#isRestored = true;
    this.#model.goBack(remains.lastCommit(backup.commits, later), isWhole ? this.#copied : backup.commits);
  }

  /** Damages the file of a ledger whose commits are all in a backup and the tail. */
  async #damage(how: number): Promise<void> {
    const remains = new Remains(this.#backups);
    if (this.#process !== undefined || this.#isRestored || !remains.isWhole) return;
    const commits = this.#commits();
    const { size } = statSync(this.#ledger);
    const kind = DAMAGES[how];
    if (kind === "cut") truncateSync(this.#ledger, Math.min(size, 50));
    const file = openSync(this.#ledger, "r+");
    writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, kind === "end" ? Math.max(0, size - 4_096) : 0);
    closeSync(file);
    rmSync(`${this.#ledger}-wal`, { force: true });
    // Of what the start's quick check does not read, the full check of each week tells.
    markSuspect(this.#ledger, SILENT);
    const options = recovering(this.#directory, this.#clock);
    let held = commits;
    const run = async (request: PrepareRequest) => {
      const prepared = await options.run(request);
      if (prepared !== null) {
        const { backup, commits: repeated } = prepared.recovered;
        held = remains.lastCommit(backup?.commits ?? 0, repeated);
      }
      return prepared;
    };
    await openRecovering({ ...options, run }, async () => {});
    this.#model.goBack(held, this.#copied);
  }

  async #finish(): Promise<void> {
    this.#setRoom(false);
    await this.#start({ kind: "start" });
    await this.#wait(12_000_000);
    await this.#stop();
  }
}
