import { expect } from "chai";
import { DAY_MS, HOUR_MS, NS_PER_MS } from "../../../src/domain/clock.ts";
import type { Sighting } from "../../../src/domain/sale.ts";
import { openForWriting } from "../../../src/ledger/engine/open.ts";
import { SCHEMA_VERSION } from "../../../src/ledger/engine/schema.ts";
import { aSighting } from "../../domain/sighting.ts";
import { LATER_MIGRATIONS } from "../../rig/later-schema.ts";
import { change } from "../../rig/ledger-file.ts";
import { rejection } from "../../rig/rejection.ts";
import { recordsOf } from "../records-of.ts";
import { newRecord, newWiring, TestLedger } from "../test-ledger.ts";

const LINE = "GPIO17";
const OTHER = "GPIO18";
const DAY_MINUTES = 24 * 60;
/** What an untrusted clock tells at its boot. */
const LONG_AGO_MS = Date.UTC(2024, 0, 1);

describe("Paid time", () => {
  let ledger: TestLedger;
  let userId: string;
  let deviceId: string;
  /** The boot that runs, since when it runs, in hours, and whether its clock is set. */
  let boot = { id: "boot", fromH: 0, isSet: true };
  let sequence = 0;
  let zeroMs = 0;

  async function open(paidMinutes: number, timeZone = "UTC", startMs = Date.UTC(2026, 10, 2)): Promise<void> {
    ledger = new TestLedger();
    ledger.tail = true;
    await ledger.open(timeZone);
    zeroMs = startMs;
    sequence = 0;
    const wired = await ledger.wire(LINE, { paidMinutes });
    userId = wired.user.id;
    deviceId = wired.deviceId;
    boot = { id: "boot 0", fromH: 0, isSet: true };
    await start("boot 1", 0);
    await see(0, false);
  }

  afterEach(() => ledger.remove());

  /** A machine starts at this hour. */
  async function start(id: string, atH: number, isSet = true): Promise<void> {
    boot = { id, fromH: atH, isSet };
    sequence = -1;
    tick(atH);
    await ledger.writer.noteBoot(id, isSet ? zeroMs + atH * HOUR_MS : null);
    for (const { bootId, zeroMs: zero } of ledger.reader.unsettledBoots()) {
      await ledger.writer.settleTimes(bootId, zero);
    }
  }

  function tick(atH: number): void {
    ledger.monotonicMs = Math.round((atH - boot.fromH) * HOUR_MS);
    ledger.nowMs = (boot.isSet ? zeroMs + boot.fromH * HOUR_MS : LONG_AGO_MS) + ledger.monotonicMs;
  }

  async function setClock(): Promise<void> {
    const bootMs = zeroMs + boot.fromH * HOUR_MS;
    await ledger.writer.noteBoot(boot.id, bootMs);
    await ledger.writer.settleTimes(boot.id, bootMs);
    boot = { ...boot, isSet: true };
  }

  /** A level at an hour, as the recorder tells it; gives what it meant. */
  async function see(atH: number, active: boolean, overrides: Partial<Sighting> = {}): Promise<string> {
    tick(atH);
    sequence += 1;
    const seen = aSighting(active, sequence, {
      deviceId,
      timeMs: ledger.nowMs,
      monotonicNs: BigInt(ledger.monotonicMs * NS_PER_MS),
      source: { bootId: boot.id, request: 1, sequence },
      provisional: !boot.isSet,
      ...overrides,
    });
    const [taken] = await ledger.writer.takeIn([seen]);
    return taken?.meaning ?? "";
  }

  /** Switched on at an hour, and off ten minutes later. */
  async function on(atH: number, overrides: Partial<Sighting> = {}): Promise<string> {
    const meaning = await see(atH, true, overrides);
    await see(atH + 1 / 6, false, overrides);
    return meaning;
  }

  /** The hours of the sales that count, oldest first. */
  const sold = () =>
    recordsOf(ledger.reader, userId)
      .filter(({ voided }) => voided === null)
      .map(({ createdTimeMs }) => Math.round((createdTimeMs - zeroMs) / (HOUR_MS / 100)) / 100)
      .toReversed();
  const paidOf = (room: string) =>
    ledger.reader.roomsToday(userId, ledger.nowMs).find((one) => one.room === room)?.paid;
  const untilH = (room: string) => {
    const paid = paidOf(room);
    return paid && (paid.untilMs - zeroMs) / HOUR_MS;
  };
  const rooms = (from: string, to: string) =>
    ledger.writer.movePaidTime(userId, { dId: "7234", room: from }, { dId: "7234", room: to });

  it("makes one sale of a second high of the same day, and two of one after it", async () => {
    await open(DAY_MINUTES);
    expect([await see(0, true), await see(1, false), await see(2, true)]).to.deep.equal([
      "sale",
      "end",
      "same_sale",
    ]);
    expect(recordsOf(ledger.reader, userId)[0]).to.deep.include({
      endedTimeMs: null,
      paid: { untilMs: zeroMs + DAY_MS, isDoubtful: false },
    });
    await see(3, false);
    expect(recordsOf(ledger.reader, userId)[0]?.endedTimeMs).to.equal(zeroMs + 3 * HOUR_MS);
    expect(sold()).to.deep.equal([0]);
    await on(26);
    expect(sold()).to.deep.equal([0, 26]);
  });

  it("makes two sales of a high of thirteen hours and one that begins 26 hours after it began", async () => {
    await open(DAY_MINUTES);
    await see(0, true);
    await see(13, false);
    await see(26, true);
    expect(sold()).to.deep.equal([0, 26]);
  });

  it("counts from the sale: a room that is on all day but ten minutes in twenty hours sells each time it is over", async () => {
    await open(DAY_MINUTES);
    await see(0, true);
    for (let off = 20; off < 240; off += 20) {
      await see(off, false);
      await see(off + 1 / 6, true);
    }
    // The first high after each 24 hours: every second one, which comes 40 hours after the sale before.
    expect(sold()).to.deep.equal([0, 40.17, 80.17, 120.17, 160.17, 200.17]);
  });

  it("sells each day to a room that is switched on twenty minutes later every day", async () => {
    await open(DAY_MINUTES);
    for (let at = 0; at < 240; at += 24 + 1 / 3) await on(at);
    expect(sold()).to.have.length(10);
  });

  it("leaves rooms without it as they are, byte for byte", async () => {
    await open(0);
    for (let at = 0; at < 5; at += 1) await on(at);
    expect(sold()).to.have.length(5);
    await ledger.tamper((db) => {
      expect(db.prepare("SELECT count(*) FROM paid_time").pluck().get()).to.equal(0);
    });
  });

  describe("over one power cut inside the paid day", () => {
    beforeEach(() => open(DAY_MINUTES));

    it("goes on where the clock is trusted before and after", async () => {
      await on(0);
      await start("boot 2", 1);
      expect(await on(2)).to.equal("same_sale");
      expect(await on(25)).to.equal("sale");
      expect(sold()).to.deep.equal([0, 25]);
    });

    it("records what comes before the clock is set, and voids what fell into it, with the reason", async () => {
      await on(0);
      await start("boot 2", 1, false);
      expect([await on(2), await on(3)]).to.deep.equal(["sale", "sale"]);
      const doubtful = recordsOf(ledger.reader, userId).filter(({ paid }) => paid?.isDoubtful);
      expect(doubtful.map(({ provisional }) => provisional)).to.deep.equal([true, true]);
      await setClock();
      expect(sold()).to.deep.equal([0]);
      expect(recordsOf(ledger.reader, userId)[0]?.voided?.reason).to.equal(
        "dentro del tiempo pagado con la venta 1 / within the time paid with sale 1",
      );
      expect(await on(5)).to.equal("same_sale");
      expect(ledger.verify().findings).to.deep.equal([]);
    });

    it("sells what came after its end, also within a day of a rise that fell into it", async () => {
      await on(0);
      await start("boot 2", 10, false);
      await on(23);
      await on(26);
      await on(27);
      await setClock();
      expect(sold()).to.deep.equal([0, 26]);
      expect(await on(49)).to.equal("same_sale");
      expect(await on(51)).to.equal("sale");
    });

    it("keeps one sale of a boot whose clock is never set, marked, and no more", async () => {
      await on(0);
      await start("boot 2", 1, false);
      await on(2);
      await on(3);
      await on(20);
      await start("boot 3", 21);
      const counted = recordsOf(ledger.reader, userId).filter(({ voided }) => voided === null);
      expect(
        counted.map(({ number, provisional, paid }) => [number, provisional, paid?.isDoubtful]),
      ).to.deep.equal([
        [2, true, true],
        [1, false, false],
      ]);
    });

    it("lets a later rise within it, by a clock that is set, decide what lies between", async () => {
      await on(0);
      await start("boot 2", 1, false);
      await on(2);
      await start("boot 3", 3);
      expect(await on(4)).to.equal("same_sale");
      expect(sold()).to.deep.equal([0]);
    });

    it("sells once the machine has run for it, without any clock", async () => {
      await on(0);
      await start("boot 2", 1, false);
      expect(await on(25)).to.equal("sale");
      expect(recordsOf(ledger.reader, userId)[0]?.paid?.isDoubtful).to.equal(false);
      expect(await on(48)).to.equal("same_sale");
    });

    it("sells each boot's first where no clock was ever set, and says that this may be too much", async () => {
      await start("boot 2", 1, false);
      await on(2);
      await start("boot 3", 3, false);
      expect([await on(4), await on(5)]).to.deep.equal(["sale", "same_sale"]);
      await setClock();
      expect(await on(6)).to.equal("same_sale");
      const [second, first] = recordsOf(ledger.reader, userId);
      expect([first?.paid?.isDoubtful, second?.paid?.isDoubtful]).to.deep.equal([false, true]);
    });
  });

  it("lasts 24 hours over both changes of summer time, and is the same by both clocks", async () => {
    for (const [startMs, zone] of [
      [Date.UTC(2026, 9, 24, 20), "Europe/Madrid"],
      [Date.UTC(2026, 2, 28, 20), "Europe/Madrid"],
    ] as const) {
      await open(DAY_MINUTES, zone, startMs);
      await on(0);
      await start("boot 2", 12);
      expect(await on(23.9)).to.equal("same_sale");
      expect(await on(24)).to.equal("sale");
      await ledger.remove();
    }
    await open(0);
  });

  it("goes by monotonic time within a boot when the clock is set to another day", async () => {
    await open(DAY_MINUTES);
    await on(0);
    expect(await on(2, { timeMs: zeroMs + 50 * HOUR_MS })).to.equal("same_sale");
    expect(await on(30, { timeMs: zeroMs + 3 * HOUR_MS })).to.equal("sale");
  });

  it("moves with the moment of its sale where the clock of its boot is corrected", async () => {
    await open(DAY_MINUTES);
    await on(0);
    const right = zeroMs - 20 * HOUR_MS;
    await ledger.writer.noteBoot("boot 1", zeroMs, undefined, right);
    await ledger.writer.correctClock("boot 1", right, 0);
    expect(paidOf("101")?.untilMs).to.equal(right + DAY_MS);
    await start("boot 2", 3);
    expect(await on(5)).to.equal("sale");
  });

  it("frees a room at once when its sale is voided, also one that a rise has continued", async () => {
    await open(DAY_MINUTES);
    await on(0);
    await on(2);
    await ledger.writer.voidRecord(ledger.reader.recordOf(userId, 1), "a test");
    expect(paidOf("101")).to.equal(null);
    expect(await on(3)).to.equal("sale");
    expect(sold()).to.deep.equal([3]);
  });

  it("is what the room has at the sale: what was paid stays so, and a planned one holds from its day", async () => {
    await open(DAY_MINUTES);
    await on(0);
    await ledger.writer.setPrices(userId, [LINE], { valorMicros: 4_500_000, paidMinutes: 60 });
    expect(await on(20)).to.equal("same_sale");
    await on(24);
    expect(untilH("101")).to.equal(25);
    await ledger.writer.planPrices(
      userId,
      [LINE],
      { valorMicros: 9e6, paidMinutes: 7 * DAY_MINUTES },
      20_261_105,
    );
    expect(ledger.reader.prices(userId, null, ledger.nowMs)).to.have.length(1);
    await on(71);
    expect(untilH("101")).to.equal(72);
    await on(72.5);
    expect(untilH("101")).to.equal(72.5 + 7 * 24);
    expect(recordsOf(ledger.reader, userId)[0]?.valorMicros).to.equal(9e6);
  });

  it("belongs to the room: it survives a rename, another line, and a technician's settings", async () => {
    await open(DAY_MINUTES);
    await on(0);
    await ledger.writer.changeDevice(userId, "7234", { renamedRooms: [{ from: "101", to: "107" }] });
    expect(await on(1, { actuatorId: "107" })).to.equal("same_sale");
    await ledger.writer.removeWiring(userId, LINE);
    const wiring = newWiring({ line: OTHER, actuatorId: "107", valorMicros: null, paidMinutes: null });
    await ledger.writer.setWiring([{ userId, wiring }]);
    expect(ledger.reader.wirings(userId)[0]?.paidMinutes).to.equal(DAY_MINUTES);
    const onOther = { line: OTHER, actuatorId: "107" };
    await see(2, false, onOther);
    expect(await on(3, onOther)).to.equal("same_sale");
    expect(sold()).to.deep.equal([0]);
    expect(untilH("107")).to.equal(24);
  });

  it("begins with a sale that was posted for a wired room, if no later one has paid for it", async () => {
    await open(DAY_MINUTES);
    const post = (atH: number) =>
      ledger.writer.addRecord(userId, newRecord({ deviceId, createdTimeMs: zeroMs + atH * HOUR_MS }), null);
    tick(10);
    await post(4);
    expect(untilH("101")).to.equal(28);
    expect(await on(11)).to.equal("same_sale");
    await post(2);
    expect(untilH("101"), "an earlier one").to.equal(28);
    expect(await on(29)).to.equal("sale");
  });

  it("begins with a sale that was added by hand for a gap: what the gap swallowed has paid for the room", async () => {
    await open(DAY_MINUTES);
    tick(10);
    const sale = { dId: "7234", room: "101", timeMs: zeroMs + 8 * HOUR_MS, valorMicros: null };
    await ledger.writer.addSale(userId, { ...sale, reason: "the cable was cut", gap: null }, null);
    expect(untilH("101")).to.equal(32);
    expect(await on(12)).to.equal("same_sale");
    expect(await on(32)).to.equal("sale");
  });

  it("does not begin with a refund that is imported, nor with a posted record below zero", async () => {
    await open(DAY_MINUTES);
    await on(0);
    tick(10);
    const record = newRecord({ deviceId, valorMicros: -1e6, createdTimeMs: zeroMs + 5 * HOUR_MS });
    const imported = { ...record, key: "a", endedTimeMs: null, provisional: false, voidReason: null };
    await ledger.writer.importRecords(userId, [
      { ...imported, valorMicros: 1e6, createdTimeMs: zeroMs - 48 * HOUR_MS, refundOf: null, reason: null },
      { ...imported, key: "b", refundOf: { key: "a" }, reason: "left early" },
    ]);
    await ledger.writer.addRecord(userId, record, null);
    expect(untilH("101")).to.equal(24);
    expect(await on(26)).to.equal("sale");
  });

  it("is what the room had at the time of a sale that is posted or added later", async () => {
    await open(DAY_MINUTES);
    tick(9);
    await ledger.writer.setPrices(userId, [LINE], { valorMicros: 4_500_000, paidMinutes: 60 });
    tick(10);
    await ledger.writer.addRecord(userId, newRecord({ deviceId, createdTimeMs: zeroMs + 8 * HOUR_MS }), null);
    expect(untilH("101")).to.equal(32);
  });

  it("is the room's own on the day of a planned price that names none", async () => {
    await open(60);
    const plan = (paidMinutes: number | null, day: number) =>
      ledger.writer.planPrices(userId, [LINE], { valorMicros: day, paidMinutes }, day);
    await plan(null, 20_261_103);
    await ledger.writer.setPrices(userId, [LINE], { valorMicros: 4_500_000, paidMinutes: 120 });
    await plan(180, 20_261_105);
    await plan(null, 20_261_106);
    const planned = ledger.reader.prices(userId, null, ledger.nowMs);
    expect(planned.map(({ paidMinutes }) => paidMinutes)).to.deep.equal([null, 180, null]);
    for (const [atH, hours, valorMicros] of [
      [24, 2, 20_261_103],
      [72, 3, 20_261_105],
      [96, 3, 20_261_106],
    ] as const) {
      await on(atH);
      expect(untilH("101")).to.equal(atH + hours);
      expect(recordsOf(ledger.reader, userId)[0]?.valorMicros).to.equal(valorMicros);
    }
  });

  it("tells what is paid of a room with each change", async () => {
    await open(DAY_MINUTES);
    await on(0);
    await ledger.writer.voidRecord(ledger.reader.recordOf(userId, 1), "a test");
    const told = ledger.changes.filter(({ kind }) => kind === "paid");
    const room = { kind: "paid", userId, deviceId, locationId: "l", actuatorId: "101" };
    expect(told).to.deep.equal([
      { ...room, paid: { fromMs: zeroMs, untilMs: zeroMs + DAY_MS, isDoubtful: false } },
      { ...room, paid: null },
    ]);
  });

  it("outlives a restart, a repair from backup and tail, and a restore", async () => {
    await open(DAY_MINUTES);
    await on(0);
    await ledger.close();
    await ledger.open();
    expect(await on(1)).to.equal("same_sale");
    const backup = await ledger.backUp();
    await ledger.writer.voidRecord(ledger.reader.recordOf(userId, 1), "a test");
    await on(3);
    await ledger.close();
    expect(ledger.recover().lost).to.deep.equal([]);
    await ledger.open();
    expect(await on(4)).to.equal("same_sale");
    expect(sold()).to.deep.equal([3]);
    await ledger.close();
    ledger.restore(backup);
    await ledger.open();
    expect(await on(5)).to.equal("same_sale");
    expect(sold()).to.deep.equal([0]);
  });

  it("outlives an upgrade, also of a sale whose doubt the upgraded ledger decides", async () => {
    await open(DAY_MINUTES);
    await on(0);
    await start("boot 2", 1, false);
    await on(2);
    await ledger.close();
    openForWriting(ledger.file, () => {}, LATER_MIGRATIONS).close();
    // The later schema has one table more: this program reads such a ledger as its own.
    change(ledger.file, `PRAGMA user_version = ${SCHEMA_VERSION}`);
    await ledger.open();
    await ledger.writer.noteBoot(boot.id, null);
    await setClock();
    expect(sold()).to.deep.equal([0]);
    expect(await on(5)).to.equal("same_sale");
    expect(await on(24)).to.equal("sale");
    expect(ledger.verify().findings).to.deep.equal([]);
  });

  describe("moved to another room", () => {
    beforeEach(async () => {
      await open(DAY_MINUTES);
      await ledger.writer.setWiring([{ userId, wiring: newWiring({ line: OTHER, actuatorId: "102" }) }]);
      await see(0, false, { line: OTHER, actuatorId: "102" });
    });
    const inOther = { line: OTHER, actuatorId: "102" };

    it("is free in the first, and the same sale in the other until then, by an entry of the chain", async () => {
      await on(1);
      await rooms("101", "102");
      expect([untilH("101"), untilH("102")]).to.deep.equal([null, 25]);
      expect(await on(2, inOther)).to.equal("same_sale");
      expect(recordsOf(ledger.reader, userId)[0]?.endedTimeMs).to.equal(ledger.nowMs);
      expect(await on(3)).to.equal("sale");
      expect(await on(26, inOther)).to.equal("sale");
      const moves = ledger.reader
        .audit({ userId, before: null, sinceMs: null, limit: 9 })
        .filter(({ kind }) => kind === "paid_time_moved");
      expect(moves.map(({ details }) => details)).to.deep.equal([
        { number: 1, dId: "7234", room: "101", toDId: "7234", toRoom: "102" },
      ]);
      expect(moves[0]?.number).to.be.a("number");
    });

    it("frees the other room when its sale is voided", async () => {
      await on(1);
      await rooms("101", "102");
      await ledger.writer.voidRecord(ledger.reader.recordOf(userId, 1), "a test");
      expect(await on(2, inOther)).to.equal("sale");
    });

    it("is refused from a room of which nothing is paid, to one that is paid itself, and to none", async () => {
      expect((await rejection(rooms("101", "102"))).message).to.contain("Nothing is paid of room 101");
      await on(1);
      await ledger.writer.setPrices(userId, [OTHER], { valorMicros: 1, paidMinutes: 60 });
      await on(1.5, inOther);
      expect((await rejection(rooms("101", "102"))).message).to.equal("Room 102 is paid itself.");
      expect((await rejection(rooms("101", "999"))).code).to.equal("not_found");
      tick(3);
      await rooms("101", "102");
      expect(untilH("102")).to.equal(25);
      expect((await rejection(rooms("101", "102"))).code).to.equal("conflict");
    });
  });
});
