import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Guest, runInGuest } from "../guest/machine.ts";
import { makeDisk } from "./disk.ts";
import { WriteLog } from "./write-log.ts";

const IMAGE = "disk.img";
const LOG = "writes.log";
const NOTES = "notes.json";
const SHOWN_CHARACTERS = 4_000;
/** Where the guest has the disk. */
export const MOUNT_POINT = "/var/lib";

/** What a guest does while its disk's writes are logged. */
export interface Workload {
  /** Program and arguments; each line of JSON that it writes is a note. */
  readonly command: readonly string[];
  readonly diskMib: number;
  /** A folder of this machine with what is on the disk from the beginning. */
  readonly diskContent?: string;
  readonly timeoutMs: number;
}

/** Something that the guest told the host. */
export interface Note {
  readonly value: unknown;
  /** The log's length when the host had heard of it: the guest's word is older than whatever came after. */
  readonly logBytes: number;
}

/** A disk before, every write to it, and what the guest said meanwhile. */
export class Recording {
  readonly directory: string;
  readonly notes: readonly Note[];

  private constructor(directory: string, notes: readonly Note[]) {
    this.directory = directory;
    this.notes = notes;
  }

  /** Runs a workload in the guest, on a new disk. Rejects when the machine fails or the workload does not end with 0. */
  static async make(guest: Guest, workload: Workload, directory: string): Promise<Recording> {
    mkdirSync(directory, { recursive: true });
    const image = join(directory, IMAGE);
    const log = join(directory, LOG);
    makeDisk(image, workload.diskMib, workload.diskContent);
    // The guest writes on a copy: the states are made from the disk as it was.
    const written = join(directory, "written.img");
    copyFileSync(image, written);
    writeFileSync(log, "");
    const notes: Note[] = [];
    const { exitCode, stderr } = await runInGuest(guest, {
      command: workload.command,
      timeoutMs: workload.timeoutMs,
      disk: { image: written, log, mountPoint: MOUNT_POINT },
      onLine: (line) => notes.push({ value: JSON.parse(line), logBytes: statSync(log).size }),
    });
    rmSync(written);
    if (exitCode !== 0) {
      throw new Error(
        `${workload.command.join(" ")} ended with ${exitCode}:\n${stderr.slice(-SHOWN_CHARACTERS)}`,
      );
    }
    writeFileSync(join(directory, NOTES), JSON.stringify(notes));
    return new Recording(directory, notes);
  }

  /** Takes up a recording that an earlier run kept. */
  static load(directory: string): Recording {
    return new Recording(directory, JSON.parse(readFileSync(join(directory, NOTES), "utf8")));
  }

  /** The disk before the first entry of the log. */
  get image(): string {
    return join(this.directory, IMAGE);
  }

  openLog(): WriteLog {
    return WriteLog.open(join(this.directory, LOG));
  }

  /** Copies everything that is needed to make the same states again. */
  keep(directory: string): void {
    mkdirSync(directory, { recursive: true });
    for (const name of [IMAGE, LOG, NOTES]) copyFileSync(join(this.directory, name), join(directory, name));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
