import { truncateSync } from "node:fs";
import type { ProvenBackup } from "../../../src/domain/backup.ts";
import { readCommits } from "../../../src/ledger/engine/chain.ts";
import { readLedger } from "../../../src/ledger/engine/identity.ts";
import { until } from "../../rig/until.ts";
import { TestLedger } from "../test-ledger.ts";

/** Less than a header: nothing can be read of such a file. */
export const STUMP_BYTES = 90;

/** A ledger whose newest commits are copied to its tail. */
export class TailedLedger extends TestLedger {
  override tail = true;

  /** The number of its newest commit. */
  commitsNow(): number {
    return readLedger(this.file, readCommits);
  }

  /** Makes and proves a backup, with which the tail begins a new file. */
  async backUpProved(): Promise<ProvenBackup> {
    const commits = this.commitsNow();
    // What waits for the tail is written there when the ledger is closed.
    await this.close();
    await this.open();
    this.writer.backupBegins(this.backups);
    await until("a new file of it is begun", () => this.writer.tail?.from === commits);
    const backup = await this.backUp({ rotate: false });
    this.writer.backupProved(this.backups, this.tailFrom);
    await this.writer.ping();
    return backup;
  }

  /** The records, and the kinds of what the full check finds. */
  held(): { readonly records: number; readonly kinds: readonly string[] } {
    const { records, findings } = this.verify();
    return { records, kinds: findings.map(({ kind }) => kind) };
  }

  /** Closes the ledger, spoils its file so that nothing of it can be read, and has it made again. */
  async recovered(): Promise<ReturnType<TestLedger["recover"]>> {
    await this.close();
    truncateSync(this.file, STUMP_BYTES);
    return this.recover();
  }
}
