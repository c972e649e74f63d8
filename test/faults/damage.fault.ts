import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { SeededRandom } from "../../scripts/powercut/random.ts";
import { FlancoError } from "../../src/domain/error.ts";
import { markSuspect } from "../../src/ledger/safety/prepare.ts";
import { faultsOf, type Verification, verifyLedger } from "../../src/ledger/safety/verify.ts";
import { KeptLog } from "../http/fakes.ts";
import { forSuite } from "../rig/standing.ts";
import { DAMAGES, DamageBench, damage, liesOf, readTruth, start } from "./damage.ts";

const TRIALS = process.env["FLANCO_FAULTS"] === "short" ? 10 : 200;
const LOG_TRIALS = TRIALS / 2;
const TEST_MS = 1_800_000;
const SEED = 20_261_121;

type Outcome =
  | "sound"
  | "recovered at start"
  | "found by the full check, recovered at the next start"
  | "named by verify";

describe("A damaged file", function () {
  this.timeout(TEST_MS);
  let bench: DamageBench;

  afterEach(() => bench.close());

  /** Gives null when the file cannot even be read. */
  function verify(file: string): Verification | null {
    try {
      return verifyLedger(file, () => {});
    } catch (error) {
      if (error instanceof FlancoError && error.code === "damaged") return null;
      throw error;
    }
  }

  it(`is found, set aside and rebuilt, or named by verify: ${TRIALS} files, seed ${SEED}`, async () => {
    bench = await DamageBench.halfBackedUp();
    const random = new SeededRandom(SEED);
    const outcomes = new Map<Outcome, number>();
    const count = (outcome: Outcome) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    for (let trial = 0; trial < TRIALS; trial += 1) {
      const dataDirectory = bench.copy();
      const what = damage(dataDirectory.ledger, DAMAGES[trial % DAMAGES.length] ?? "bit", random);
      const told = `trial ${trial}, ${what}`;
      let begun = await start(dataDirectory);
      expect(begun.users, `${told}: never a silent empty start`).to.equal(1);
      let verification = verify(dataDirectory.ledger);
      let outcome: Outcome = begun.recovered ? "recovered at start" : "sound";
      if (!begun.recovered && (verification === null || verification.damage.length > 0)) {
        // What the service does when its full check finds this: it ends, and looks at all of it when it starts.
        markSuspect(dataDirectory.ledger, new KeptLog());
        begun = await start(dataDirectory);
        expect(begun, told).to.deep.equal({ users: 1, recovered: true });
        verification = verify(dataDirectory.ledger);
        outcome = "found by the full check, recovered at the next start";
      }
      const faults = verification === null ? ["it cannot be read"] : faultsOf(verification);
      if (begun.recovered) {
        expect(faults, told).to.deep.equal([]);
        expect(
          readdirSync(dataDirectory.path).filter((name) => /\.damaged-\w+$/.test(name)),
          told,
        ).to.have.length(1);
      }
      if (faults.length > 0) outcome = "named by verify";
      else expect(liesOf(dataDirectory.ledger, bench.truth), told).to.deep.equal([]);
      count(outcome);
    }
    console.log(`      ${[...outcomes].map(([outcome, files]) => `${files} ${outcome}`).join("; ")}`);
    expect(outcomes.get("recovered at start") ?? 0).to.be.above(TRIALS / 8);
  });

  it("does not start without a backup, and stays as it is", async () => {
    bench = await DamageBench.halfBackedUp(false);
    const dataDirectory = bench.copy();
    damage(dataDirectory.ledger, "cut", new SeededRandom(SEED));
    const names = () => readdirSync(dataDirectory.path).filter((name) => !/-(wal|shm)$/.test(name));
    const before = names();
    let refusal: unknown;
    await start(dataDirectory).catch((error: unknown) => {
      refusal = error;
    });
    expect(refusal).to.be.instanceOf(FlancoError).with.property("code", "damaged");
    expect(String((refusal as FlancoError).hint)).to.include("flanco restore");
    expect(names()).to.deep.equal(before);
  });
});

describe("A damaged log", function () {
  this.timeout(TEST_MS);
  const bench = forSuite(() => DamageBench.withLog());

  it(`is found at the start, and every sale is there afterwards: ${LOG_TRIALS} flipped bits, seed ${SEED}`, async () => {
    const random = new SeededRandom(SEED);
    for (let trial = 0; trial < LOG_TRIALS; trial += 1) {
      const dataDirectory = bench.copy();
      const told = `trial ${trial}, ${damage(`${dataDirectory.ledger}-wal`, "bit", random)}`;
      expect(await start(dataDirectory), told).to.deep.equal({ users: 1, recovered: true });
      expect(faultsOf(verifyLedger(dataDirectory.ledger, () => {})), told).to.deep.equal([]);
      expect(liesOf(dataDirectory.ledger, bench.truth), told).to.deep.equal([]);
    }
  });

  it("would lose what follows the damage unnoticed (control: no tail)", async () => {
    const dataDirectory = bench.copy();
    for (const name of readdirSync(dataDirectory.backups, { encoding: "utf8", recursive: true })) {
      if (name.includes("tail-")) rmSync(join(dataDirectory.backups, name));
    }
    damage(`${dataDirectory.ledger}-wal`, "bit", { next: () => 0.5 });
    expect(await start(dataDirectory)).to.deep.equal({ users: 1, recovered: false });
    expect(readTruth(dataDirectory.ledger).micros.size).to.be.below(bench.truth.micros.size);
    expect(faultsOf(verifyLedger(dataDirectory.ledger, () => {}))).to.deep.equal([]);
  });
});
