import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { lastSign, SignOfLife } from "../../../src/ledger/safety/sign-of-life.ts";

const SLOT_BYTES = 4_096;

describe("The sign of life", () => {
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
