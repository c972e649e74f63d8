import { copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { before, describe, it } from "mocha";
import { runCommand } from "../../scripts/command.ts";
import { bundleWarm } from "../../scripts/guest/installed.ts";
import { CHECKOUT, replacingLockups } from "../../scripts/guest/machine.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { assertDistinct, assertStamped, drivesOf, isStampOf, rowsOf, WALL_MS } from "./edges.ts";
import { type Absence, lineName, PROGRAM, type Reports, ROOMS, valorOf } from "./report.ts";
import { StepReports } from "./told.ts";
import { ToldMachine } from "./told-machine.ts";

const NS_PER_MS = 1e6;
const NS_PER_S = 1e9;
/** Sales of one room, while the process was away, without which a step would show nothing. */
const SALES_WHILE_AWAY = 3;
/** TimeoutStopSec of the unit: beyond it systemd kills. That it ends within 5 s is asserted where time is real (long-work.fault.ts). */
const STOP_MS = 15_000;
/** WatchdogSec of the unit in the guest. */
const WATCHDOG_MS = 20_000;
/** Two descriptors for each of the eight lines. */
const STORED = 16;
/** The kernel keeps so many events of a line for a reader that is late. */
const KERNEL_BUFFER_EVENTS = 1_024;
const MICROS_PER_UNIT = 1e6;
/** Bad system call. */
const SIGSYS = 31;
/** Builds everything from nothing on the first run. */
const PROOF_MS = 3_300_000;

/** What the whole proof may take inside the guest, on a machine that has nothing else to do far less. */
const INSIDE_MS = { full: 2_700_000, short: 900_000 };
const INSIDE = join(import.meta.dirname, "inside");

/** The exit code of a command that says what needs attention. */
const NEEDS_ATTENTION = 3;
const form = process.env["FLANCO_GUEST"] === "short" ? "short" : "full";
let told: StepReports<Reports>;

before(async function () {
  this.timeout(PROOF_MS);
  const files = new TemporaryDirectory();
  try {
    await makePackageTree(files.path);
    told = await replacingLockups(() => prove(files.path));
  } finally {
    files.remove();
  }
});

/** What the package puts on a machine, with the bundle in the place of the sealed program. */
async function makePackageTree(root: string): Promise<void> {
  const [units, commands] = [join(root, "usr/lib/systemd/system"), join(root, "usr/bin")];
  cpSync(join(CHECKOUT, "packaging/root"), root, { recursive: true });
  copyFileSync(join(CHECKOUT, "systemd/flanco.service"), join(units, "flanco.service"));
  await bundleWarm(join(root, PROGRAM));
  mkdirSync(commands);
  const start = `#!/bin/sh\nexec /usr/local/bin/node ${PROGRAM}/flanco.mjs "$@"\n`;
  writeFileSync(join(commands, "flanco"), start, { mode: 0o755 });
  // This process writes for its own user alone, and the service runs as another.
  runCommand(["chmod", "--recursive", "a+rX", root]);
}

async function prove(files: string): Promise<StepReports<Reports>> {
  const reports = new StepReports<Reports>();
  const script = join(INSIDE, "prove.ts");
  const besides = { conformance: join(INSIDE, "conformance.ts") };
  await ToldMachine.use({ suite: "bookworm", script, besides, files, told: reports }, (machine) =>
    machine.run(form, { timeoutMs: INSIDE_MS[form] }),
  );
  return reports;
}

describe("The drivers' conformance suite", () => {
  it("passes on a real kernel's chip, with chardev and sysfs", () => {
    const { exitCode, said } = told.one("conformance");
    assert.equal(exitCode, 0, said);
    assert.include(said, "The chardev driver");
    assert.include(said, "The sysfs driver");
  });
});

describe("The service under systemd", () => {
  it("is ready, says how many lines it watches, and has systemd keep each of them", () => {
    const { status, stored } = told.one("shown");
    assert.equal(status, "Watching 8 of 8 wired lines.");
    assert.equal(stored, STORED);
  });

  for (const [step, what] of [
    ["killed", "it is killed with SIGKILL"],
    ["restarted", "systemctl restarts it"],
    ["stopped", "it is stopped with SIGSTOP until the watchdog restarts it"],
  ] as const) {
    it(`records every sale once when ${what}`, () => {
      for (const absence of told.all(step)) {
        for (const room of ROOMS) {
          const away = drivesOf(absence, room).filter((drive) => isAway(absence, drive.beforeNs));
          assert.isAtLeast(away.length, SALES_WHILE_AWAY, `room ${room} had sales meanwhile`);
          assert.lengthOf(rowsOf(absence, room), drivesOf(absence, room).length, `room ${room}`);
          const micros = valorOf(ROOMS.indexOf(room)) * MICROS_PER_UNIT;
          assert.isTrue(rowsOf(absence, room).every(({ valorMicros }) => valorMicros === micros));
        }
        assert.isTrue(absence.rows.every((row) => row.origin === "edge" && row.endedMs !== null));
        assertDistinct(absence.rows);
        assert.deepEqual(absence.gaps, [], "nothing was without a watch");
        tellFigures(step, absence);
      }
    });

    it(`records the kernel's times when ${what}`, () => {
      for (const absence of told.all(step)) assertStamped(absence);
    });

    it(`goes on counting each line's edges where it was when ${what}`, () => {
      for (const absence of told.all(step)) {
        for (const room of ROOMS) {
          const rows = rowsOf(absence, room);
          assert.equal(new Set(rows.map((row) => row.request)).size, 1);
          for (const [index, row] of rows.entries()) {
            // A rise and a fall from one sale to the next.
            assert.equal(row.sequence, (rows[0]?.sequence ?? Number.NaN) + 2 * index);
          }
        }
      }
    });
  }

  it("ends by itself and in time when it is restarted", () => {
    for (const { journal } of told.all("restarted")) {
      const at = (start: string) => journal.find(({ message }) => message.startsWith(start))?.monotonicNs;
      const began = at("Stopping flanco.service") ?? Number.NaN;
      const ended = at("Stopped flanco.service") ?? Number.NaN;
      assert.isBelow((ended - began) / NS_PER_MS, STOP_MS);
      assert.isDefined(at("flanco.service: Deactivated successfully."));
    }
  });

  it("is restarted by the watchdog alone, and not before its time", () => {
    for (const { journal, awayFromNs, awayToNs } of told.all("stopped")) {
      assert.isTrue(journal.some(({ message }) => message.includes("Watchdog timeout")));
      // The last sign of life may be half the time old when the process is stopped.
      assert.isAtLeast((awayToNs - awayFromNs) / NS_PER_MS, WATCHDOG_MS / 2);
    }
    for (const { journal } of [...told.all("killed"), ...told.all("restarted")]) {
      assert.isFalse(journal.some(({ message }) => message.includes("Watchdog timeout")));
    }
  });

  it("reports its stop to systemd before it has ended", () => {
    const { inactiveNs, journal } = told.one("ended");
    const stoppedNs = journal.find(({ message }) => message.includes('"msg":"stopped"'))?.monotonicNs;
    assert.isBelow(inactiveNs, stoppedNs ?? Number.NaN);
  });

  it("accounts for every edge of a burst beyond the kernel's buffer: recorded, or counted as missed", () => {
    const { driven, interrupts, rows, gaps } = told.one("burst");
    assert.equal(interrupts, driven, "the kernel itself saw every edge");
    assert.deepEqual(gaps, [
      { line: lineName(0), missed: driven - KERNEL_BUFFER_EVENTS, reason: "overflow" },
    ]);
    // The buffer keeps the last events: whole pulses, each a record that has ended.
    assert.lengthOf(rows, KERNEL_BUFFER_EVENTS / 2);
    assert.isTrue(rows.every((row) => row.origin === "edge" && row.endedMs !== null));
    assertDistinct(rows);
  });

  it("gives a line back to the kernel when it is unwired", () => {
    const { storedBefore, storedAfter } = told.one("unwired");
    assert.equal(storedBefore, STORED);
    assert.equal(storedAfter, STORED - 2);
  });

  it("loses sales without the descriptor store, in this very proof", () => {
    const absence = told.one("control");
    const lost = ROOMS.map((room) => drivesOf(absence, room).length - rowsOf(absence, room).length);
    assert.isTrue(
      lost.every((sales) => sales >= SALES_WHILE_AWAY - 1),
      `lost sales by room: ${lost}`,
    );
  });

  it("keeps, without the descriptor store, each line's outage, and every lost sale lies in it", () => {
    const absence = told.one("control");
    assert.lengthOf(absence.outages, ROOMS.length);
    tellFigures("control", absence);
    for (const [offset, room] of ROOMS.entries()) {
      const outage = absence.outages.find(({ line }) => line === lineName(offset));
      if (outage === undefined) throw new Error(`no outage of ${lineName(offset)}`);
      const lost = drivesOf(absence, room).filter(
        (drive) =>
          !rowsOf(absence, room).some(({ monotonicNs }) => isStampOf(monotonicNs ?? Number.NaN, drive)),
      );
      assert.isNotEmpty(lost, `room ${room}`);
      for (const { beforeMs, afterMs } of lost) {
        assert.isAtLeast(afterMs + WALL_MS, outage.fromMs, `room ${room}`);
        assert.isAtMost(beforeMs - WALL_MS, outage.toMs, `room ${room}`);
      }
    }
  });

  if (form === "full") {
    it("backs up, checks, and renews its certificate without a call that the unit's filter forbids", () => {
      const { seccomp, seen, coreBytes, openFiles } = told.one("confined");
      assert.equal(seccomp, 2);
      assert.lengthOf(seen, 4);
      assert.equal(coreBytes, "0");
      assert.equal(openFiles, "4096");
    });

    it("runs its commands, a restore among them, and what asks avahi under the same filter", () => {
      for (const { command, result, status, said } of told.one("confined").commands) {
        // No network sets this guest's clock, which after five minutes is a fault that status tells.
        const isFine = command.includes("status") ? [0, NEEDS_ATTENTION] : [0];
        assert.include(isFine, status, `${command} (${result}): ${said}`);
        assert.notEqual(result, "signal", command);
      }
      assert.lengthOf(told.one("confined").commands, 9);
    });

    it("kills a command that makes a forbidden call, in this very proof", () => {
      const { result, status } = told.one("confined").control;
      assert.notEqual(result, "success");
      assert.equal(status, SIGSYS);
    });
  }

  it("leaves a ledger that agrees with itself", () => {
    const { exitCode, said } = told.one("verified");
    assert.equal(exitCode, 0, said);
  });
});

/** For the documents: how much a claim rests on. */
function tellFigures(step: string, absence: Absence): void {
  const { drives, rows, awayFromNs, awayToNs } = absence;
  const rises = drives.filter(({ high }) => high);
  const away = rises.filter(({ beforeNs }) => isAway(absence, beforeNs)).length;
  const seconds = Math.round((awayToNs - awayFromNs) / NS_PER_S);
  console.log(`    ${step}: ${rises.length} sales, ${away} in ${seconds} s away; ${rows.length} recorded`);
}

function isAway({ awayFromNs, awayToNs }: Absence, timeNs: number): boolean {
  return timeNs > awayFromNs && timeNs < awayToNs;
}
