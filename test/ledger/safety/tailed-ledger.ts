import type { ProvenBackup } from "../../../src/domain/backup.ts";
import { readCommits } from "../../../src/ledger/engine/chain.ts";
import { readLedger } from "../../../src/ledger/engine/identity.ts";
import { until } from "../../rig/until.ts";
import { TestLedger } from "../test-ledger.ts";

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
}
