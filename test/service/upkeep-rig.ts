import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProvenBackup } from "../../src/domain/backup.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { type DataDirectory, dataDirectoryOf } from "../../src/ledger/engine/data-directory.ts";
import { folderOf, readLedger, readLedgerId } from "../../src/ledger/engine/identity.ts";
import { beginJob, type RunningJob } from "../../src/ledger/engine/job.ts";
import { type BackupSurvey, writeProof } from "../../src/ledger/safety/backup-directory.ts";
import type { Finding } from "../../src/ledger/safety/finding.ts";
import type { TailState } from "../../src/ledger/safety/tail.ts";
import { defaultConfig } from "../../src/service/config-file.ts";
import { type CheckedLedger, Upkeep } from "../../src/service/upkeep.ts";
import { seedLedger } from "../cli/ledger.ts";
import { KeptLog, SetClock } from "../http/fakes.ts";

export const START_MS = Date.UTC(2026, 2, 11, 11);
export const SOUND: CheckedLedger = {
  ...{ records: 1, entries: 1, findings: [], unlisted: 0, damage: [], copies: [] },
};

/** The identity of another ledger. */
export const FOREIGN = "0a".repeat(16);

export function aBackup(otherwise: Partial<ProvenBackup> = {}): ProvenBackup {
  const digest = "0".repeat(64);
  return {
    ledger: FOREIGN,
    locations: ["Clínica"],
    number: 1,
    file: "flanco-20260311T110000Z.db",
    madeMs: START_MS,
    clockTrusted: true,
    provedMs: START_MS,
    schema: 1,
    position: 1,
    head: digest,
    commits: 1,
    records: 1,
    totalMicros: "0",
    bytes: 1,
    sha256: digest,
    ...otherwise,
  };
}

/** The schedule with a clock of the test's, and jobs that are noted and end as the test says. */
export class UpkeepRig {
  readonly clock = new SetClock(START_MS);
  readonly log = new KeptLog();
  readonly directory = mkdtempSync(join(tmpdir(), "flanco-upkeep-"));
  readonly dataDirectory: DataDirectory = dataDirectoryOf(this.directory);
  readonly backups = join(this.directory, "backups");
  /** What was begun: where a backup goes, or `check`. */
  readonly begun: string[] = [];
  readonly ended: Error[] = [];
  /** On which disk newer packages were looked for; null: without one. */
  readonly packageLooks: (string | null)[] = [];
  trusted = true;
  updatesAreDue = false;
  tail: TailState | null = null;
  /** What the writer was told of backups. */
  readonly told: string[] = [];
  /** What a job fails with, by its name in `begun`. */
  readonly failures = new Map<string, Error>();
  verification = SOUND;
  findings: readonly Finding[] = [];
  /** While it is there, jobs wait for it. */
  gate: Promise<void> | undefined;
  cancelled = 0;
  /** Where a removable disk would be mounted; `restart` takes it up. */
  disk = "";
  /** What is seen of the disk; undefined: a process looks. */
  seen: Pick<BackupSurvey, "mounted" | "foreign"> | undefined;
  upkeep = this.#make();

  async prepare(): Promise<void> {
    await seedLedger(this.dataDirectory.ledger);
  }

  /** A process that begins: what the one before knew without writing it down is gone. */
  restart(): void {
    this.upkeep = this.#make();
    this.upkeep.open();
  }

  /** Looks at this moment; gives what that began. */
  async doDueWork(): Promise<string[]> {
    this.begun.length = 0;
    await this.upkeep.doDueWork();
    return [...this.begun];
  }

  /** Lets time pass by both clocks, and looks. */
  async after(ms: number): Promise<string[]> {
    this.clock.pass(ms);
    return this.doDueWork();
  }

  /** A proven backup that lies there, as far as a list of them tells. */
  leave(directory: string, backup: ProvenBackup): void {
    const folder = folderOf(directory, backup.ledger);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, backup.file), "x");
    writeProof(folder, backup);
  }

  ownBackup(otherwise: Partial<ProvenBackup>): ProvenBackup {
    return aBackup({ ledger: readLedger(this.dataDirectory.ledger, readLedgerId), ...otherwise });
  }

  noteChecked(checkedMs: number): void {
    writeFileSync(this.dataDirectory.checked, JSON.stringify({ checkedMs }));
  }

  get faults(): string[] {
    return this.upkeep.faults().map(({ code }) => code);
  }

  async close(): Promise<void> {
    await this.upkeep.close();
    rmSync(this.directory, { recursive: true });
  }

  #make(): Upkeep {
    return new Upkeep({
      config: { ...defaultConfig(null), data_dir: this.directory, backup_disk_dir: this.disk },
      diskMs: 2_000,
      dataDirectory: this.dataDirectory,
      clock: this.clock,
      log: this.log,
      trust: { trusted: () => this.trusted },
      writer: {
        tail: this.tail,
        backupBegins: (directory) => void this.told.push(`begins ${directory}`),
        backupProved: (directory, commits) => void this.told.push(`proved ${directory} ${commits}`),
      },
      updates: {
        isDue: () => this.updatesAreDue,
        look: async () => {},
        request: () => void this.begun.push("updates"),
      },
      packages: { refresh: async (disk) => void this.packageLooks.push(disk) },
      gateway: () => ({ hostName: "gateway", settings: {}, keys: { authority: null, certificates: [] } }),
      onDamaged: (error) => void this.ended.push(error),
      jobs: {
        backup: (request) =>
          this.#begin(request.directory, () => ({
            ...aBackup({ madeMs: request.nowMs, clockTrusted: request.clockTrusted }),
            findings: this.findings,
            keysLeftOut: false,
            tailFrom: 1,
          })),
        survey: (directory, ledgerIds) =>
          this.seen === undefined
            ? beginJob("survey", { directory, ledgerIds, isOpened: true })
            : { done: Promise.resolve({ newest: null, ...this.seen }), cancel: async () => {} },
        verify: () => this.#begin("check", () => this.verification),
      },
    });
  }

  #begin<T>(name: string, output: () => T): RunningJob<T> {
    this.begun.push(name);
    const stopped = Promise.withResolvers<never>();
    const done = Promise.race([this.#run(name, output), stopped.promise]);
    return {
      done,
      cancel: async () => {
        this.cancelled += 1;
        stopped.reject(new FlancoError("unavailable", "The work on the ledger was ended."));
      },
    };
  }

  async #run<T>(name: string, output: () => T): Promise<T> {
    await this.gate;
    const failure = this.failures.get(name);
    if (failure !== undefined) throw failure;
    return output();
  }
}
