import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { SeededRandom } from "../../scripts/powercut/random.ts";
import { MINUTE_MS } from "../../src/domain/clock.ts";
import { makeBackup } from "../../src/store/backup/backup.ts";
import { dataDirectoryOf } from "../../src/store/data-directory.ts";
import { faultsOf, verifyLedger } from "../../src/store/repair/verify.ts";
import { newRecord, TestLedger } from "../store/ledger.ts";
import { liesOf, readTruth, start, type Truth } from "./damage.ts";

const TRIALS = process.env["FLANCO_FAULTS"] === "short" ? 8 : 100;
const SEED = 20_261_121;
const NOW_MS = Date.UTC(2026, 10, 21, 12);
const BACKED_UP = 40;
/** Commits after the backup, of one sale each. */
const COMMITS = 80;
const TEST_MS = 1_800_000;

describe("A log that is damaged before its end", function () {
  this.timeout(TEST_MS);
  const base = mkdtempSync(join(tmpdir(), "flanco-log-"));
  const trial = `${base}-trial`;
  let truth: Truth;
  /** Bytes of the log up to the last commit but one: damage after it is no other than a power cut's. */
  let provableBytes = 0;

  before(async () => {
    const ledger = await new TestLedger().open();
    const user = await ledger.addUser();
    const sell = async (from: number, to: number): Promise<void> => {
      for (let number = from; number <= to; number += 1) {
        if (number === BACKED_UP + COMMITS - 1) provableBytes = statSync(`${ledger.file}-wal`).size;
        const createdTimeMs = NOW_MS - (1_000 - number) * MINUTE_MS;
        await ledger.writer.addRecord(user.id, newRecord({ valorMicros: number, createdTimeMs }), null);
      }
    };
    await sell(1, BACKED_UP);
    const directory = join(base, "backups");
    await makeBackup({ ledger: ledger.file, directory, nowMs: NOW_MS, clockTrusted: true, rotate: true });
    await sell(BACKED_UP + 1, BACKED_UP + COMMITS);
    for (const suffix of ["", "-wal"]) cpSync(ledger.file + suffix, join(base, `flanco.db${suffix}`));
    truth = readTruth(ledger.file);
    await ledger.remove();
  });

  after(() => {
    for (const directory of [base, trial]) rmSync(directory, { recursive: true, force: true });
  });

  beforeEach(copy);

  function copy(): void {
    rmSync(trial, { recursive: true, force: true });
    cpSync(base, trial, { recursive: true });
  }

  const dataDirectory = () => dataDirectoryOf(trial);
  const log = () => `${dataDirectory().ledger}-wal`;

  function flip(at: number): void {
    const descriptor = openSync(log(), "r+");
    const byte = Buffer.alloc(1);
    readSync(descriptor, byte, 0, 1, at);
    byte[0] = (byte[0] ?? 0) ^ 0x10;
    writeSync(descriptor, byte, 0, 1, at);
    closeSync(descriptor);
  }

  it(`is found at the start, and every sale after the damage is taken over: ${TRIALS} flipped bits, seed ${SEED}`, async () => {
    const random = new SeededRandom(SEED);
    let kept = 0;
    for (let number = 0; number < TRIALS; number += 1) {
      copy();
      const at = Math.floor(random.next() * provableBytes);
      flip(at);
      const told = `trial ${number}, bit at ${at} of the log`;
      expect(await start(dataDirectory()), told).to.deep.equal({ users: 1, recovered: true });
      expect(faultsOf(verifyLedger(dataDirectory().ledger, () => {})), told).to.deep.equal([]);
      expect(liesOf(dataDirectory().ledger, truth), told).to.deep.equal([]);
      kept += readTruth(dataDirectory().ledger).micros.size;
    }
    const all = TRIALS * truth.micros.size;
    console.log(`      ${kept} of ${all} records kept, ${all - kept} named as lost`);
    // A bit that counts is in one page, and nearly every page was written again by a later commit.
    expect(all - kept).to.be.below(TRIALS * 2);
  });

  it("is read as SQLite reads it when it is whole", async () => {
    expect(await start(dataDirectory())).to.deep.equal({ users: 1, recovered: false });
    expect(readTruth(dataDirectory().ledger).micros).to.deep.equal(truth.micros);
  });

  it("is no damage where a power cut broke off the last commit", async () => {
    const { size } = statSync(log());
    truncateSync(log(), size - 5_000);
    expect(await start(dataDirectory())).to.deep.equal({ users: 1, recovered: false });
    expect(readTruth(dataDirectory().ledger).micros.size).to.equal(truth.micros.size - 1);
  });

  it("would lose what follows it without a word (control: SQLite alone)", () => {
    flip(Math.floor(provableBytes / 2));
    expect(readTruth(dataDirectory().ledger).micros.size).to.be.below(truth.micros.size);
    expect(faultsOf(verifyLedger(dataDirectory().ledger, () => {}))).to.deep.equal([]);
  });
});
