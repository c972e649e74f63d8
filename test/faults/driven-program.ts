import { ControlClient } from "../../src/cli/api-access.ts";
import { driveLine } from "../../src/contract/line.ts";
import { EMAIL, seedLedger } from "../cli/ledger.ts";
import { change } from "../rig/ledger-file.ts";
import { PASSWORD, type Program, type RunningService, type RunOptions } from "../rig/program.ts";

const LINE = "SIM0";

/** The program on simulated lines whose levels count at once, with the session of its one user, over any number of starts. */
export class DrivenProgram {
  readonly appliance: Program;
  #service: RunningService | undefined;
  #remote: ControlClient | undefined;
  #cookie = "";

  constructor(appliance: Program) {
    this.appliance = appliance;
  }

  /** Makes its ledger. */
  async seed(): Promise<this> {
    await seedLedger(this.ledgerFile);
    change(this.ledgerFile, "UPDATE wiring SET debounce_ms = 0, rearm_ms = 0");
    return this;
  }

  get ledgerFile(): string {
    return this.appliance.ledgerFile;
  }

  /** The service that was started last. */
  get service(): RunningService {
    if (this.#service === undefined) throw new Error("The service was not started.");
    return this.#service;
  }

  get remote(): ControlClient {
    if (this.#remote === undefined) throw new Error("The service has no control socket.");
    return this.#remote;
  }

  get cookie(): string {
    return this.#cookie;
  }

  /** The first start also begins the session, which outlives restarts. */
  async start({ environment, ...options }: Omit<RunOptions, "input"> = {}): Promise<RunningService> {
    this.#remote?.close();
    const service = await this.appliance.start(environment, options);
    this.#service = service;
    if (this.#cookie === "") this.#cookie = await service.signIn(EMAIL, PASSWORD);
    this.#remote = await ControlClient.connect(this.appliance.controlSocket);
    return service;
  }

  get(path: string): Promise<Response> {
    return this.service.get(path, this.#cookie);
  }

  /** Posts a record of now from this room. */
  sell(habitacion: string): Promise<Response> {
    const place = { locationName: "L", deviceName: "D", deviceId: "1", habitacion };
    return this.service.post("/api/data", { ...place, valor: 1, createdTime: Date.now() }, this.#cookie);
  }

  /** Sets the level of the one line that is driven. */
  async drive(high: boolean): Promise<void> {
    await this.remote.ask(driveLine, { body: { line: LINE, level: high } });
  }

  async close(): Promise<void> {
    this.#remote?.close();
    await this.appliance.close();
  }
}
