import { execFileSync } from "node:child_process";
import { expect } from "chai";
import { installFor } from "../../scripts/debian.ts";
import { PASSWORD, PROCESS_TEST_MS, Program, type RunningService } from "../rig/program.ts";
import { Client, expectUndisturbed, type Latency, paced, percentile, sendCrowd } from "./client.ts";

const SHORT = process.env["FLANCO_SECURITY"] === "short";
const FLOOD_MS = SHORT ? 8_000 : 600_000;
const ATTEMPTS_PER_SECOND = 50;
const CALM_MS = SHORT ? 3_000 : 30_000;
const PAIRS = SHORT ? 40 : 1_000;
/** The promise for a thousand pairs. Of a few the medians themselves are less certain. */
const MEDIANS_APART = SHORT ? 0.15 : 0.05;
const API_PER_SECOND = 20;
const SIGN_INS_PER_SECOND = 0.5;
const MAX_SIGN_IN_MS = 2_000;

const ANA = "ana@example.org";
const LUIS = "luis@example.org";
/** Fewer connections than one address may hold. */
const CONNECTIONS = 16;
/** What an answer takes. */
const ANSWER_MS = 50;
const TABLET = "127.0.0.20";
/** A network of IPv6 whose addresses guess, and the address of it that has signed in. */
const GUESSING = Array.from({ length: 10 }, (_, index) => `fd66::${index + 2}`);
const FAMILIAR = "fd66::1";
const NEW = "fd66::ff";
/** Of an address, and of ten of a network. */
const FREE_FAILURES = 5;

describe("Signing in during a guessing attack", function () {
  this.timeout(FLOOD_MS + 2 * CALM_MS + 2 * PROCESS_TEST_MS);
  let appliance: Program;
  let service: RunningService;

  beforeEach(async () => {
    appliance = await Program.make();
    for (const [email, name] of [
      [ANA, "Ana"],
      [LUIS, "Luis"],
    ] as const) {
      const account = ["user", "add", "--email", email, "--name", name, "--password-stdin"];
      await appliance.succeed(account, PASSWORD);
    }
    service = await appliance.start();
  });

  afterEach(() => appliance.close());

  /** The API and sign-ins of others, side by side. */
  async function othersWork(ms: number): Promise<{ api: Latency; signIns: Latency }> {
    const endMs = performance.now() + ms;
    const isOver = () => performance.now() > endMs;
    const tablet = new Client(appliance, TABLET);
    const { headers } = await tablet.signIn(ANA, PASSWORD);
    const cookie = headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    let visitor = 100;
    const [api, signIns] = await Promise.all([
      paced(API_PER_SECOND, isOver, () => tablet.send("GET", "/api/device", { cookie })),
      // Also on the attacked account, and each time from an address that has not signed in before.
      paced(SIGN_INS_PER_SECOND, isOver, () => {
        visitor += 1;
        return new Client(appliance, `127.0.1.${visitor % 250}`).signIn(
          visitor % 2 === 0 ? ANA : LUIS,
          PASSWORD,
        );
      }),
    ]);
    return { api, signIns };
  }

  it(`${ATTEMPTS_PER_SECOND} attempts a second for ${FLOOD_MS / 1_000} s from one address do not disturb other clients`, async () => {
    const { api: before } = await othersWork(CALM_MS);
    const requests = [ANA, ANA, ANA, LUIS, "nadie@example.org"].map((email, index) => ({
      path: "/api/login",
      body: JSON.stringify({ email, password: `clave equivocada ${index}` }),
    }));
    const pauseMs = (CONNECTIONS * 1_000) / ATTEMPTS_PER_SECOND - ANSWER_MS;
    const endAttack = await sendCrowd(appliance, { connectionsOfEach: CONNECTIONS, requests, pauseMs });
    const attacked = await othersWork(FLOOD_MS);
    const { statuses: answers } = await endAttack();
    const { api: after } = await othersWork(CALM_MS);
    console.log(`    the attacker's answers: ${JSON.stringify(answers)}`);
    console.log(
      `    others' sign-ins: ${attacked.signIns.count}, the longest ${attacked.signIns.maxMs.toFixed(1)} ms`,
    );
    expectUndisturbed(attacked.api, { before, after });
    expect(attacked.signIns.failures).to.deep.equal([]);
    expect(attacked.signIns.maxMs).to.be.below(MAX_SIGN_IN_MS);
    // Five free ones, then one after each delay: 1 s, 2 s, 4 s … 60 s.
    expect(answers[401], "attempts that were looked at").to.be.at.most(5 + 6 + FLOOD_MS / 60_000 + 1);
    expect(Object.keys(answers)).to.deep.equal(["401", "429"]);
  });

  it("an address that signed in before a restart is let in where its network has guessed too often", async () => {
    const own = [FAMILIAR, NEW, ...GUESSING];
    let guesses = 0;
    // Each at another account: one that is guessed at often delays its guessers by itself.
    const wrong = (address: string) => {
      guesses += 1;
      return new Client(appliance, address).signIn(`nadie${guesses}@example.org`, "una clave equivocada");
    };
    installFor("addresses of a network");
    for (const address of own) execFileSync("ip", ["-6", "address", "add", `${address}/128`, "dev", "lo"]);
    const restart = async () => {
      await service.end("SIGTERM");
      service = await appliance.start({ FLANCO_HOST: "" });
    };
    try {
      await restart();
      expect((await new Client(appliance, FAMILIAR).signIn(ANA, PASSWORD)).status).to.equal(200);
      await restart();
      for (let round = 0; round < FREE_FAILURES; round += 1) {
        const answers = await Promise.all(GUESSING.map(wrong));
        expect(answers.map(({ status }) => status)).to.deep.equal(GUESSING.map(() => 401));
      }
      expect((await new Client(appliance, NEW).signIn(LUIS, PASSWORD)).status, "a new address").to.equal(429);
      expect((await new Client(appliance, FAMILIAR).signIn(LUIS, PASSWORD)).status).to.equal(200);
    } finally {
      for (const address of own) execFileSync("ip", ["-6", "address", "del", `${address}/128`, "dev", "lo"]);
    }
  });

  it(`an unknown e-mail takes as long as a wrong password: medians of ${PAIRS} pairs`, async () => {
    const unknown: number[] = [];
    const wrong: number[] = [];
    let attempts = 0;
    // Each from an address of its own, as no address is looked at so often.
    const attempt = async (email: string): Promise<number> => {
      attempts += 1;
      const from = new Client(appliance, `127.2.${Math.floor(attempts / 250)}.${1 + (attempts % 250)}`);
      const body = { email, password: "una clave equivocada" };
      const answer = await from.sendPlainly("POST", "/api/login", { body });
      expect(answer.status).to.equal(401);
      expect(answer.body).to.equal('{"status":"error","error":"Invalid Credentials"}');
      return answer.ms;
    };
    for (let pair = 0; pair < PAIRS; pair += 1) {
      // In turns first, so that nothing that comes after something has it better.
      const isFirst = pair % 2 === 0;
      if (isFirst) unknown.push(await attempt(`nadie${pair}@example.org`));
      wrong.push(await attempt(ANA));
      if (!isFirst) unknown.push(await attempt(`nadie${pair}@example.org`));
    }
    const [unknownMs, wrongMs] = [percentile(unknown, 50), percentile(wrong, 50)];
    console.log(
      `    unknown e-mail ${unknownMs.toFixed(2)} ms, wrong password ${wrongMs.toFixed(2)} ms: ` +
        `${((unknownMs / wrongMs - 1) * 100).toFixed(2)} % apart`,
    );
    expect(Math.abs(unknownMs / wrongMs - 1)).to.be.below(MEDIANS_APART);
  });
});
