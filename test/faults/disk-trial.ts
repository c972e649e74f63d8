import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { recordRows } from "../cli/ledger.ts";
import { Program } from "../rig/program.ts";
import { until } from "../rig/until.ts";
import { DrivenProgram } from "./driven-program.ts";
import { SmallDisk } from "./small-disk.ts";

const DISK_MEBIBYTES = 24;
/** More than the release of the reserve and the retries of the queue take. */
const FULL_FOR_MS = 2_000;
const POLL_MS = 50;
/** Clients that post at once to lengthen the log, and time for as many posts as fill it twice. */
const CLIENTS = 16;
const POSTING_MS = 120_000;
/** A page in SQLite's log, with its header; and where the log's own header counts how often it was begun (sqlite.org/walformat.html). */
const FRAME_BYTES = 24 + 1_024;
const LOG_COUNT_OFFSET = 12;

interface StatusFaults {
  readonly data: { readonly faults: readonly { code: string; sinceMs: number; message: string }[] };
}

/** A service whose data directory is a small disk, and what was asked of it. */
export class DiskTrial extends DrivenProgram {
  readonly disk = new SmallDisk(this.appliance.dataDir);
  readonly acknowledged: string[] = [];
  edges = 0;
  #posts = 0;

  static async make(mebibytes = DISK_MEBIBYTES): Promise<DiskTrial> {
    const trial = new DiskTrial(await Program.make());
    trial.disk.mount(mebibytes);
    return trial.seed();
  }

  override async close(): Promise<void> {
    this.disk.unmount();
    await super.close();
  }

  get reserve(): string {
    return join(this.disk.directory, "reserve");
  }

  /** Frames in the log as it lies on the disk; it is used again from its start and never gets shorter. */
  get logFrames(): number {
    return Math.floor(statSync(this.#log).size / FRAME_BYTES);
  }

  /** Grows when a commit begins the log again from its start, after a checkpoint. */
  get logCount(): number {
    const count = Buffer.alloc(4);
    const descriptor = openSync(this.#log, "r");
    readSync(descriptor, count, 0, count.length, LOG_COUNT_OFFSET);
    closeSync(descriptor);
    return count.readUInt32BE();
  }

  get edgeRecords(): number {
    return recordRows(this.ledgerFile).filter(({ origin }) => origin === "edge").length;
  }

  async post(): Promise<Response> {
    this.#posts += 1;
    const room = `p${this.#posts}`;
    const answer = await this.sell(room);
    if (answer.status === 201) this.acknowledged.push(room);
    return answer;
  }

  /** Posts from several clients at once, for as long as it is so and posts are taken. */
  async postWhile(isSo: () => boolean): Promise<void> {
    const endMs = performance.now() + POSTING_MS;
    const client = async (): Promise<void> => {
      while (isSo() && performance.now() < endMs && (await this.post()).status === 201);
    };
    await Promise.allSettled(Array.from({ length: CLIENTS }, client));
  }

  async faults(): Promise<StatusFaults["data"]["faults"]> {
    return ((await (await this.get("/api/status")).json()) as StatusFaults).data.faults;
  }

  /** The fault of the full disk. The tail may have met the same disk; there must be no other fault. */
  async fullDiskFault(): Promise<StatusFaults["data"]["faults"][number] | undefined> {
    const faults = (await this.faults()).filter(({ code }) => code !== "tail_failed");
    expect(faults.map(({ code }) => code)).to.deep.equal(["disk_full"]);
    return faults[0];
  }

  /** Switches the line on and off in turn. */
  async switchTimes(times: number): Promise<void> {
    for (let left = times; left > 0; left -= 1) {
      this.edges += 1;
      await this.drive(this.edges % 2 === 1);
    }
  }

  /** Fills the disk again and again until posts are refused and not even an edge gets in. */
  async fillUp(): Promise<void> {
    await until("the disk takes nothing more", async () => {
      this.disk.fill();
      const before = this.edgeRecords;
      await this.switchTimes(2);
      if ((await this.post()).status !== 503) return false;
      const end = performance.now() + FULL_FOR_MS;
      while (performance.now() < end && this.edgeRecords === before) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      return this.edgeRecords === before;
    });
  }

  /** Some more may be there: those whose answer was lost with the process. */
  expectAcknowledged(): void {
    const rooms = this.#postedRooms();
    expect(new Set(rooms).size, "none twice").to.equal(rooms.length);
    expect(rooms).to.include.members(this.acknowledged);
  }

  /** These, and nothing else. */
  expectAcknowledgedOnce(): void {
    expect(this.#postedRooms()).to.have.members(this.acknowledged);
  }

  async expectSound(): Promise<void> {
    const { stdout } = await this.appliance.run(["verify", "--json"]);
    expect(JSON.parse(stdout)).to.deep.include({ findings: [], damage: [] });
  }

  get #log(): string {
    return `${this.ledgerFile}-wal`;
  }

  #postedRooms(): string[] {
    return recordRows(this.ledgerFile)
      .filter(({ origin }) => origin === "posted")
      .map(({ room }) => room);
  }
}
