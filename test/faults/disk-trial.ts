import { statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { ControlClient } from "../../src/control/client.ts";
import { change, EMAIL, recordRows, seedLedger } from "../cli/ledger.ts";
import { PASSWORD, Program, type RunningService, type RunOptions } from "../rig/program.ts";
import { until } from "../rig/until.ts";
import { SmallDisk } from "./small-disk.ts";

const DISK_MEBIBYTES = 24;
/** More than the release of the reserve and the retries of the queue take. */
const FULL_FOR_MS = 2_000;
const POLL_MS = 50;
const LINE = "SIM0";

interface StatusFaults {
  readonly data: { readonly faults: readonly { code: string; sinceTime: number; message: string }[] };
}

function aPost(habitacion: string) {
  return { locationName: "L", deviceName: "D", deviceId: "1", habitacion, valor: 1, createdTime: Date.now() };
}

/** A service whose data directory is a small disk, and what was asked of it. */
export class DiskTrial {
  readonly appliance: Program;
  readonly disk: SmallDisk;
  readonly acknowledged: string[] = [];
  edges = 0;
  #service: RunningService | undefined;
  #remote: ControlClient | undefined;
  #cookie = "";
  #posts = 0;

  private constructor(appliance: Program) {
    this.appliance = appliance;
    this.disk = new SmallDisk(appliance.dataDir);
  }

  static async make(): Promise<DiskTrial> {
    const trial = new DiskTrial(await Program.make());
    trial.disk.mount(DISK_MEBIBYTES);
    await seedLedger(trial.appliance.ledgerFile);
    // Each level counts at once.
    change(trial.appliance.ledgerFile, "UPDATE wiring SET debounce_ms = 0, rearm_ms = 0");
    return trial;
  }

  async start(
    options: Pick<RunOptions, "program" | "wrapper"> = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<RunningService> {
    const service = await this.appliance.start(environment, options);
    this.#service = service;
    // A session outlives a restart, and beginning one needs room on the disk.
    if (this.#cookie === "") this.#cookie = await service.signIn(EMAIL, PASSWORD);
    this.#remote = await ControlClient.connect(this.appliance.controlSocket);
    return service;
  }

  async close(): Promise<void> {
    this.#remote?.close();
    this.disk.unmount();
    await this.appliance.close();
  }

  get reserve(): string {
    return join(this.disk.directory, "reserve");
  }

  /** The log as it lies on the disk; it is used again from its start and never gets shorter. */
  get logBytes(): number {
    return statSync(`${this.appliance.ledgerFile}-wal`).size;
  }

  get edgeRecords(): number {
    return recordRows(this.appliance.ledgerFile).filter(({ origin }) => origin === "edge").length;
  }

  async post(): Promise<Response> {
    this.#posts += 1;
    const room = `p${this.#posts}`;
    const answer = await this.#running.post("/api/data", aPost(room), this.#cookie);
    if (answer.status === 201) this.acknowledged.push(room);
    return answer;
  }

  get(path: string): Promise<Response> {
    return this.#running.get(path, this.#cookie);
  }

  async faults(): Promise<StatusFaults["data"]["faults"]> {
    return ((await (await this.get("/api/status")).json()) as StatusFaults).data.faults;
  }

  /** Switches the line on and off in turn. */
  async switchTimes(times: number): Promise<void> {
    for (let left = times; left > 0; left -= 1) {
      this.edges += 1;
      await this.#remote?.call("setLine", { line: LINE, high: this.edges % 2 === 1 });
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

  #postedRooms(): string[] {
    return recordRows(this.appliance.ledgerFile)
      .filter(({ origin }) => origin === "posted")
      .map(({ room }) => room);
  }

  get #running(): RunningService {
    if (this.#service === undefined) throw new Error("The service was not started.");
    return this.#service;
  }
}
