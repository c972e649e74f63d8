import { mkdirSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { CrashState } from "./crash-state.ts";
import { CrashedDisk } from "./disk.ts";
import { extractFolder } from "./extract.ts";
import type { Recording } from "./recording.ts";
import type { WriteLog } from "./write-log.ts";

/** What came of one state. */
export interface Finding {
  readonly state: CrashState;
  /** In words; empty when everything is as it must be. */
  readonly wrong: readonly string[];
  /** Whether the file system needed more than its journal. */
  readonly repaired: boolean;
}

/**
 * Judges one state: gets the folder as the next boot finds it, in which it may do what it likes, and names
 * everything that is wrong.
 */
export type Judge = (folder: string, state: CrashState) => readonly string[] | Promise<readonly string[]>;

export interface SurveyOptions {
  readonly recording: Recording;
  readonly log: WriteLog;
  /** In the order of the log. */
  readonly states: readonly CrashState[];
  /** Path of the folder on the guest's disk. */
  readonly folder: string;
  readonly judge: Judge;
  /** For files that come and go; best in memory. */
  readonly scratch: string;
}

/** Makes each state's disk, takes the folder out and has it judged. Findings come in the order of the states. */
export async function survey(options: SurveyOptions): Promise<readonly Finding[]> {
  const { states, scratch, recording, log } = options;
  mkdirSync(scratch, { recursive: true });
  const disk = new CrashedDisk(recording.image, log);
  const findings: Finding[] = [];
  let next = 0;
  const lane = async (number: number): Promise<void> => {
    const image = join(scratch, `${number}.img`);
    const target = join(scratch, `${number}`);
    for (let index = next++; index < states.length; index = next++) {
      const state = states[index];
      if (state === undefined) break;
      disk.write(state, image);
      findings[index] = await inspect(options, state, image, target);
    }
    rmSync(image, { force: true });
    rmSync(target, { recursive: true, force: true });
  };
  // One more than there are processors: judging is this process's own work, the rest is other programs'.
  await Promise.all(Array.from({ length: cpus().length + 1 }, (_, number) => lane(number)));
  return findings;
}

/** Writes one state's disk again, to be looked at. */
export function keepDisk(recording: Recording, log: WriteLog, state: CrashState, file: string): void {
  new CrashedDisk(recording.image, log).write(state, file);
}

/** Names a state so that it can be found again. */
export function nameOf({ cut, kind, durable }: CrashState): string {
  return `the state after log entry ${cut}, with ${kind} of the ${cut - durable} entries since the last flush`;
}

async function inspect(
  { folder, judge }: SurveyOptions,
  state: CrashState,
  image: string,
  target: string,
): Promise<Finding> {
  let repaired = false;
  try {
    repaired = (await extractFolder(image, folder, target)) === "repaired";
    return { state, wrong: await judge(target, state), repaired };
  } catch (error) {
    return { state, wrong: [error instanceof Error ? error.message : String(error)], repaired };
  }
}
