import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Guest, replacingLockups } from "../../../scripts/guest/machine.ts";
import type { CrashState } from "../../../scripts/powercut/crash-state.ts";
import { Recording, type Workload } from "../../../scripts/powercut/recording.ts";
import { type Finding, type Judge, keepDisk, nameOf, survey } from "../../../scripts/powercut/survey.ts";
import type { WriteLog } from "../../../scripts/powercut/write-log.ts";
import { CHECKOUT } from "../../rig/program.ts";

/** In memory, if the machine has a file system there: thousands of small images are made and thrown away. */
const SCRATCH = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
/** Where a failure's recording and disks stay. */
const KEPT = join(CHECKOUT, "build", "faults", "power-cut");
/** Disks that are kept of one test; further ones would show the same. */
const MAX_KEPT = 3;

/** One guest's work with its disk's log, and the power cuts that are made of it. */
export class Cuts {
  readonly name: string;
  readonly recording: Recording;
  readonly log: WriteLog;
  readonly scratch: string;

  private constructor(name: string, recording: Recording, scratch: string) {
    this.name = name;
    this.recording = recording;
    this.log = recording.openLog();
    this.scratch = scratch;
  }

  /**
   * Runs a workload in the guest. With FLANCO_FAULTS_RECORDING set to the folder of a kept failure its recording is taken instead, so that the same
   * seed makes the same states.
   */
  static async record(name: string, guest: () => Promise<Guest>, workload: Workload): Promise<Cuts> {
    const scratch = mkdtempSync(join(SCRATCH, `flanco-power-cut-${name}-`));
    const kept = join(process.env["FLANCO_FAULTS_RECORDING"] ?? KEPT, name);
    const recording =
      process.env["FLANCO_FAULTS_RECORDING"] !== undefined && existsSync(kept)
        ? Recording.load(kept)
        : await replacingLockups(async () =>
            Recording.make(await guest(), workload, join(scratch, "recording")),
          );
    return new Cuts(name, recording, scratch);
  }

  /**
   * Has each state judged by a folder of the guest's disk, named from the disk's root. Keeps recording and disks of
   * those that are wrong, unless they are meant to be.
   */
  async survey(
    folder: string,
    states: readonly CrashState[],
    judge: Judge,
    keep = true,
  ): Promise<readonly Finding[]> {
    const findings = await survey({
      recording: this.recording,
      log: this.log,
      states,
      folder,
      judge,
      scratch: join(this.scratch, "states"),
    });
    const wrong = findings.filter((finding) => finding.wrong.length > 0);
    if (keep && wrong.length > 0) this.#keep(wrong);
    return findings;
  }

  close(): void {
    this.log.close();
    rmSync(this.scratch, { recursive: true, force: true });
  }

  #keep(findings: readonly Finding[]): void {
    const directory = join(KEPT, this.name);
    mkdirSync(directory, { recursive: true });
    if (directory !== this.recording.directory) this.recording.keep(directory);
    for (const { state } of findings.slice(0, MAX_KEPT)) {
      keepDisk(this.recording, this.log, state, join(directory, diskName(state)));
    }
  }
}

/** Everything that is wrong, in words; empty when nothing is. */
export function faultsIn(name: string, findings: readonly Finding[]): string {
  const wrong = findings.filter((finding) => finding.wrong.length > 0);
  if (wrong.length === 0) return "";
  const texts = wrong.map((finding, index) => {
    const kept = index < MAX_KEPT ? ` (kept: ${join(KEPT, name, diskName(finding.state))})` : "";
    return `${nameOf(finding.state)}${kept}:\n    ${finding.wrong.join("\n    ")}`;
  });
  return [
    `${wrong.length} of ${findings.length} states are wrong. FLANCO_FAULTS_RECORDING=${KEPT} with the same seed repeats them.`,
    ...texts,
  ].join("\n  ");
}

function diskName({ cut, kind }: CrashState): string {
  return `entry-${cut}-${kind}.img`;
}
