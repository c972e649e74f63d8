import type { ProvenBackup } from "../../src/domain/backup.ts";
import { listBackups } from "../../src/ledger/safety/backup-directory.ts";
import { readFrames, type Segment, segmentsIn } from "../../src/ledger/safety/tail.ts";

/** What is left of a ledger in its folder of backups: the newest backup, and the tail. */
export class Remains {
  readonly backup: ProvenBackup | undefined;
  readonly tail: readonly Segment[];

  constructor(folder: string) {
    [this.backup] = listBackups(folder);
    this.tail = segmentsIn(folder);
  }

  /** Whether the tail leads from the backup to its end without a break. */
  get isWhole(): boolean {
    const last = this.tail.findLast(({ from }, index) => from !== this.tail[index - 1]?.end);
    return this.backup !== undefined && (last?.from ?? 0) <= this.backup.commits;
  }

  /** The tail up to the first break after the backup. */
  get joined(): readonly Segment[] {
    const commits = this.backup?.commits ?? 0;
    const isBreak = ({ from }: Segment, index: number) =>
      from > commits && from !== this.tail[index - 1]?.end;
    const at = this.tail.findIndex(isBreak);
    return at === -1 ? this.tail : this.tail.slice(0, at);
  }

  /** The last commit, once so many commits of the tail were made again after commit `base`. */
  lastCommit(base: number, repeated: number): number {
    const numbers = this.tail.flatMap((segment) => [...readFrames(segment)].map(({ commit }) => commit));
    return numbers.filter((number) => number > base)[repeated - 1] ?? base;
  }
}
