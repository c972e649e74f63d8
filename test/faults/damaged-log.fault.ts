import { closeSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { SeededRandom } from "../../scripts/powercut/random.ts";
import { MINUTE_MS } from "../../src/domain/clock.ts";
import type { DataDirectory } from "../../src/ledger/engine/data-directory.ts";
import { segmentsIn } from "../../src/ledger/safety/tail.ts";
import { faultsOf, verifyLedger } from "../../src/ledger/safety/verify.ts";
import { newRecord, type TestLedger } from "../ledger/test-ledger.ts";
import { forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { DamageBench, liesOf, readTruth, start } from "./damage.ts";

const TRIALS = process.env["FLANCO_FAULTS"] === "short" ? 8 : 100;
const SEED = 20_261_121;
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const BACKED_UP = 40;
/** Commits after the backup, of one sale each. */
const COMMITS = 80;
const TEST_MS = 1_800_000;

describe("A log that is damaged", function () {
  this.timeout(TEST_MS);
  const bench = forSuite(() => new DamageBench().open(sellOneByOne));
  let dataDirectory: DataDirectory;
  beforeEach(() => {
    dataDirectory = bench.copy();
  });

  /** A commit for each sale, of which the log has those after the backup. */
  async function sellOneByOne(ledger: TestLedger): Promise<void> {
    const user = await ledger.addUser();
    const sell = async (from: number, to: number): Promise<void> => {
      for (let number = from; number <= to; number += 1) {
        const createdTimeMs = NOW_MS - (1_000 - number) * MINUTE_MS;
        await ledger.writer.addRecord(user.id, newRecord({ valorMicros: number, createdTimeMs }), null);
      }
    };
    await sell(1, BACKED_UP);
    await ledger.backUp();
    await sell(BACKED_UP + 1, BACKED_UP + COMMITS);
    const commits = 1 + BACKED_UP + COMMITS;
    await until("the tail is written", () => segmentsIn(ledger.folder).at(-1)?.end === commits);
  }

  const log = () => `${dataDirectory.ledger}-wal`;

  function flip(at: number): void {
    const descriptor = openSync(log(), "r+");
    const byte = Buffer.alloc(1);
    readSync(descriptor, byte, 0, 1, at);
    byte[0] = (byte[0] ?? 0) ^ 0x10;
    writeSync(descriptor, byte, 0, 1, at);
    closeSync(descriptor);
  }

  it(`is found at the start, and every sale is there afterwards: ${TRIALS} flipped bits, seed ${SEED}`, async () => {
    const random = new SeededRandom(SEED);
    for (let number = 0; number < TRIALS; number += 1) {
      dataDirectory = bench.copy();
      const at = Math.floor(random.next() * statSync(log()).size);
      flip(at);
      const told = `trial ${number}, bit at ${at} of the log`;
      expect(await start(dataDirectory), told).to.deep.equal({ users: 1, recovered: true });
      expect(faultsOf(verifyLedger(dataDirectory.ledger, () => {})), told).to.deep.equal([]);
      expect(liesOf(dataDirectory.ledger, bench.truth), told).to.deep.equal([]);
    }
  });

  it("would lose what follows it unnoticed (control: no tail)", async () => {
    for (const name of readdirSync(dataDirectory.backups, { encoding: "utf8", recursive: true })) {
      if (name.includes("tail-")) rmSync(join(dataDirectory.backups, name));
    }
    flip(Math.floor(statSync(log()).size / 2));
    expect(await start(dataDirectory)).to.deep.equal({ users: 1, recovered: false });
    expect(readTruth(dataDirectory.ledger).micros.size).to.be.below(bench.truth.micros.size);
    expect(faultsOf(verifyLedger(dataDirectory.ledger, () => {}))).to.deep.equal([]);
  });
});
