import { randomInt } from "node:crypto";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import type { Patch } from "../../scripts/patch.ts";
import { SeededRandom } from "../../scripts/powercut/random.ts";
import { verifyLedger } from "../../src/ledger/safety/verify.ts";
import { recordRows } from "../cli/ledger.ts";
import { CONTROLS, failureOf } from "../rig/controls.ts";
import { Program, type RunningService } from "../rig/program.ts";
import { forEachTest } from "../rig/standing.ts";
import { DrivenProgram } from "./driven-program.ts";
import { Variants } from "./variant.ts";

const SHORT = process.env["FLANCO_FAULTS"] === "short";
const KILLS = SHORT ? 10 : 200;
/** Enough for each control to be caught by far. */
const CONTROL_KILLS = 40;
/** Every so many lives one ends while the service is still starting. */
const KILL_AT_START_EVERY = 10;
const MAX_START_MS = 900;
const MIN_LOAD_MS = 20;
const MAX_LOAD_MS = 500;
const LOOK_EVERY_MS = 15;
const CONNECTIONS = 8;
const PULSE_EVERY_MS = 3;
const FIRST_POST_MS = Date.now();
/** The promise, on a machine that does nothing else; the test prints how many starts took longer. */
const READY_MS = 3_000;
const TEST_MS = 1_800_000;

const seed = Number(process.env["FLANCO_FAULTS_SEED"] ?? randomInt(2 ** 32));

/** One data directory, a service on it that is killed again and again, and what was asked and answered over all of its runs. */
class CrashTrial extends DrivenProgram {
  /** The numbers of posts that were answered with 201. */
  readonly acknowledged = new Set<number>();
  /** Of posts whose answer the end of the process took away. */
  readonly unanswered = new Set<number>();
  /** Rises of the line that were asked for. */
  rises = 0;
  readonly readyMs: number[] = [];
  sentAgain = 0;
  /** Edges that a reader has seen in the ledger. */
  seenEdges = 0;
  readonly #program: string | undefined;
  #posts = 0;
  #knownRises = 0;
  #knownEdges = 0;

  private constructor(appliance: Program, program: string | undefined) {
    super(appliance);
    this.#program = program;
  }

  static async make(program?: string): Promise<CrashTrial> {
    return new CrashTrial(await Program.make(), program).seed();
  }

  /** Starts the service, checks that it holds everything so far, and kills it at work or while it starts. */
  async kill(random: SeededRandom, atStart: boolean): Promise<void> {
    if (atStart) await this.#killAtStart(random.between(0, MAX_START_MS));
    else await this.#killUnderLoad(random.between(MIN_LOAD_MS, MAX_LOAD_MS));
  }

  async finish(): Promise<void> {
    const service = await this.start();
    await this.#sendAgain();
    expect((await service.end("SIGTERM")).exitCode).to.equal(0);
    this.#check();
  }

  async #killAtStart(afterMs: number): Promise<void> {
    const child = this.appliance.spawn(["serve"], { program: this.#program });
    await setTimeout(afterMs);
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  }

  async #killUnderLoad(afterMs: number): Promise<void> {
    const service = await this.start();
    await this.#sendAgain();
    this.#check();
    let isGoing = true;
    const posting = async () => {
      while (isGoing) {
        this.#posts += 1;
        await this.#post(this.#posts);
      }
    };
    const switching = async () => {
      for (; isGoing; await setTimeout(PULSE_EVERY_MS)) {
        this.rises += 1;
        await this.drive(true);
        await this.drive(false);
      }
    };
    const load = Promise.allSettled([...Array.from({ length: CONNECTIONS }, posting), switching()]);
    const end = performance.now() + afterMs;
    while (performance.now() < end) {
      await setTimeout(Math.min(LOOK_EVERY_MS, Math.max(0, end - performance.now())));
      this.seenEdges = this.#edges();
    }
    await service.end("SIGKILL");
    isGoing = false;
    await load;
  }

  /** Every second post has a key, so that it may be sent again. Throws when the service did not answer, or with another status. */
  async #post(number: number): Promise<void> {
    this.unanswered.add(number);
    const place = { locationName: "L", deviceName: "D", deviceId: "1", habitacion: `n${number}` };
    const body = { ...place, valor: 1, createdTime: FIRST_POST_MS + number };
    const headers = hasKey(number) ? { "idempotency-key": `key-${number}` } : {};
    const { status } = await this.service.post("/api/data", body, this.cookie, headers);
    if (status !== 201) throw new Error(`A post was answered with ${status}.`);
    this.unanswered.delete(number);
    this.acknowledged.add(number);
  }

  override async start(): Promise<RunningService> {
    const began = performance.now();
    const service = await super.start({ program: this.#program });
    expect((await service.get("/healthz")).status).to.equal(200);
    this.readyMs.push(performance.now() - began);
    return service;
  }

  /** As a client does that had no answer and used a key. */
  async #sendAgain(): Promise<void> {
    for (const number of [...this.unanswered].filter(hasKey)) {
      await this.#post(number);
      this.sentAgain += 1;
    }
  }

  #check(): void {
    const { acknowledged, unanswered, rises } = this;
    const rows = recordRows(this.ledgerFile).filter(({ origin }) => origin === "posted");
    const posts = rows.map(({ room }) => Number(room.slice(1)));
    const stored = new Set(posts);
    expect(posts.length - stored.size, "posts stored twice").to.equal(0);
    expect([...acknowledged].filter((number) => !stored.has(number)).length, "posts lost").to.equal(0);
    const strange = posts.filter((number) => !acknowledged.has(number) && !unanswered.has(number));
    expect(strange, "posts that were not sent").to.deep.equal([]);

    const edges = this.#edges();
    expect(edges, "edges lost that were in the ledger").to.be.at.least(this.seenEdges);
    expect(edges - this.#knownEdges, "edges of one life").to.be.at.most(rises - this.#knownRises);
    this.#knownEdges = edges;
    this.#knownRises = rises;

    const { damage, findings } = verifyLedger(this.ledgerFile, () => {});
    expect({ damage, findings }).to.deep.equal({ damage: [], findings: [] });
  }

  #edges(): number {
    return recordRows(this.ledgerFile).filter(({ origin }) => origin !== "posted").length;
  }
}

function hasKey(number: number): boolean {
  return number % 2 === 0;
}

describe("kill -9 at random moments under load", function () {
  this.timeout(TEST_MS);
  let trial: CrashTrial | undefined;
  const variants = forEachTest(() => new Variants());

  afterEach(async () => {
    await trial?.close();
    trial = undefined;
  });

  it(`loses nothing that was acknowledged and counts nothing twice, ${KILLS} times on one ledger`, async () => {
    console.log(`    FLANCO_FAULTS_SEED=${seed}`);
    const random = new SeededRandom(seed);
    trial = await CrashTrial.make();
    for (let life = 1; life <= KILLS; life += 1) await trial.kill(random, life % KILL_AT_START_EVERY === 0);
    await trial.finish();
    report(trial);
    expect(trial.seenEdges).to.be.above(KILLS);
    expect(trial.acknowledged.size).to.be.above(KILLS);
  });

  describe("without what protects from it (controls)", () => {
    async function failure(patches: readonly Patch[]): Promise<string> {
      const killed = await CrashTrial.make(variants.program(patches));
      trial = killed;
      const random = new SeededRandom(seed);
      for (let life = 0; life < CONTROL_KILLS; life += 1) {
        const message = await failureOf(killed.kill(random, false));
        if (message === "none") continue;
        console.log(`    noticed after ${life} kills`);
        return message;
      }
      return "none";
    }

    it("loses posts that are answered before their commit", async () => {
      expect(await failure(CONTROLS["posts are answered before their commit"])).to.contain("posts lost");
    });

    it("counts posts twice whose key is not kept", async () => {
      expect(await failure(CONTROLS["no idempotency key is kept"])).to.contain("posts stored twice");
    });
  });
});

function report({ acknowledged, unanswered, readyMs, sentAgain, seenEdges }: CrashTrial): void {
  const sorted = [...readyMs].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const late = sorted.filter((ms) => ms > READY_MS).length;
  console.log(
    `    ${KILLS} kills: ${acknowledged.size} posts acknowledged, ${sentAgain} sent again, ` +
      `${unanswered.size} without key and answer, ${seenEdges} edges; ready in ${Math.round(middle)} ms ` +
      `(median), ${Math.round(sorted.at(-1) ?? 0)} ms (longest), ${late} of ${sorted.length} above ${READY_MS} ms`,
  );
}
