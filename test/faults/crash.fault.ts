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
import { CrashAccount, CrashLoad, sendPost } from "./crash-load.ts";
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
/** The promise, on a machine that does nothing else; the test prints how many starts took longer. */
const READY_MS = 3_000;
const TEST_MS = 1_800_000;

const seed = Number(process.env["FLANCO_FAULTS_SEED"] ?? randomInt(2 ** 32));

/** One data directory, and a service on it that is killed again and again. */
class CrashTrial extends DrivenProgram {
  readonly account = new CrashAccount();
  readonly readyMs: number[] = [];
  sentAgain = 0;
  /** Edges that a reader has seen in the ledger. */
  seenEdges = 0;
  readonly #program: string | undefined;
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
    const load = new CrashLoad(this.account, service, this.remote, this.cookie);
    const end = performance.now() + afterMs;
    while (performance.now() < end) {
      await setTimeout(Math.min(LOOK_EVERY_MS, Math.max(0, end - performance.now())));
      this.seenEdges = this.#edges();
    }
    await service.end("SIGKILL");
    await load.stop();
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
    for (const post of [...this.account.unanswered.values()]) {
      if (post.key === undefined) continue;
      await sendPost(this.account, post, this.service, this.cookie);
      this.sentAgain += 1;
    }
  }

  #check(): void {
    const { acknowledged, unanswered, rises } = this.account;
    const rows = recordRows(this.ledgerFile);
    const rooms = rows.filter(({ origin }) => origin === "posted").map(({ room }) => room);
    const stored = new Set(rooms);
    expect(rooms.length - stored.size, "posts stored twice").to.equal(0);
    expect([...acknowledged].filter((room) => !stored.has(room)).length, "posts lost").to.equal(0);
    const strange = rooms.filter((room) => !acknowledged.has(room) && !unanswered.has(room));
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
    expect(trial.account.acknowledged.size).to.be.above(KILLS);
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

function report({ account, readyMs, sentAgain, seenEdges }: CrashTrial): void {
  const sorted = [...readyMs].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const late = sorted.filter((ms) => ms > READY_MS).length;
  console.log(
    `    ${KILLS} kills: ${account.acknowledged.size} posts acknowledged, ${sentAgain} sent again, ` +
      `${account.unanswered.size} without key and answer, ${seenEdges} edges; ready in ${Math.round(middle)} ms ` +
      `(median), ${Math.round(sorted.at(-1) ?? 0)} ms (longest), ${late} of ${sorted.length} above ${READY_MS} ms`,
  );
}
