import { expect } from "chai";
import { faultsOf, verifyLedger } from "../../src/ledger/safety/verify.ts";
import { seedDemo } from "../../src/service/demonstration.ts";
import { TestLedger } from "../ledger/test-ledger.ts";
import { forSuite } from "../rig/standing.ts";

const BOOT = "11111111-2222-4333-8444-555555555555";
const ROOMS = 20;
const { signal } = new AbortController();

/** A ledger with one user, at the end of a January. */
async function aLedger(): Promise<TestLedger> {
  const ledger = new TestLedger();
  ledger.nowMs = Date.UTC(2026, 0, 31, 18);
  await ledger.open("Europe/Madrid");
  await ledger.addUser();
  return ledger;
}

function seed(ledger: TestLedger): Promise<void> {
  const { reader, writer } = ledger;
  const clock = { nowMs: () => ledger.nowMs, monotonicNs: () => 0n };
  return seedDemo({ reader, writer, clock, signal });
}

describe("The demonstration", () => {
  const ledger = forSuite(aLedger);

  before(async () => {
    await ledger.writer.noteBoot(BOOT, ledger.nowMs);
    await seed(ledger);
  });

  const userId = () => ledger.reader.members()[0]?.userId ?? "";
  const overview = () =>
    ledger.reader.overview(
      userId(),
      { period: "year", at: null, filter: { location: null, deviceId: null, within: null } },
      ledger.nowMs,
    );

  it("fills every figure of the panel, each beside a whole period before it", () => {
    for (const { name, count, before, isComparable } of overview().spans) {
      expect(count, name).to.be.greaterThan(0);
      expect(before.count, name).to.be.greaterThan(0);
      expect(isComparable, name).to.equal(true);
    }
    expect(overview().locations.map(({ name }) => name)).to.have.members([
      "Clínica Norte",
      "Clínica Sur",
      "Residencia El Pinar",
    ]);
  });

  it("has twenty rooms, a member of each role, and voided records", () => {
    expect(ledger.reader.wirings(userId())).to.have.length(ROOMS);
    expect(new Set(ledger.reader.members().map(({ role }) => role)).size).to.equal(4);
    const voids = ledger.changes.filter(({ kind }) => kind === "void");
    expect(voids.length).to.be.greaterThan(5);
  });

  it("is a ledger that verifies", () => {
    const verification = verifyLedger(ledger.file, () => {});
    expect(faultsOf(verification)).to.deep.equal([]);
    expect(verification.records).to.be.greaterThan(5_000);
  });

  it("changes nothing for a user that has devices", async () => {
    const records = ledger.reader.newestEntry();
    await seed(ledger);
    expect(ledger.reader.newestEntry()).to.equal(records);
  });
});
