import { readFileSync, statSync } from "node:fs";
import type { Config } from "../contract/config/schema.ts";
import { ageOf, type ProvenBackup } from "../domain/backup.ts";
import {
  type Clock,
  type ClockTrust,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  monotonicMs,
  WEEK_MS,
} from "../domain/clock.ts";
import { FlancoError, orNothing } from "../domain/error.ts";
import { type Fault, fault, foreignFault } from "../domain/fault.ts";
import type { Loss } from "../domain/gap.ts";
import type { Log } from "../domain/log.ts";
import { type BackupStatus, backupStatus } from "../domain/status.ts";
import type { DataDirectory } from "../ledger/engine/data-directory.ts";
import { folderOf, idsOf, readLedger, readLedgerKey } from "../ledger/engine/identity.ts";
import { beginJob, type RunningJob } from "../ledger/engine/job.ts";
import type { StoreWriter } from "../ledger/engine/writer.ts";
import type { BackupRequest, MadeBackup } from "../ledger/safety/backup.ts";
import {
  type BackupSurvey,
  keptProofs,
  listBackups,
  setAsideLater,
} from "../ledger/safety/backup-directory.ts";
import { type Finding, type FindingKind, splitKeys, type ToldChange } from "../ledger/safety/finding.ts";
import type { WholeGatewayFile } from "../ledger/safety/gateway-file.ts";
import { readLosses, readToldChanges } from "../ledger/safety/loss.ts";
import { markSuspect } from "../ledger/safety/prepare.ts";
import { openFindings, type Verification } from "../ledger/safety/verify.ts";
import { writeDurably } from "../platform/durable-file.ts";
import {
  aboutMissingKeys,
  type BackupTarget,
  backupDirectory,
  RemovableDisk,
  type SeenTarget,
} from "./backup-target.ts";
import type { NewerPackages } from "./newer-package.ts";
import type { Updates } from "./updates.ts";

/** How often due work is looked for. The first look is a minute after the start, which is busy enough. */
const LOOK_MS = MINUTE_MS;
/** A job that failed is tried again after this. */
const RETRY_MS = HOUR_MS;

/** What the weekly check gives: `copies` has a sentence for each damaged copy beside the ledger. */
export interface CheckedLedger extends Verification {
  readonly copies: readonly string[];
}

/** The jobs of upkeep, each in a process of its own. */
const PROCESSES = {
  backup: (request: BackupRequest): RunningJob<MadeBackup> => beginJob("backup", request),
  /** Holds the ledger against the proofs in these directories. */
  verify: (ledger: string, directories: readonly string[]): RunningJob<CheckedLedger> =>
    beginJob("verify", { ledger, directories }),
  survey: (directory: string, ledgerIds: readonly string[]): RunningJob<BackupSurvey> =>
    beginJob("survey", { directory, ledgerIds, isOpened: true }),
};

export interface UpkeepDependencies {
  readonly config: Pick<Config, "data_dir" | "backup_dir" | "backup_disk_dir">;
  readonly dataDirectory: DataDirectory;
  readonly clock: Clock;
  readonly trust: ClockTrust;
  readonly log: Log;
  /** The gateway file's content, which is kept beside the backups. */
  readonly gateway: () => WholeGatewayFile;
  /** The writer, which keeps the tail. */
  readonly writer: Pick<StoreWriter, "tail" | "backupBegins" | "backupProved">;
  readonly packages: Pick<NewerPackages, "refresh">;
  readonly updates: Pick<Updates, "isDue" | "look" | "request">;
  /**
   * Called when the file itself is damaged: the process must
   * stop, so that the next one sets it aside and rebuilds it.
   */
  readonly onDamaged: (error: Error) => void;
  /** The jobs; PROCESSES where they are absent. */
  readonly jobs?: typeof PROCESSES;
  /** How long a removable disk may take to show its backups; half a minute where it is absent. */
  readonly diskMs?: number;
}

/**
 * Makes a proven backup a day and a full check a week, each in a process
 * of its own, looks for a newer package, and lets updates come. Keeps no process running.
 */
export class Upkeep {
  readonly #dependencies: UpkeepDependencies;
  /** When each job last succeeded and failed in this process, in monotonic milliseconds. */
  readonly #done = new Map<string, number>();
  readonly #failed = new Map<string, number>();
  readonly #faults = new Map<string, Fault>();
  /** The findings of each job that are still to be acknowledged. */
  readonly #findings = new Map<string, readonly Finding[]>();
  /**
   * The newest proven backup on the gateway itself, and when it was first seen,
   * in monotonic milliseconds; null for one that was there at the start.
   */
  #last: { readonly backup: ProvenBackup; readonly seenMs: number | null } | null = null;
  #running: RunningJob<unknown> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #busy = false;
  /** The removable disk; undefined where none is configured. */
  #disk: RemovableDisk | undefined;
  #openedMs = 0;
  #isClosed = false;
  /** The ledger's folder of backups on the gateway itself, and when it had last been changed at the last look. */
  #ownFolder = "";
  #ownChangedMs: number | undefined;
  /** The directories that need another backup, because a copy was found damaged. */
  readonly #damagedIn = new Set<string>();
  #losses: readonly Loss[] = [];
  #told: readonly ToldChange[] = [];

  constructor(dependencies: UpkeepDependencies) {
    this.#dependencies = dependencies;
  }

  /** Looks for the newest proven backup, the last full check, and lost entries. */
  open(): void {
    const { config, clock, log, dataDirectory, jobs = PROCESSES, diskMs } = this.#dependencies;
    this.#openedMs = monotonicMs(clock);
    const ids = readLedger(dataDirectory.ledger, (db) => idsOf(readLedgerKey(db)));
    const [ledgerId = ""] = ids;
    const directory = config.backup_disk_dir;
    if (directory !== "") {
      const survey = () => jobs.survey(directory, ids);
      this.#disk = new RemovableDisk({ directory, clock, log, survey, patienceMs: diskMs });
    }
    this.#ownFolder = folderOf(backupDirectory(config), ledgerId);
    // Where the folder cannot be read, the next backup fails too, which is a fault; the service starts all the same.
    orNothing(() => setAsideLater(this.#ownFolder));
    const [backup] = listBackups(this.#ownFolder);
    this.#last = backup === undefined ? null : { backup, seenMs: null };
    this.#readMatters();
    this.#timer = setInterval(() => void this.doDueWork(), LOOK_MS).unref();
  }

  /** Ends the running jobs. The next run removes their unfinished files. */
  close(): void {
    clearInterval(this.#timer);
    this.#isClosed = true;
    this.#running?.cancel();
    this.#disk?.close();
  }

  /** The ledger's folder of backups on the gateway itself. */
  get folder(): string {
    return this.#ownFolder;
  }

  /** The proofs there, also of backups that were removed. */
  proofs(): readonly ProvenBackup[] {
    return keptProofs(this.#ownFolder);
  }

  /** The newest proven backup there; null before the first. */
  newest(): ProvenBackup | null {
    // A command may have made one. The proofs are read only then, because the status waits for them.
    if (this.#ownChangedMs !== changedMs(this.#ownFolder)) this.#examineOwn();
    return this.#last?.backup ?? null;
  }

  /** What the status tells of it. */
  lastBackup(): BackupStatus | null {
    this.newest();
    if (this.#last === null) return null;
    const { clock, trust } = this.#dependencies;
    const { backup, seenMs } = this.#last;
    return backupStatus(backup, ageOf(backup, seenMs, clock, trust));
  }

  faults(): readonly Fault[] {
    const reason = this.#dependencies.writer.tail?.failure ?? null;
    this.#setFault("tail", reason !== null && ((sinceMs) => fault("tail_failed", sinceMs, { reason })));
    const what = [...this.#findings.values()].flat()[0]?.what;
    this.#setFault(
      "findings",
      what !== undefined && ((sinceMs) => fault("ledger_damaged", sinceMs, { what })),
    );
    const unseen = this.#disk?.fault === undefined ? [] : [this.#disk.fault];
    const lost = this.#losses.map(({ notedMs, lostFrom: from, lostTo: to, reason }) =>
      fault("records_lost", notedMs, { from, to, reason }),
    );
    return [...lost, ...this.#told.map(faultOfChange), ...unseen, ...this.#faults.values()];
  }

  /** What an owner has still to acknowledge. */
  #readMatters(): void {
    const { ledger } = this.#dependencies.dataDirectory;
    this.#losses = readLosses(ledger);
    this.#told = readToldChanges(ledger);
  }

  /** Keeps a fault since it is first seen; `false` ends it. */
  #setFault(name: string, seen: false | ((sinceMs: number) => Fault)): void {
    const sinceMs = this.#faults.get(name)?.sinceMs ?? this.#dependencies.clock.nowMs();
    if (seen === false) this.#faults.delete(name);
    else this.#faults.set(name, seen(sinceMs));
  }

  /**
   * Call when findings were acknowledged, with the keys as the
   * acknowledgement lists them: they are no fault any more.
   */
  acknowledged(keys: string): void {
    const known = new Set(splitKeys(keys));
    for (const [name, findings] of this.#findings) {
      const open = findings.filter(({ key }) => !known.has(key));
      this.#findings.set(name, open);
    }
    this.#readMatters();
  }

  /**
   * Does due work. Called every minute; resolves when the
   * work is done, or at once while another call is under way.
   */
  async doDueWork(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      const all = await this.#examineTargets();
      // The service may have ended meanwhile.
      if (this.#isClosed) return;
      const tail = all.findLast(({ skipped }) => skipped === null)?.directory ?? "";
      const { updates, config } = this.#dependencies;
      const beforeUpdates = (await this.#areUpdatesDue()) ? backupDirectory(config) : null;
      const proved = this.#done.get(`backup ${beforeUpdates}`);
      for (const target of all) {
        await this.#backup(target, tail, target.directory === beforeUpdates);
        const { directory, foreign } = target;
        const isHeld = foreign.length > 0;
        this.#setFault(`foreign ${directory}`, isHeld && ((ms) => foreignFault(directory, foreign, ms)));
      }
      const disk = all.find(({ directory }) => directory === config.backup_disk_dir);
      await this.#dependencies.packages.refresh(disk?.skipped === null ? disk.directory : null);
      await this.#check(all);
      if (this.#done.get(`backup ${beforeUpdates}`) !== proved && !this.#isClosed) updates.request();
    } finally {
      this.#busy = false;
    }
  }

  /** Whether updates may come. What became of the last is noted first, or at another look: a full disk takes no entry. */
  async #areUpdatesDue(): Promise<boolean> {
    const { updates, log } = this.#dependencies;
    try {
      await updates.look();
      return !this.#isClosed && updates.isDue();
    } catch (err) {
      log.warn({ err }, "the audit log lacks what updates did");
      return false;
    }
  }

  async #examineTargets(): Promise<readonly SeenTarget[]> {
    const own = this.#examineOwn();
    const disk = await this.#disk?.examine();
    return disk === undefined ? [own] : [own, disk];
  }

  /** The directory on the gateway itself, where a command may have made a backup meanwhile. */
  #examineOwn(): SeenTarget {
    const directory = backupDirectory(this.#dependencies.config);
    this.#ownChangedMs = changedMs(this.#ownFolder);
    const newest = listBackups(this.#ownFolder)[0] ?? null;
    if (newest !== null && newest.number > (this.#last?.backup.number ?? 0)) this.#noteNewest(newest);
    return { directory, skipped: null, newest, foreign: [] };
  }

  /** Takes a backup on the gateway itself for the newest. */
  #noteNewest(backup: ProvenBackup): void {
    this.#last = { backup, seenMs: monotonicMs(this.#dependencies.clock) };
  }

  /** `tail` is the directory of the ledger's tail. `isWanted`: also where none is due. */
  async #backup({ directory, skipped, newest }: SeenTarget, tail: string, isWanted: boolean): Promise<void> {
    const { dataDirectory, clock, trust, log, config, writer, gateway } = this.#dependencies;
    const { jobs = PROCESSES } = this.#dependencies;
    if (skipped !== null || !this.#isBackupDue(directory, newest, tail, isWanted)) return;
    if (directory === tail) writer.backupBegins(directory);
    const request = {
      ledger: dataDirectory.ledger,
      directory,
      rotate: true,
      gateway: gateway(),
      nowMs: clock.nowMs(),
      clockTrusted: trust.trusted(),
    };
    await this.#run(`backup ${directory}`, jobs.backup(request), {
      done: ({ findings, keysLeftOut, tailFrom, ...backup }) => {
        this.#damagedIn.delete(directory);
        if (this.#damagedIn.size === 0) this.#setFault("copies", false);
        this.#attend(`backup ${directory}`, findings);
        if (keysLeftOut) log.warn({ directory }, aboutMissingKeys(folderOf(directory, backup.ledger)));
        if (directory === backupDirectory(config)) this.#noteNewest(backup);
        writer.backupProved(directory, tailFrom);
        log.info({ directory, file: backup.file, records: backup.records }, "a backup was made and proved");
      },
      failed: (error) => {
        const isDamaged = error instanceof FlancoError && error.code === "damaged";
        // The log has what is missing, which counts records.
        const reason = isDamaged ? "It does not hold what the ledger should." : error.message;
        return fault("backup_failed", clock.nowMs(), { directory, reason });
      },
    });
  }

  /**
   * A backup is due a day after the last by wall time, if both times are
   * trusted; otherwise after an hour of running, and then once a day.
   * One that is wanted at once only waits for its turn after a failure.
   */
  #isBackupDue(directory: string, newest: ProvenBackup | null, tail: string, isWanted: boolean): boolean {
    const { clock, trust, writer } = this.#dependencies;
    const here = this.#agesMs(`backup ${directory}`);
    if (here.failed < RETRY_MS) return false;
    if (isWanted || this.#damagedIn.has(directory)) return true;
    // Backup and tail together would lack commits.
    const torn =
      directory === tail &&
      writer.tail !== null &&
      (writer.tail.failure !== null || writer.tail.from > (newest?.commits ?? 0));
    if (torn && (here.done ?? RETRY_MS) >= RETRY_MS) return true;
    if (here.done !== undefined) return here.done >= DAY_MS;
    if (newest === null) return true;
    const ageMs = ageOf(newest, null, clock, trust);
    return ageMs === null ? monotonicMs(clock) - this.#openedMs >= HOUR_MS : ageMs >= DAY_MS;
  }

  async #check(targets: readonly BackupTarget[]): Promise<void> {
    const { dataDirectory, clock, jobs = PROCESSES } = this.#dependencies;
    if (!this.#isCheckDue()) return;
    const directories = targets.filter(({ skipped }) => skipped === null).map(({ directory }) => directory);
    await this.#run("verify", jobs.verify(dataDirectory.ledger, directories), {
      done: (verification) => {
        this.#storeChecked();
        this.#reportCopies(verification.copies, directories);
        this.#report(verification);
      },
      failed: (error) => {
        if (!(error instanceof FlancoError && error.code === "damaged")) {
          return fault("check_failed", clock.nowMs(), { reason: error.message });
        }
        this.#giveUp(error);
        return fault("ledger_damaged", clock.nowMs(), { what: error.message });
      },
    });
  }

  #storeChecked(): void {
    const { dataDirectory, clock, log } = this.#dependencies;
    try {
      writeDurably(dataDirectory.checked, `${JSON.stringify({ checkedMs: clock.nowMs() })}\n`);
    } catch (err) {
      log.warn({ err }, "the time of the check cannot be stored: the next start checks the ledger again");
    }
  }

  #reportCopies(copies: readonly string[], directories: readonly string[]): void {
    const [what] = copies;
    if (what === undefined) return;
    this.#dependencies.log.error({ copies }, "copies of the ledger are damaged");
    for (const directory of directories) this.#damagedIn.add(directory);
    this.#setFault("copies", (sinceMs) => fault("copy_damaged", sinceMs, { what }));
  }

  #report(verification: Verification): void {
    const { clock, log } = this.#dependencies;
    const { records, damage } = verification;
    const findings = openFindings(verification);
    this.#attend("verify", findings);
    if (damage.length + findings.length === 0) {
      log.info({ records }, "the ledger was checked in full: it is right");
    }
    const [what] = damage;
    if (what === undefined) return;
    log.error({ damage }, "the ledger's file is damaged");
    this.#faults.set("verify", fault("ledger_damaged", clock.nowMs(), { what }));
    this.#giveUp(
      new FlancoError("damaged", `The full check has found the ledger's file damaged: ${what}.`, {
        hint: "Start the service again: it sets the file aside and rebuilds it from the newest backup and the tail.",
      }),
    );
  }

  /** Makes a fault of findings. What the ledger itself tells has faults of its own. */
  #attend(name: string, findings: readonly Finding[]): void {
    const open = findings.filter(({ kind }) => !TOLD_KINDS.has(kind));
    this.#findings.set(name, open);
    if (open.length > 0) {
      this.#dependencies.log.error(
        { findings: open.map(({ what }) => what) },
        "the check of the ledger has findings",
      );
    }
  }

  #giveUp(error: FlancoError): void {
    const { dataDirectory, log, onDamaged } = this.#dependencies;
    markSuspect(dataDirectory.ledger, log);
    onDamaged(error);
  }

  #isCheckDue(): boolean {
    const { dataDirectory, clock } = this.#dependencies;
    const { done, failed } = this.#agesMs("verify");
    if (failed < RETRY_MS) return false;
    if (done !== undefined) return done >= WEEK_MS;
    return Math.abs(clock.nowMs() - lastChecked(dataDirectory.checked)) >= WEEK_MS;
  }

  /** Runs a job to its end. A fault stands until the same job succeeds. */
  async #run<T>(
    name: string,
    job: RunningJob<T>,
    then: { done(output: T): void; failed(error: Error): Fault },
  ): Promise<void> {
    const { clock, log } = this.#dependencies;
    this.#running = job;
    let output: T;
    try {
      output = await job.done;
    } catch (error) {
      // The service ends: a job that was ended is no failure.
      if (this.#isClosed) return;
      this.#failed.set(name, monotonicMs(clock));
      const fault = then.failed(error instanceof Error ? error : new Error(String(error)));
      log.error({ err: error }, fault.message);
      this.#faults.set(name, fault);
      return;
    } finally {
      this.#running = undefined;
    }
    this.#done.set(name, monotonicMs(clock));
    this.#failed.delete(name);
    this.#faults.delete(name);
    then.done(output);
  }

  #agesMs(name: string): { readonly done: number | undefined; readonly failed: number } {
    const nowMs = monotonicMs(this.#dependencies.clock);
    const done = this.#done.get(name);
    return {
      done: done === undefined ? undefined : nowMs - done,
      failed: nowMs - (this.#failed.get(name) ?? Number.NEGATIVE_INFINITY),
    };
  }
}

const TOLD_KINDS: ReadonlySet<FindingKind> = new Set(["lost", "restored", "zone"]);

function faultOfChange({ kind, timeMs, details }: ToldChange): Fault {
  const text = (name: string) => String(details[name] ?? "");
  const sales = details["sales"];
  if (kind === "zone") {
    return fault("time_zone_changed", timeMs, { from: text("from"), to: text("to"), sales: Number(sales) });
  }
  const told = { backup: text("backup"), since: text("since"), until: text("until") };
  return fault("restore_dropped", timeMs, typeof sales === "number" ? { ...told, sales } : told);
}

/** When a folder was last changed; undefined where that cannot be told. */
function changedMs(folder: string): number | undefined {
  return orNothing(() => statSync(folder).mtimeMs);
}

/** When the ledger was last checked in full, in Unix milliseconds; 0 when that is not known. */
function lastChecked(file: string): number {
  try {
    const { checkedMs } = JSON.parse(readFileSync(file, "utf8")) as { checkedMs: unknown };
    return typeof checkedMs === "number" ? checkedMs : 0;
  } catch {
    // Missing or not readable: then there is one check more than needed.
    return 0;
  }
}
