import { assert } from "chai";
import { describe, it } from "mocha";
import { INSTALLED_SCRIPTS } from "../../scripts/guest/installed.ts";
import { buildGuest, replacingLockups, runInGuest } from "../../scripts/guest/machine.ts";
import { assertDistinct, assertStamped, drivesOf, KERNEL_STAMP_MS, rowsOf } from "./edges.ts";
import { type LedgerRow, lineName, type Reports, ROOMS, valorOf } from "./report.ts";
import { Told } from "./told.ts";

/** The kernel keeps so many events of a line for a reader that is late. */
const KERNEL_BUFFER_EVENTS = 1_024;
/** A driver that stamps when it gets to read, on an emulated processor. */
const READER_STAMP_MS = 500;
const MICROS_PER_UNIT = 1e6;
/** Builds everything from nothing on the first run. */
const PROOF_MS = 1_500_000;
/** What the whole proof may take inside the guest, on a machine that has nothing else to do far less. */
const INSIDE_MS = { full: 900_000, short: 600_000 };
const SCRIPTS = {
  all: "test/guest/inside/all.ts",
  conformance: "test/guest/inside/conformance.ts",
  prove: "test/guest/inside/prove.ts",
};

const form = process.env["FLANCO_GUEST"] === "short" ? "short" : "full";
let told: Told<Reports>;

before(async function () {
  this.timeout(PROOF_MS);
  const guest = await buildGuest({ scripts: SCRIPTS });
  await replacingLockups(() => {
    told = new Told();
    return runInGuest(guest, {
      command: ["node", `${INSTALLED_SCRIPTS}/all.mjs`, form],
      timeoutMs: INSIDE_MS[form],
      onLine: (line) => told.take(line),
      onStderr: (chunk) => process.stderr.write(chunk),
    });
  });
});

describe("The drivers' conformance suite", () => {
  it("passes on a real kernel's chip, with chardev and sysfs", () => {
    const { exitCode, said } = told.one("conformance");
    assert.equal(exitCode, 0, said);
    assert.include(said, "The chardev driver");
    assert.include(said, "The sysfs driver");
  });
});

for (const driver of form === "short" ? (["chardev"] as const) : (["chardev", "sysfs"] as const)) {
  const stampMs = driver === "chardev" ? KERNEL_STAMP_MS : READER_STAMP_MS;

  describe(`The program on a real kernel's lines, through ${driver}`, () => {
    it("makes one record of each rising edge, none twice, each with its own source", () => {
      const paced = told.one("paced", driver);
      assert.equal(paced.interrupts, paced.drives.length, "the kernel itself saw every edge");
      for (const [offset, room] of ROOMS.entries()) {
        const risen = drivesOf(paced, room);
        const recorded = rowsOf(paced, room);
        assert.isAtLeast(risen.length, 1);
        assert.lengthOf(recorded, risen.length, `room ${room}`);
        for (const row of recorded) {
          assert.equal(row.origin, "edge");
          assert.equal(row.valorMicros, valorOf(offset) * MICROS_PER_UNIT);
        }
      }
      assertDistinct(paced.rows);
    });

    it(`gives each record the times of its edges, within ${stampMs} ms`, () => {
      assertStamped(told.one("paced", driver), stampMs);
    });

    it("shows every relay low again, and the year's sales and revenue", () => {
      const { drives, actuators, summary } = told.one("paced", driver);
      assert.deepEqual(
        actuators,
        ROOMS.map((id) => ({ id, value: false })),
      );
      assert.equal(summary.totalSales, drives.filter((drive) => drive.high).length);
      const revenue = ROOMS.map((room, offset) => drivesOf({ drives }, room).length * valorOf(offset));
      assert.equal(
        summary.totalRevenue,
        revenue.reduce((sum, valor) => sum + valor, 0),
      );
    });

    if (driver === "chardev") {
      it("accounts for every edge of a burst beyond the kernel's buffer: recorded, or counted as missed", () => {
        const { driven, interrupts, rows, gaps, apiGaps } = told.one("burst", driver);
        assert.equal(interrupts, driven, "the kernel itself saw every edge");
        assert.deepEqual(gaps, [
          { line: lineName(7), missed: driven - KERNEL_BUFFER_EVENTS, reason: "overflow" },
        ]);
        assert.deepEqual(apiGaps, gaps);
        // The buffer keeps the last events: whole pulses, each a record that has ended.
        assert.lengthOf(rows, KERNEL_BUFFER_EVENTS / 2);
        assert.isTrue(rows.every((row) => row.origin === "edge" && row.endedMs !== null));
        assertDistinct(rows);
      });
    }

    it("counts nothing twice when it is killed between high and low, and finds a high of its absence", () => {
      const { awayFromMs, awayToMs, restarted, last } = told.one("killed", driver);
      const [staysHigh, goesLow, goesHigh, marker, ...untouched] = ROOMS.map((room) => restarted[room] ?? []);
      assert.deepEqual(originsOf(staysHigh), ["edge"]);
      assert.isNull(staysHigh?.[0]?.endedMs);
      assert.deepEqual(originsOf(goesLow), ["edge"]);
      assert.isNotNull(goesLow?.[0]?.endedMs);
      assert.deepEqual(originsOf(goesHigh), ["found_at_start"]);
      assert.isNull(goesHigh?.[0]?.endedMs);
      assert.isAtLeast(goesHigh?.[0]?.createdMs ?? Number.NaN, awayFromMs);
      assert.isAtMost(goesHigh?.[0]?.createdMs ?? Number.NaN, awayToMs);
      assert.deepEqual(originsOf(marker), ["edge"]);
      assert.deepEqual(untouched, [[], [], [], []]);
      for (const room of ROOMS) {
        assert.lengthOf(last[room] ?? [], restarted[room]?.length ?? 0, `room ${room} at the end`);
        assert.isTrue(last[room]?.every((row) => row.endedMs !== null));
      }
    });

    it("ends with 0 at SIGTERM, and the edges just before it are one record each", () => {
      const { exitCode, committed, restarted } = told.one("ended", driver);
      assert.equal(exitCode, 0);
      for (const room of ROOMS) {
        assert.lengthOf(restarted[room] ?? [], 1, `room ${room} after the next start`);
        // chardev reads the kernel's buffer to its end before it closes a line; sysfs has none, and the next start finds the level.
        if (driver === "chardev") assert.deepEqual(originsOf(committed[room]), ["edge"]);
      }
    });

    it("leaves a ledger whose rollups agree with its records", () => {
      const { exitCode, said } = told.one("verified", driver);
      assert.equal(exitCode, 0, said);
    });
  });
}

function originsOf(rows: readonly LedgerRow[] | undefined): readonly string[] | undefined {
  return rows?.map((row) => row.origin);
}
