import { expect } from "chai";
import { SERVICE_ACTOR } from "../../src/domain/audit.ts";
import { DAY_MS, HOUR_MS } from "../../src/domain/clock.ts";
import type { Sighting } from "../../src/domain/sale.ts";
import { aSighting } from "../domain/sighting.ts";
import { newDevice, newRecord, type TestLedger } from "./test-ledger.ts";

/** What is wired at first. */
export const LINE = "GPIO17";

/** Posts sales, each with a key of its own. */
export async function sell(ledger: TestLedger, userId: string, count: number): Promise<void> {
  for (let sold = 0; sold < count; sold += 1) {
    await ledger.writer.addRecord(userId, newRecord(), {
      key: `key ${ledger.reader.newestEntry()}`,
      bodyHash: "d",
    });
  }
}

/** A level of `LINE`, of a boot without a trusted time. */
export function level(deviceId: string, active: boolean, sequence: number): Sighting {
  const timeMs = Date.UTC(2026, 10, 21, 10) + sequence * 1_000;
  return aSighting(active, sequence, { line: LINE, deviceId, timeMs, provisional: true });
}

/** A bit of everything that a ledger takes in. */
export async function live(ledger: TestLedger, userId: string, deviceId: string): Promise<void> {
  const at = (active: boolean, sequence: number) => level(deviceId, active, sequence);
  await ledger.writer.noteBoot("boot", null);
  await ledger.writer.takeIn([at(false, 0), at(true, 1), at(false, 2), at(true, 3)]);
  await sell(ledger, userId, 3);
  await ledger.writer.beginCommission(userId, { lines: null, freeLines: [] }, [LINE], HOUR_MS);
  ledger.monotonicMs = 60_000;
  await ledger.writer.takeIn([at(false, 58), at(true, 59)]);
  await ledger.writer.endCommission(userId, null);
  await ledger.writer.planPrices(userId, [LINE], { valorMicros: 6e6, paidMinutes: null }, 20_300_101);
  await ledger.writer.voidRecord(4, "relay tested");
  await enter(ledger, userId);
  await ledger.writer.noteBoot("boot", Date.UTC(2026, 10, 21, 10));
  await ledger.writer.settleTimes("boot", Date.UTC(2026, 10, 21, 10));
  await ledger.writer.changeDevice(userId, "7234", { rooms: ["103", "101"] });
  const location = { name: "Clínica Norte", description: "" };
  await ledger.writer.addLocation(userId, location);
  await ledger.writer.voidRecord(4, "again").catch(() => {});
  await Promise.all([sell(ledger, userId, 2), ledger.writer.voidRecord(99, "not there").catch(() => {})]);
  await ledger.writer.setPassword(userId, "another");
  const member = { name: "Eva", email: "eva@example.org", role: "staff", passwordHash: null } as const;
  const { id } = await ledger.writer.addMember(userId, member);
  await ledger.writer.addLink(userId, id, "used");
  await ledger.writer.useLink("used", "chosen");
  await ledger.writer.addLink(userId, id, "open");
  await ledger.writer.changeMember(userId, id, { role: "technician", name: "Eva Ruiz" });
  await ledger.writer.endSessionsOf(userId, id);
  const relay = {
    name: "Relé",
    email: "rele@programa.invalid",
    role: "program",
    passwordHash: "key",
  } as const;
  const program = await ledger.writer.addMember(userId, relay);
  await ledger.writer.setKey(userId, program.id, "another key");
  await ledger.writer.noteUse(program.id);
  await ledger.writer.endSessionsOf(userId, program.id);
  const gone = await ledger.writer.addMember(userId, { ...member, email: "luis@example.org" });
  await ledger.writer.removeMember(userId, gone.id);
  await rearrange(ledger, userId);
  await commission(ledger, userId);
  await age(ledger, userId);
}

/** Refunds without a trusted time, one of them void with its sale, and sales by hand, one of them of a gap. */
async function enter({ writer, reader }: TestLedger, userId: string): Promise<void> {
  const [one, other] = [1, 3].map((number) => reader.recordOf(userId, number));
  const refund = { valorMicros: 1e6, reason: "left early" };
  await writer.refundRecord(userId, one ?? 0, refund, { key: "refund", bodyHash: "e" });
  await writer.refundRecord(userId, one ?? 0, refund, { key: "refund", bodyHash: "e" });
  await writer.refundRecord(userId, other ?? 0, refund, null);
  await writer.voidRecord(other ?? 0, "moved");
  const [gap] = reader.gaps(userId, { before: null, limit: 1 });
  const sale = { dId: "7234", room: "101", timeMs: 1e12, reason: "power cut" };
  await writer.addSale(userId, { ...sale, valorMicros: null, gap: gap?.number ?? null }, null);
  await writer.addSale(userId, { ...sale, valorMicros: 3e6, gap: null }, null);
}

/** What an account changes of its place, its prices and its own. */
async function rearrange(ledger: TestLedger, userId: string): Promise<void> {
  const { writer, reader } = ledger;
  const letterhead = { company: "Clínicas Ruiz", taxNumber: "B1", address: "Calle Mayor 1", logo: "logo" };
  await writer.setLetterhead(userId, letterhead);
  const [location] = ledger.reader.locations(userId);
  const terms = { from: "2026-01", kind: "share", share: 25, amount: 0, vat: 21 } as const;
  const signers = { companySigner: "", clinicSigner: "", closesItself: true };
  await writer.setTerms(userId, location?.id ?? "", { ...terms, ...signers });
  await writer.closeMonth(userId, { month: 2026_01, previous: null, text: "{}" });
  await writer.planPrices(userId, [LINE], { valorMicros: 7e6, paidMinutes: null }, 20_300_201);
  await writer.cancelPrices(userId, 20_300_201, 7e6);
  const east = await writer.addLocation(userId, { name: "Clínica Este", description: "" });
  await writer.changeLocation(userId, east, { name: "Clínica Oeste" });
  const eva = reader.members(userId).find(({ role }) => role === "technician")?.id ?? "";
  await writer.changeMember(userId, eva, { locationIds: [east] });
  await writer.changeLocation(userId, east, { name: "Clínica Este" });
  await writer.removeLocation(
    userId,
    await writer.addLocation(userId, { name: "Clínica Sur", description: "" }),
  );
  await writer.addDevice(userId, newDevice({ dId: "9", locationId: east }, ["1"]));
  const room = { dId: "9", actuatorId: "1", valorMicros: 1, activeLow: true, bias: "as-is" } as const;
  await writer.setWiring([
    { userId, wiring: { line: "GPIO18", ...room, debounceMs: 50, rearmMs: 0, paidMinutes: 1_440 } },
    {
      userId,
      wiring: {
        line: "GPIO19",
        ...room,
        dId: "7234",
        actuatorId: "103",
        debounceMs: 1,
        rearmMs: 0,
        paidMinutes: 0,
      },
    },
  ]);
  const sold = { deviceId: there(ledger, userId), room: "1", createdTimeMs: Date.UTC(2026, 10, 21, 10) };
  await writer.addRecord(userId, newRecord(sold), null);
  await writer.movePaidTime(userId, { dId: "9", room: "1" }, { dId: "7234", room: "101" });
  await writer.setPrices(userId, ["GPIO18"], { valorMicros: 2, paidMinutes: null });
  await writer.changeDevice(userId, "7234", {
    renamedRooms: [{ from: "103", to: "104" }],
    withoutLine: ["104"],
  });
  await writer.removeWiring(userId, "GPIO18");
  await writer.removeDevice(userId, "9");
  await importOld(ledger, userId);
  const other = await ledger.addUser("otra");
  await writer.removeUser(other.userId, true);
}

function there({ reader }: TestLedger, userId: string): string {
  return reader.devices(userId).find(({ dId }) => dId === "9")?.id ?? "";
}

/** What comes from another system. */
async function importOld({ writer }: TestLedger, userId: string): Promise<void> {
  const [here, there] = ["Clínica Vieja", "65f000000000000000000001"];
  await writer.importPlaces(userId, {
    source: "old",
    locations: [{ name: here, description: "" }],
    devices: [{ id: there, dId: "70", name: "Pasillo Z", locationName: here, rooms: ["901"] }],
  });
  const sale = newRecord({ locationName: here, deviceName: "Pasillo Z", deviceId: there, room: "901" });
  const old = {
    ...sale,
    createdTimeMs: 1,
    provisional: false,
    voidReason: null,
    endedTimeMs: null,
    refundOf: null,
    reason: null,
  };
  const records = [
    { ...old, key: "old/1", endedTimeMs: 2 },
    { ...old, key: "old/2", voidReason: "a test" },
    { ...old, key: "old/3", valorMicros: -1, refundOf: { key: "old/1" }, reason: "left early" },
  ];
  expect(await writer.importRecords(userId, records)).to.deep.equal({ added: 3, differing: [] });
}

/** A commissioning that ends with its report, and one that is open: its room was renamed, and its line exchanged. */
async function commission({ writer, reader }: TestLedger, userId: string): Promise<void> {
  const scope = { lines: null, freeLines: ["GPIO20"] };
  const signatures = { technician: "Luis", clinic: "Ana" };
  const counts = { rooms: 2, good: 1, attention: 0, untested: 1 };
  const [{ id: deviceId } = { id: "" }] = reader.devices(userId);
  const judgement = { verdict: "silent", cause: "no_signal", mend: null, measured: null } as const;
  const tick = { ...judgement, deviceId, wired: null, note: "", timeMs: 1, provisional: true };
  await writer.beginCommission(userId, scope, [LINE], HOUR_MS);
  await writer.endCommission(userId, { ...signatures, counts, locations: [], text: "{}" });
  await writer.beginCommission(userId, scope, [LINE], HOUR_MS);
  await writer.joinCommission(userId, [LINE]);
  await writer.pauseCommission(userId);
  await writer.beginCommission(userId, scope, [LINE], HOUR_MS);
  await writer.tickRoom(userId, { ...tick, room: "104" });
  await writer.changeDevice(userId, "7234", { renamedRooms: [{ from: "104", to: "105" }] });
  const wirings = reader.wirings(userId);
  const [wiring] = wirings;
  if (wiring !== undefined) await writer.rewire(userId, [wiring.line], [{ ...wiring, line: "GPIO20" }]);
  await writer.rewire(userId, ["GPIO20"], wiring === undefined ? [] : [wiring]);
  const ticks = reader.commissionRooms(deviceId).flatMap(({ tick }) => tick?.room ?? []);
  expect(ticks).to.deep.equal(["105"]);
}

/** What the service itself writes, and what ends with time. */
async function age(ledger: TestLedger, userId: string): Promise<void> {
  const { writer } = ledger;
  const session = { memberId: userId, createdTimeMs: 0, expiresTimeMs: HOUR_MS, inPlaceOf: null };
  const { sid } = await writer.addSession(session, "another");
  await writer.removeSession(sid);
  await writer.endSessions(SERVICE_ACTOR);
  await writer.noteAudit([{ kind: "secret_rotated", userId: null, details: {}, actor: SERVICE_ACTOR }]);
  await writer.linkEvidence([
    {
      auditId: 900,
      kind: "ledger_restored",
      timeMs: 1,
      boot: null,
      bootId: null,
      zeroMs: null,
      lastMs: null,
      begunMs: null,
      userId: null,
      way: "service",
      who: null,
      from: "",
      repeats: 0,
      details: "{}",
    },
  ]);
  await writer.noteUnwatched(LINE, { bootId: "boot", monotonicMs: 61_000 });
  await writer.keepUnwatched();
  const setMs = Date.UTC(2026, 10, 21, 11);
  await writer.noteBoot("boot", Date.UTC(2026, 10, 21, 10), undefined, setMs);
  await writer.correctClock("boot", setMs, 0);
  ledger.monotonicMs = 8 * DAY_MS;
  await writer.noteBoot("boot", setMs);
  expect(await writer.purge()).to.be.above(0);
}
