import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { expect } from "chai";
import { lastSign, SignOfLife } from "../../../src/ledger/safety/sign-of-life.ts";
import { forEachTest } from "../../rig/standing.ts";
import { LINE, sell } from "../eventful-life.ts";
import { TestLedger } from "../test-ledger.ts";
import { STUMP_BYTES } from "./tailed-ledger.ts";

const SLOT_BYTES = 4_096;

describe("The sign of life", () => {
  const ledger = forEachTest(() => new TestLedger());
  let folder: string;
  let file: string;
  let signs: SignOfLife;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "flanco-sign-"));
    file = join(folder, "alive");
    signs = new SignOfLife(file);
  });

  afterEach(async () => {
    await signs.close();
    rmSync(folder, { recursive: true });
  });

  async function write(...moments: readonly number[]): Promise<void> {
    for (const monotonicMs of moments) await signs.write({ bootId: "boot", monotonicMs, commits: 7 });
  }

  /** The last sign of a ledger that has stored this one, and this many commits. */
  function lastOf(bootId = "boot", storedMs = 1_000, commits = 7) {
    const stored = { bootId, monotonicMs: storedMs };
    return lastSign(file, { lastAlive: () => stored, commits: () => commits })?.monotonicMs;
  }

  it("is the last one that was written, in a file that does not grow", async () => {
    expect(lastOf()).to.equal(undefined);
    for (const moment of [2_000, 3_000, 4_000, 5_000]) {
      await write(moment);
      expect(lastOf()).to.equal(moment);
    }
    expect(statSync(file)).to.include({ size: 2 * SLOT_BYTES });
    expect(statSync(file).mode & 0o077).to.equal(0);
  });

  it("is the one before where a power cut has torn the last", async () => {
    await write(2_000, 3_000);
    const content = readFileSync(file);
    for (const torn of [
      content.subarray(0, SLOT_BYTES + 10),
      Buffer.from(content).fill(0, SLOT_BYTES + 40),
    ]) {
      writeFileSync(file, torn);
      expect(lastOf()).to.equal(2_000);
    }
    writeFileSync(file, "what another program has left");
    expect(lastOf()).to.equal(undefined);
  });

  it("counts only for the boot that the ledger has as its newest, and only if it is later", async () => {
    await write(2_000);
    expect(lastOf("another boot")).to.equal(undefined);
    expect(lastOf("boot", 2_000)).to.equal(undefined);
    expect(lastOf("boot", 1_999)).to.equal(2_000);
  });

  it("does not count for a ledger that has lost commits since", async () => {
    await write(2_000);
    expect(lastOf("boot", 1_000, 6)).to.equal(undefined);
    expect(lastOf("boot", 1_000, 8)).to.equal(2_000);
  });

  it("does not count for a ledger that was rebuilt since, whose commits are numbered far ahead", async () => {
    await ledger.open();
    await ledger.writer.noteBoot("boot", null, 1_000);
    const backup = await ledger.backUp();
    const { user } = await ledger.wire(LINE);
    await sell(ledger, user.id, 1);
    await signs.write({ bootId: "boot", monotonicMs: 2_000, commits: ledger.reader.commits() });
    expect(lastSign(file, ledger.reader)).to.deep.equal({ bootId: "boot", monotonicMs: 2_000 });
    await ledger.close();
    truncateSync(ledger.file, STUMP_BYTES);
    expect(ledger.recover().backup).to.deep.equal(backup);
    await ledger.open();
    expect(lastSign(file, ledger.reader)).to.equal(undefined);
  });

  it("is none where another version has written it in another form", () => {
    const text = JSON.stringify({ bootId: "boot", aliveMs: 2_000, commits: 7 });
    writeFileSync(file, `${crc32(text).toString(16)}\n${text}\n`);
    expect(lastOf()).to.equal(undefined);
  });

  it("of the process before stays until the next one writes, and goes on beside it", async () => {
    await write(2_000, 3_000, 4_000);
    await signs.close();
    signs = new SignOfLife(file);
    expect(lastOf()).to.equal(4_000);
    await write(5_000);
    expect(lastOf()).to.equal(5_000);
    await write(6_000);
    expect(lastOf()).to.equal(6_000);
  });
});
