import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BundledProgram } from "../../rig/bundled-program.ts";
import { Program } from "../../rig/program.ts";
import { until } from "../../rig/until.ts";
import { DrivenProgram } from "../driven-program.ts";

const PROBE = fileURLToPath(new URL("./probe.mjs", import.meta.url));

/** What the service holds at one moment, each of its threads after a collection of garbage. */
export interface Holding {
  /** Bytes of all of the process. */
  readonly rss: number;
  /** Bytes of the serving thread's own objects and what they hold, without compiled code. */
  readonly objects: number;
  /** Open descriptors. */
  readonly descriptors: number;
  /** Bytes of the ledger's log. */
  readonly log: number;
}

/** The program under a steady load: edges of one line, and requests of one user. */
export class SoakedService extends DrivenProgram {
  /** Rises of the line that were asked for. */
  rises = 0;
  /** Posts that were acknowledged. */
  posts = 0;
  #isHigh = false;
  #requests = 0;
  #probes = 0;

  static async begin({ program, environment, nodeOptions: own }: BundledProgram): Promise<SoakedService> {
    const service = await new SoakedService(await Program.make()).seed();
    const nodeOptions = [...own, "--expose-gc", "--import", PROBE];
    await service.start({ environment, nodeOptions, program });
    return service;
  }

  /** One edge: up, then down. */
  async edge(): Promise<void> {
    this.#isHigh = !this.#isHigh;
    if (this.#isHigh) this.rises += 1;
    await this.drive(this.#isHigh);
  }

  /** One request of each kind in turn. Throws when its answer is not the expected one. */
  async request(): Promise<void> {
    const turn = this.#requests % REQUESTS.length;
    this.#requests += 1;
    const path = REQUESTS[turn] ?? "";
    const answer = await (path === "" ? this.sell("101") : this.get(path));
    await answer.arrayBuffer();
    if (path === "" && answer.status === 201) this.posts += 1;
    if (!answer.ok) throw new Error(`${path || "POST /api/data"} was answered with ${answer.status}.`);
  }

  async holding(): Promise<Holding> {
    this.#probes += 1;
    process.kill(this.service.pid, "SIGUSR2");
    const said = await until("the service says what it holds", () => {
      const lines = this.service.stderr.split("\n").filter((line) => line.includes('"probe"'));
      return lines.length >= this.#probes && lines.at(-1);
    });
    const { probe } = JSON.parse(said) as { probe: { rss: number; objects: number } };
    return {
      ...probe,
      descriptors: readdirSync(`/proc/${this.service.pid}/fd`).length,
      log: statSync(`${this.ledgerFile}-wal`).size,
    };
  }
}

/** Paths that are asked for in turn; the empty one posts a record. */
const REQUESTS = [
  "",
  "/api/data?period=semanal",
  "",
  "/api/record?limit=50",
  "/healthz",
  "/api/device",
  "/api/status",
];
