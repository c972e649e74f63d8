import { writeFileSync } from "node:fs";
import { addGateway, type Company } from "../../src/company/company.ts";
import { CentralSink } from "../../src/notify/central-sink.ts";
import type { Connection } from "../../src/notify/database.ts";
import { systemClock } from "../../src/platform/machine.ts";
import { TestChain } from "./chain.ts";

/** As the forwarder gives them. */
const BATCH = 200;
/** For a sink that calls by itself never. */
/** As the company has them. */
export const OWN = { timeZone: "Europe/Madrid", currency: "EUR" };

/** A gateway that tells nothing of itself. */
export const NO_REPORT = () => Promise.reject(new Error("There is no report."));
export const NO_TIMERS = { after: () => () => {} };

/** A gateway's chain and its sink, with a cursor instead of the ledger and the forwarder: a thousand fit into one process. */
export class SimulatedGateway {
  readonly name: string;
  chain = new TestChain();
  /** Up to which entry the database has acknowledged the chain. */
  acknowledged = 0;
  readonly #makeSink: () => CentralSink;
  #sink: CentralSink;

  private constructor(name: string, makeSink: () => CentralSink) {
    this.name = name;
    this.#makeSink = makeSink;
    this.#sink = makeSink();
  }

  /** Adds the gateway to the company. `url` gives the address for its role; the file gets its password. */
  static async add(
    admin: Connection,
    company: Company,
    name: string,
    url: (role: string) => string,
    passwordFile: string,
  ): Promise<SimulatedGateway> {
    const { role, password } = await addGateway(admin, company, name);
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    const sink = () =>
      new CentralSink({
        url: url(role),
        passwordFile,
        clock: systemClock,
        timers: NO_TIMERS,
        own: OWN,
        report: NO_REPORT,
      });
    return new SimulatedGateway(name, sink);
  }

  get waiting(): number {
    return this.chain.position - this.acknowledged;
  }

  /** Delivers one batch from the cursor, and moves it. Rejects as the sink does. */
  async deliver(signal: AbortSignal, limit = BATCH): Promise<void> {
    const { ledger } = this.chain;
    const entries = this.chain.entries.slice(this.acknowledged, this.acknowledged + limit);
    const last = entries.at(-1);
    if (last === undefined) return;
    const waiting = this.chain.position - last.position;
    const answer = await this.#sink.deliver({ ledger, entries, waiting }, signal);
    this.acknowledged = (answer ?? last).position;
  }

  /** The process ends and another one starts, which knows an earlier cursor. */
  async crash(): Promise<void> {
    await this.#sink.close();
    this.#sink = this.#makeSink();
    this.acknowledged = Math.max(0, this.acknowledged - BATCH);
  }

  /** The ledger of a backup goes on from there. */
  restore(position: number): void {
    this.chain = this.chain.restoredAt(position);
    this.acknowledged = Math.min(this.acknowledged, position);
  }

  close(): Promise<void> {
    return this.#sink.close();
  }
}
