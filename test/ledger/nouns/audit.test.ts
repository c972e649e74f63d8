import { rmSync } from "node:fs";
import { expect } from "chai";
import {
  type Actor,
  type AuditEntry,
  type AuditKind,
  commandActor,
  networkActor,
} from "../../../src/domain/audit.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../src/domain/clock.ts";
import { FlancoError } from "../../../src/domain/error.ts";
import { KEPT_OF_EACH_KIND, LASTING_A_DAY, PASSWORDS_A_DAY } from "../../../src/ledger/nouns/audit.ts";
import { change } from "../../rig/ledger-file.ts";
import { rejection } from "../../rig/rejection.ts";
import { forEachTest } from "../../rig/standing.ts";
import { newRecord, newWiring, TestLedger } from "../test-ledger.ts";

const BOOT_ID = "6ee1ae60-0b6c-4a0e-9d5a-0f6a8f1f2c11";
const ADMINISTRATOR = commandActor("root (ana)");
const EVERYTHING = { before: null, sinceMs: null, limit: 10_000 };

/** As `TestLedger.wire` wires it. */
const WIRED = newWiring();

function failed(userId: string | null) {
  return {
    kind: "sign_in_failed",
    userId,
    details: { attempts: 1 },
    actor: networkActor("192.0.2.7", null),
  } as const;
}

describe("the audit log", () => {
  const ledger = forEachTest(() => new TestLedger().open());

  /** Oldest first. */
  const entries = (): readonly AuditEntry[] => ledger.reader.audit(EVERYTHING).toReversed();
  const kinds = () => entries().map(({ kind }) => kind);

  it("says who did what, when and from where", async () => {
    const user = await ledger.addUser();
    const { way, from } = ADMINISTRATOR;
    ledger.nowMs += 1_000;
    const times = { createdTimeMs: ledger.nowMs, expiresTimeMs: ledger.nowMs + 1_000 };
    const session = { memberId: user.id, ...times, inPlaceOf: null };
    const { sid } = await ledger.writer.addSession(session, "hash", networkActor("192.0.2.7", null));
    await ledger.writer.removeSession(sid, networkActor("192.0.2.8", null));
    await ledger.writer.setPassword(user.id, "another", ADMINISTRATOR);
    await ledger.writer.removeUser(user.id, false, ADMINISTRATOR);
    expect(entries().map(({ auditId: _auditId, ...entry }) => entry)).to.deep.equal(
      [
        {
          number: 1,
          kind: "member_added",
          timeMs: ledger.nowMs - 1_000,
          who: null,
          way: "service",
          from: "",
          details: { email: user.email, role: "owner" },
        },
        { kind: "sign_in", who: user.email, way: "network", from: "192.0.2.7", details: {} },
        { kind: "sign_out", who: user.email, way: "network", from: "192.0.2.8", details: {} },
        { number: 2, kind: "password_changed", who: null, way, from, details: { email: user.email } },
        {
          number: 3,
          kind: "member_removed",
          who: null,
          way,
          from,
          details: { email: user.email, role: "owner" },
        },
      ].map((entry) => ({
        number: null,
        timeMs: ledger.nowMs,
        ...entry,
        provisional: false,
        userId: user.id,
      })),
    );
  });

  it("keeps and checks an entry whose kind only another version writes", async () => {
    const kind = String("ledger_moved") as AuditKind;
    await ledger.writer.noteAudit([{ kind, userId: null, details: {}, actor: ADMINISTRATOR }]);
    await ledger.addUser();
    expect(kinds()).to.deep.equal([kind, "member_added"]);
    expect(ledger.verify()).to.deep.include({ entries: 2, findings: [] });
  });

  it("knows the addresses that users have signed in from, the latest last, also at the next start", async () => {
    const user = await ledger.addUser();
    const times = { createdTimeMs: ledger.nowMs, expiresTimeMs: ledger.nowMs + 1_000 };
    const session = { memberId: user.id, ...times, inPlaceOf: null };
    for (const address of ["192.0.2.7", "192.0.2.8", "192.0.2.9", "192.0.2.7"]) {
      await ledger.writer.addSession(session, "hash", networkActor(address, null));
    }
    await ledger.writer.noteAudit([failed(user.id)]);
    expect(ledger.reader.signedInFrom(2)).to.deep.equal(["192.0.2.9", "192.0.2.7"]);
  });

  it("tells a price before and after it is changed, and of a wiring that is set as it was nothing", async () => {
    const { user } = await ledger.wire();
    const by: Actor = { ...networkActor("192.0.2.7", user.id) };
    await ledger.writer.setWiring([{ userId: user.id, wiring: WIRED }], by);
    await ledger.writer.setWiring([{ userId: user.id, wiring: { ...WIRED, valorMicros: 9_000_000 } }], by);
    const set = entries().filter(({ kind }) => kind === "wiring_set");
    expect(set.map(({ details }) => [details["valor"], details["valorBefore"]])).to.deep.equal([
      [4.5, undefined],
      [9, 4.5],
    ]);
    expect(set.at(-1)).to.deep.include({ who: user.email, from: "192.0.2.7", userId: user.id });
  });

  it("tells of lines that go with their device, and with their user", async () => {
    const { user } = await ledger.wire();
    await ledger.writer.removeDevice(user.id, "7234", ADMINISTRATOR);
    expect(entries().at(-1)).to.deep.include({
      kind: "wiring_removed",
      details: { line: "GPIO17", dId: "7234", room: "101" },
      from: "root (ana)",
    });
    const other = new TestLedger();
    try {
      await other.open();
      const wired = await other.wire();
      await other.writer.removeUser(wired.user.id, true, ADMINISTRATOR);
      const told = other.reader.audit({ ...EVERYTHING, limit: 2 }).map(({ kind }) => kind);
      expect(told).to.deep.equal(["member_removed", "wiring_removed"]);
    } finally {
      await other.remove();
    }
  });

  it("says nothing of what was not done, and nothing of records", async () => {
    const user = await ledger.addUser();
    const { recordId } = await ledger.writer.addRecord(user.id, newRecord(), null);
    const refused = [
      ledger.writer.addUser({ name: "Ana", email: user.email, passwordHash: "hash" }),
      ledger.writer.removeWiring(user.id, "GPIO99"),
      ledger.writer.removeDevice(user.id, "nothing"),
      ledger.writer.voidRecord(recordId + 1, "no such record"),
      ledger.writer.addSession(
        { memberId: user.id, createdTimeMs: 0, expiresTimeMs: 1, inPlaceOf: null },
        "not the hash",
      ),
    ];
    for (const { status } of await Promise.allSettled(refused)) expect(status).to.equal("rejected");
    expect(kinds()).to.deep.equal(["member_added"]);
    await ledger.writer.voidRecord(recordId, "relay tested", ADMINISTRATOR);
    expect(entries().at(-1)).to.deep.include({
      kind: "record_voided",
      userId: user.id,
      details: { number: 1, valor: 1, reason: "relay tested" },
    });
  });

  it("keeps the newest entries of each kind and account, however many there are of another", async () => {
    const [ana, luis] = [await ledger.addUser("ana"), await ledger.addUser("luis")];
    await ledger.writer.noteAudit([failed(ana.id)]);
    const notes = Array.from({ length: 500 }, () => failed(luis.id));
    for (let written = 0; written < KEPT_OF_EACH_KIND + 1_000; written += notes.length) {
      await ledger.writer.noteAudit(notes);
    }
    const kept = entries().map(({ kind, userId }) => `${kind} ${userId}`);
    expect(kept.slice(0, 3)).to.deep.equal([
      `member_added ${ana.id}`,
      `member_added ${luis.id}`,
      `sign_in_failed ${ana.id}`,
    ]);
    expect(kept.length).to.be.within(KEPT_OF_EACH_KIND, KEPT_OF_EACH_KIND + 103);
  });

  it("keeps the evidence of a change of price, however many harmless changes the same account makes after it", async () => {
    const { user } = await ledger.wire();
    const by = networkActor("192.0.2.7", user.id);
    const wiring = { ...WIRED, valorMicros: 9_000_000 };
    await ledger.writer.noteBoot(BOOT_ID, null);
    await ledger.writer.setWiring([{ userId: user.id, wiring }], by);
    const changes = Array.from({ length: KEPT_OF_EACH_KIND + 200 }, (_, turn) => {
      const harmless = { ...wiring, debounceMs: 51 + turn };
      return ledger.writer.setWiring([{ userId: user.id, wiring: harmless }], by).then(
        () => "done",
        (error: unknown) => (error instanceof FlancoError ? error.code : "failed"),
      );
    });
    const outcomes = await Promise.all(changes);
    const prices = entries().filter(({ details }) => details["valorBefore"] === 4.5);
    expect(prices.map(({ details }) => details["valor"])).to.deep.equal([9]);
    const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
    expect([count("done"), count("too_many")]).to.deep.equal([
      LASTING_A_DAY - 1,
      KEPT_OF_EACH_KIND + 201 - LASTING_A_DAY,
    ]);
    ledger.monotonicMs += DAY_MS;
    await ledger.writer.setWiring([{ userId: user.id, wiring: { ...wiring, debounceMs: 1 } }], by);
    expect(ledger.verify().findings).to.deep.equal([]);
  });

  it("leaves changes of a day to owners where others have made many", async () => {
    const { user } = await ledger.wire("GPIO17");
    await ledger.writer.noteBoot(BOOT_ID, null);
    const marta = {
      role: "technician",
      name: "Marta",
      email: "marta@example.org",
      passwordHash: null,
    } as const;
    const technician = await ledger.writer.addMember(user.id, marta);
    const rewire = (memberId: string, debounceMs: number) =>
      ledger.writer.setWiring(
        [{ userId: user.id, wiring: newWiring({ debounceMs }) }],
        networkActor("192.0.2.7", memberId),
      );
    for (let debounceMs = 100; debounceMs < 900; debounceMs += 1) await rewire(technician.id, debounceMs);
    expect((await rejection(rewire(technician.id, 900))).code).to.equal("too_many");
    await rewire(user.id, 900);
  });

  it("lets no member use up the account's changes of a day by changing the own password", async () => {
    const owner = await ledger.addUser();
    await ledger.writer.noteBoot(BOOT_ID, null);
    const screen = {
      role: "display",
      name: "Pasillo",
      email: "pasillo@example.org",
      passwordHash: "a",
    } as const;
    const display = await ledger.writer.addMember(owner.id, screen);
    const changeOwn = (memberId: string, by = networkActor("192.0.2.7", memberId)) =>
      ledger.writer.setPassword(memberId, "another", by);
    for (let turn = 0; turn < PASSWORDS_A_DAY; turn += 1) await changeOwn(display.id);
    expect(await rejection(changeOwn(display.id))).to.deep.include({
      code: "too_many",
      retryAfterSeconds: DAY_MS / SECOND_MS,
    });
    await changeOwn(owner.id);
    await changeOwn(display.id, ADMINISTRATOR);
    ledger.monotonicMs += DAY_MS;
    await changeOwn(display.id);
  });

  it("has no entry of sessions that were ended where there were none, and none that stays for ever", async () => {
    const { id } = await ledger.addUser();
    const times = { createdTimeMs: ledger.nowMs, expiresTimeMs: ledger.nowMs + 1_000 };
    const head = ledger.reader.chainHead();
    await ledger.writer.addSession({ memberId: id, ...times, inPlaceOf: null }, "hash");
    for (const ended of [1, 0]) expect(await ledger.writer.endSessionsOf(id, id)).to.equal(ended);
    expect(kinds().filter((kind) => kind === "sessions_ended")).to.have.length(1);
    expect(ledger.reader.chainHead()).to.equal(head);
  });

  it("counts an entry that is repeated within an hour with the first", async () => {
    const member = await ledger.addUser();
    await ledger.writer.noteBoot(BOOT_ID, null);
    for (const minutes of [0, 10, 40, 70]) {
      ledger.monotonicMs = minutes * MINUTE_MS;
      await ledger.writer.noteAudit([failed(member.id)]);
    }
    await ledger.writer.noteAudit([{ ...failed(member.id), details: { attempts: 2 } }]);
    const told = entries().filter(({ kind }) => kind === "sign_in_failed");
    expect(told.map(({ details }) => details)).to.deep.equal([
      { attempts: 1, times: 3 },
      { attempts: 1 },
      { attempts: 2 },
    ]);
  });

  it("shows a user its own account and the appliance, and never whether another account exists", async () => {
    const [ana, luis] = [await ledger.addUser("ana"), await ledger.addUser("luis")];
    await ledger.writer.noteAudit([
      failed(ana.id),
      failed(luis.id),
      failed(null),
      { kind: "secret_rotated", userId: null, details: {}, actor: ADMINISTRATOR },
    ]);
    const seen = ledger.reader.audit({ ...EVERYTHING, userId: ana.id });
    expect(seen.map(({ kind, userId }) => [kind, userId])).to.deep.equal([
      ["secret_rotated", null],
      ["sign_in_failed", ana.id],
      ["member_added", ana.id],
    ]);
    const pages = [null, seen[0]?.auditId ?? 0, seen[1]?.auditId ?? 0].map((before) =>
      ledger.reader.audit({ userId: ana.id, before, sinceMs: null, limit: 1 }),
    );
    expect(pages.flat()).to.deep.equal(seen);
  });

  it("finds the time of what was done before the clock was set, once it is", async () => {
    const trueMs = ledger.nowMs;
    ledger.nowMs = 5_000;
    ledger.monotonicMs = 5_000;
    await ledger.writer.noteBoot(BOOT_ID, null);
    await ledger.addUser();
    expect(entries().at(-1)).to.deep.include({ timeMs: 5_000, provisional: true });
    await ledger.writer.noteBoot(BOOT_ID, trueMs - 5_000);
    expect(entries().at(-1)).to.deep.include({ timeMs: trueMs, provisional: false });
  });

  it("goes on in a backup that is restored, and says who restored it", async () => {
    const user = await ledger.addUser();
    const backup = await ledger.backUp();
    await ledger.writer.noteBoot(BOOT_ID, ledger.nowMs);
    await ledger.writer.setPassword(user.id, "another", ADMINISTRATOR);
    const before = entries();
    await ledger.close();
    ledger.restore(backup, { by: ADMINISTRATOR });
    await ledger.open();
    expect(entries().slice(0, -1)).to.deep.equal(before);
    expect(entries().at(-1)).to.deep.include({
      kind: "ledger_restored",
      from: "root (ana)",
      userId: null,
      details: { backup: backup.file, records: 0 },
    });
    const { entries: linked, findings } = ledger.verify();
    expect([linked, findings], "of the chain again").to.deep.equal([3, []]);
  });

  it("of a ledger that cannot be read does not keep a backup from being restored", async () => {
    const backup = await ledger.backUp();
    await ledger.close();
    rmSync(ledger.file);
    change(ledger.file, "CREATE TABLE song (title TEXT)");
    ledger.restore(backup, { by: ADMINISTRATOR });
    await ledger.open();
    expect(kinds()).to.deep.equal(["ledger_restored"]);
  });

  it("goes on in a ledger that is built anew, and says so", async () => {
    await ledger.close();
    ledger.tail = true;
    await ledger.open();
    const user = await ledger.addUser();
    await ledger.backUp();
    await ledger.writer.noteBoot(BOOT_ID, ledger.nowMs);
    await ledger.writer.setPassword(user.id, "another", ADMINISTRATOR);
    const before = entries();
    await ledger.close();
    ledger.recover();
    await ledger.open();
    expect(entries().slice(0, -1)).to.deep.equal(before);
    expect(entries().at(-1)).to.deep.include({ kind: "ledger_rebuilt", way: "service" });
  });
});
