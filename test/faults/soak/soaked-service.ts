import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ControlClient } from "../../../src/control/client.ts";
import { change, EMAIL, seedLedger } from "../../cli/ledger.ts";
import type { BundledProgram } from "../../rig/bundled-program.ts";
import { PASSWORD, Program, type RunningService } from "../../rig/program.ts";
import { until } from "../../rig/until.ts";

const PROBE = fileURLToPath(new URL("./probe.mjs", import.meta.url));
const LINE = "SIM0";

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
export class SoakedService {
  /** Rises of the line that were asked for. */
  rises = 0;
  /** Posts that were acknowledged. */
  posts = 0;
  readonly #appliance: Program;
  readonly #service: RunningService;
  readonly #remote: ControlClient;
  readonly #cookie: string;
  #requests = 0;
  #probes = 0;

  private constructor(appliance: Program, service: RunningService, remote: ControlClient, cookie: string) {
    this.#appliance = appliance;
    this.#service = service;
    this.#remote = remote;
    this.#cookie = cookie;
  }

  static async start({ program, environment, nodeOptions: own }: BundledProgram): Promise<SoakedService> {
    const appliance = await Program.make();
    await seedLedger(appliance.ledgerFile);
    // Each level counts at once.
    change(appliance.ledgerFile, "UPDATE wiring SET debounce_ms = 0, rearm_ms = 0");
    const nodeOptions = [...own, "--expose-gc", "--import", PROBE];
    const service = await appliance.start(environment, { nodeOptions, program });
    const remote = await ControlClient.connect(appliance.controlSocket);
    if (remote === undefined) throw new Error("The service has no control socket.");
    return new SoakedService(appliance, service, remote, await service.signIn(EMAIL, PASSWORD));
  }

  get ledgerFile(): string {
    return this.#appliance.ledgerFile;
  }

  /** One edge: up, then down. */
  async edge(): Promise<void> {
    const high = this.rises === 0 || !this.#high;
    this.#high = high;
    if (high) this.rises += 1;
    await this.#remote.call("setLine", { line: LINE, high });
  }

  #high = false;

  /** One request of each kind in turn. Throws when its answer is not the expected one. */
  async request(): Promise<void> {
    const turn = this.#requests % REQUESTS.length;
    this.#requests += 1;
    const path = REQUESTS[turn] ?? "";
    const answer = path === "" ? await this.#post() : await this.#service.get(path, this.#cookie);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path || "POST /api/data"} was answered with ${answer.status}.`);
  }

  async holding(): Promise<Holding> {
    this.#probes += 1;
    process.kill(this.#service.pid, "SIGUSR2");
    const said = await until("the service says what it holds", () => {
      const lines = this.#service.stderr.split("\n").filter((line) => line.includes('"probe"'));
      return lines.length >= this.#probes && lines.at(-1);
    });
    const { probe } = JSON.parse(said) as { probe: { rss: number; objects: number } };
    return {
      ...probe,
      descriptors: readdirSync(`/proc/${this.#service.pid}/fd`).length,
      log: statSync(`${this.ledgerFile}-wal`).size,
    };
  }

  /** Ends the service as systemd does; gives its exit code. */
  async stop(): Promise<number | null> {
    return (await this.#service.end("SIGTERM")).exitCode;
  }

  async close(): Promise<void> {
    await this.#appliance.close();
  }

  async #post(): Promise<Response> {
    const place = { locationName: "L", deviceName: "D", deviceId: "1", habitacion: "101" };
    const answer = await this.#service.post(
      "/api/data",
      { ...place, valor: 2.5, createdTime: Date.now() },
      this.#cookie,
    );
    if (answer.status === 201) this.posts += 1;
    return answer;
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
