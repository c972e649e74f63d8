import { expect } from "chai";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/domain/clock.ts";
import { fault, faultsIn, SOUND as QUIET, type WholeReading as Reading } from "../../src/domain/fault.ts";
import type { SinkName } from "../../src/domain/sink.ts";
import {
  type BackupStatus,
  type Machine,
  type RemoteBackupStatus,
  UNKNOWN_MACHINE,
  type UpdateFailure,
} from "../../src/domain/status.ts";

const NOW_MS = Date.UTC(2026, 2, 11, 11);
const GIGABYTE = 1024 ** 3;
const FREE = GIGABYTE;
const LITTLE = GIGABYTE / 4;
const FIRST_SEEN_MS = NOW_MS - 7;

const SOUND = {
  ...QUIET,
  startedMs: NOW_MS - HOUR_MS,
  uptimeMs: HOUR_MS,
  bootedForMs: HOUR_MS,
  clock: { nowMs: NOW_MS, trusted: true, trustedSinceMs: NOW_MS, bootId: "b" },
  queues: { writes: { waiting: 0, limit: 4_096 }, edges: { waiting: 0, limit: 10_000, refused: false } },
  disk: { freeBytes: FREE, totalBytes: 8 * GIGABYTE, ledgerBytes: 4_096, logBytes: 0, card: null },
};

const BACKUP: BackupStatus = {
  madeMs: NOW_MS - 3 * DAY_MS,
  provedMs: NOW_MS,
  records: 1,
  position: 1,
  head: "ab",
  clockTrusted: true,
  ageMs: HOUR_MS,
};

function codes(otherwise: Partial<Reading>): string[] {
  return faultsIn({ ...SOUND, ...otherwise }, () => FIRST_SEEN_MS).map(({ code }) => code);
}

function sinkWith(behindMs: number, isFailing: boolean, name: SinkName = "email"): Partial<Reading> {
  const failure = {
    message: "The mail server is away.",
    hint: "Look.",
    sinceMs: NOW_MS - behindMs,
    tries: 3,
  };
  const sink = { name, waiting: 1, behindMs, deliveredMs: null, delivered: 0, failed: 3 } as const;
  return { sinks: [{ ...sink, givenUp: 0, clockOffMs: null, failure: isFailing ? failure : null }] };
}

function diskWith(otherwise: Partial<NonNullable<Reading["disk"]>>): Partial<Reading> {
  return { disk: { ...SOUND.disk, ...otherwise } };
}

function edgeQueue(waiting: number, refused = false): Partial<Reading> {
  return { queues: { ...SOUND.queues, edges: { waiting, limit: 10_000, refused } } };
}

function writeQueue(waiting: number): Partial<Reading> {
  return { queues: { ...SOUND.queues, writes: { waiting, limit: 4_096 } } };
}

function machine(otherwise: Partial<Machine>): Partial<Reading> {
  return { machine: { ...UNKNOWN_MACHINE, ...otherwise } };
}

function unplaced(waiting: number, lost: number): Partial<Reading> {
  return { provisional: { waiting, unplaced: lost } };
}

function memory(availableBytes: number): Partial<Reading> {
  return machine({ memory: { availableBytes, totalBytes: 100_000_000 } });
}

function card(lifeUsedPercent: number | null, spareBlocks: "normal" | "warning" | "urgent" | null) {
  return diskWith({ card: { device: "mmcblk0", lifeUsedPercent, spareBlocks } });
}

describe("The faults of the appliance", () => {
  it("are none while all is well", () => {
    expect(codes({})).to.deep.equal([]);
    expect(codes({ lastBackup: BACKUP })).to.deep.equal([]);
  });

  const untrusted = { ...SOUND.clock, trusted: false, trustedSinceMs: null };
  const unset = (bootedForMs: number): Partial<Reading> => ({ clock: untrusted, bootedForMs });
  const aged = (ageMs: number | null, uptimeMs = HOUR_MS): Partial<Reading> => ({
    lastBackup: { ...BACKUP, ageMs },
    uptimeMs,
  });
  const troubles = (found: Partial<Reading["troubles"]>): Partial<Reading> => ({
    troubles: { ...SOUND.troubles, ...found },
  });
  const small = (freeBytes: number) => diskWith({ totalBytes: 20_000, freeBytes, ledgerBytes: 1 });
  const lost = { gaps: 1, edges: 3, sales: 2, lines: ["L"], toTimeMs: 5 };
  const outage = { gaps: 1, lines: ["L"], fromTimeMs: 1, toTimeMs: 5 };

  const remote = (backup: RemoteBackupStatus | null, behindMs = 0): Partial<Reading> => ({
    sinks: (sinkWith(behindMs, false, "remote").sinks ?? []).map((sink) => ({ ...sink, backup })),
  });
  const there = { madeMs: 0, ageMs: 0, removed: null };
  const removed = (agoMs: number) =>
    remote({ ...there, removed: { count: 3, seenMs: SOUND.clock.nowMs - agoMs } });

  for (const [code, what, before, after] of [
    [
      "remote_backup_old",
      "none outside of the house for two days",
      remote({ ...there, ageMs: 2 * DAY_MS }),
      remote({ ...there, ageMs: 2 * DAY_MS + 1 }),
    ],
    ["remote_backup_old", "never one", remote(null, 2 * DAY_MS), remote(null, 2 * DAY_MS + 1)],
    ["remote_backups_removed", "some that somebody removed", removed(DAY_MS + 1), removed(DAY_MS)],
    ["clock_untrusted", "a clock that is not set", unset(5 * MINUTE_MS - 1), unset(5 * MINUTE_MS)],
    ["backup_missing", "no backup", { uptimeMs: 25 * HOUR_MS - 1 }, { uptimeMs: 25 * HOUR_MS }],
    ["backup_old", "a backup of more than two days", aged(2 * DAY_MS), aged(2 * DAY_MS + 1)],
    ["backup_old", "one of unknown age", aged(null, 2 * DAY_MS), aged(null, 2 * DAY_MS + 1)],
    ["disk_low", "a large disk", diskWith({ freeBytes: LITTLE }), diskWith({ freeBytes: LITTLE - 1 })],
    ["disk_low", "a small disk with a twentieth of it left", small(1_000), small(999)],
    [
      "disk_low",
      "no room for a backup",
      diskWith({ ledgerBytes: FREE }),
      diskWith({ ledgerBytes: FREE + 1 }),
    ],
    ["card_worn", "a card at the end of its life", card(90, "normal"), card(100, null)],
    ["card_worn", "a card whose spare blocks run out", card(null, "normal"), card(10, "warning")],
    ["card_worn", "a card whose spare blocks have run out", card(null, null), card(null, "urgent")],
    ["file_system_errors", "one", machine({ fileSystemErrors: 0 }), machine({ fileSystemErrors: 1 })],
    ["voltage_low", "a low voltage", machine({ isVoltageLow: false }), machine({ isVoltageLow: true })],
    ["disk_slow", "a slow disk", machine({ syncMs: 249 }), machine({ syncMs: 250 })],
    ["too_hot", "a hot gateway", machine({ temperature: 79 }), machine({ temperature: 80 })],
    ["memory_low", "a twentieth of the memory left", memory(5_000_000), memory(4_999_999)],
    ["queue_filling", "a tenth of the room for switchings taken", edgeQueue(999), edgeQueue(1_000)],
    ["edges_refused", "switchings that the ledger refuses", edgeQueue(1), edgeQueue(1, true)],
    ["queue_filling", "three quarters of the room for writes taken", writeQueue(3_071), writeQueue(3_072)],
    ["records_unplaced", "a record whose time is unknown", unplaced(9, 0), unplaced(0, 1)],
    ["line_failed", "a line that is not watched", {}, { lineFailures: [{ line: "L", message: "Held." }] }],
    ["edges_lost", "edges lost in the last day", {}, troubles({ lost: lost })],
    [
      "edges_swallowed",
      "a third edge that hardware swallowed in a day",
      troubles({ swallowed: { gaps: 2, lines: ["GPIO17"], toTimeMs: 1 } }),
      troubles({ swallowed: { gaps: 3, lines: ["GPIO17"], toTimeMs: 1 } }),
    ],
    ["line_outage", "an outage in the last day", {}, troubles({ unwatched: outage })],
  ] as const) {
    it(`include ${code}: ${what}, and not before`, () => {
      expect(codes(before)).to.deep.equal([]);
      expect(codes(after)).to.deep.equal([code]);
    });
  }

  it("do not call lost edges of a bouncing line, which nobody can count, no switchings", () => {
    const [told] = faultsIn({ ...SOUND, ...troubles({ lost: { ...lost, edges: 0, sales: 0 } }) }, () => 1);
    expect(told?.message).to.equal("In the last 24 hours some switchings went by unrecorded (L).");
  });

  it("do not include an outage of simulated lines", () => {
    expect(codes({ simulated: true, ...troubles({ unwatched: outage }) })).to.deep.equal([]);
  });

  it("have a message, a hint, a beginning, and the values of their texts, and come the worst first", () => {
    const faults = faultsIn(
      {
        ...SOUND,
        ...unset(HOUR_MS),
        ...unplaced(1, 2),
        ...aged(3 * DAY_MS),
        ...card(110, "urgent"),
        lineFailures: [{ line: "GPIO17", message: "Held." }],
      },
      () => FIRST_SEEN_MS,
    );
    expect(faults.map(({ code, details }) => [code, details])).to.deep.equal([
      ["line_failed", { line: "GPIO17", reason: "Held." }],
      ["card_worn", { device: "mmcblk0", lifeUsedPercent: 110, spareBlocks: "urgent" }],
      ["clock_untrusted", { waiting: 1 }],
      ["records_unplaced", { records: 2 }],
      ["backup_old", { madeTime: BACKUP.madeMs, days: 3 }],
    ]);
    expect(faults.map(({ sinceMs }) => sinceMs)).to.deep.equal([
      FIRST_SEEN_MS,
      FIRST_SEEN_MS,
      NOW_MS - HOUR_MS,
      FIRST_SEEN_MS,
      BACKUP.madeMs + 2 * DAY_MS,
    ]);
    for (const { message, hint } of faults) {
      expect(`${message} ${hint}`).to.match(/^[A-Z][^\n]{40,}\.$/);
    }
  });

  it("include only that the disk is full, not that it is nearly full or that edges wait", () => {
    const full = fault("disk_full", 1);
    expect(codes({ ...diskWith({ freeBytes: 0 }), lasting: [full] })).to.deep.equal(["disk_full"]);
    expect(codes({ ...edgeQueue(1, true), lasting: [full] })).to.deep.equal(["disk_full"]);
    expect(codes(diskWith({ freeBytes: 0 }))).to.deep.equal(["disk_low"]);
  });

  it("are updates that failed for 14 days, or whose version did not work, while they are to come", () => {
    const reading = (reason: UpdateFailure, ageMs: number, hours = "04:00-06:00") => ({
      updates: {
        ...{ hours, ranMs: NOW_MS, succeededMs: NOW_MS - ageMs },
        failure: { reason, sinceMs: NOW_MS - HOUR_MS, version: "1.2", message: "" },
      },
    });
    expect(codes(reading("source", 14 * DAY_MS - 1))).to.deep.equal([]);
    expect(codes(reading("source", 14 * DAY_MS))).to.deep.equal(["updates_failing"]);
    expect(codes(reading("source", 14 * DAY_MS, ""))).to.deep.equal([]);
    expect(codes(reading("version", 0))).to.deep.equal(["updates_failing"]);
  });

  it("are a sink that fails for ten minutes, and none that waits or has failed just now", () => {
    expect(codes(sinkWith(10 * MINUTE_MS, true))).to.deep.equal(["sink_failing"]);
    expect(codes(sinkWith(9 * MINUTE_MS, true))).to.deep.equal([]);
    expect(codes(sinkWith(DAY_MS, false))).to.deep.equal([]);
    const [{ message, details } = { message: "", details: {} }] = faultsIn(
      { ...SOUND, ...sinkWith(HOUR_MS, true) },
      () => FIRST_SEEN_MS,
    );
    expect(message).to.equal("The sink email gets nothing: The mail server is away. Look.");
    expect(details).to.include({ sink: "email" });
  });

  it("are a zone or currency in which the company's database counts otherwise", () => {
    const central = sinkWith(0, false, "central").sinks?.[0] ?? expect.fail();
    const differences = [{ here: "GBP", there: "EUR" }];
    expect(codes({ sinks: [{ ...central, differences: [] }] })).to.deep.equal([]);
    expect(codes({ sinks: [{ ...central, differences }] })).to.deep.equal(["company_differs"]);
  });

  it("are a trusted clock that is more than a minute away from the company's database's, ahead or behind", () => {
    const off = (clockOffMs: number | null, trusted = true): Partial<Reading> => ({
      sinks: [{ ...(sinkWith(0, false, "central").sinks?.[0] ?? expect.fail()), clockOffMs }],
      clock: { ...SOUND.clock, trusted },
    });
    expect(codes(off(-61_000))).to.deep.equal(["clock_off"]);
    expect(codes(off(61_000))).to.deep.equal(["clock_off"]);
    expect(codes(off(60_000))).to.deep.equal([]);
    expect(codes(off(null))).to.deep.equal([]);
    expect(codes(off(61_000, false))).to.not.include("clock_off");
    const [found] = faultsIn({ ...SOUND, ...off(-90_000) }, () => FIRST_SEEN_MS);
    expect(found?.message).to.equal("The gateway's clock is 90 s behind the clock of the sink central.");
  });
});
