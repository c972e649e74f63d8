import { hash } from "node:crypto";
import { expect } from "chai";
import { SERVICE_ACTOR } from "../../../src/domain/audit.ts";
import { type ChainEntry, NO_HASH } from "../../../src/domain/chain-entry.ts";
import { forEachTest } from "../../rig/standing.ts";
import { live } from "../eventful-life.ts";
import { newRecord, TestLedger } from "../test-ledger.ts";

describe("the entries of the chain", () => {
  const ledger = forEachTest(async () => {
    const one = await new TestLedger().open();
    const { user, deviceId } = await one.wire();
    await live(one, user.id, deviceId);
    return one;
  });

  const all = (after = 0): readonly ChainEntry[] =>
    ledger.reader.entriesAfter(after, ledger.reader.newestEntry(), 10_000);

  it("come in their order, of every kind, and each proves its place", () => {
    const entries = all();
    expect(entries.map(({ position }) => position)).to.deep.equal(
      Array.from({ length: ledger.reader.newestEntry() }, (_, index) => index + 1),
    );
    expect(new Set(entries.map(({ kind }) => kind))).to.have.keys("record", "correction", "evidence");
    entries.forEach((entry, index) => {
      expect(entry.previousHash).to.equal(entries[index - 1]?.hash ?? NO_HASH);
      expect(hash("sha256", entry.previousHash + entry.text)).to.equal(entry.hash);
    });
    expect(entries.at(-1)?.hash).to.equal(ledger.reader.chainHead());
  });

  it("are read in pieces that fit together", () => {
    const pieces: ChainEntry[] = [];
    for (let piece = all().slice(0, 3); piece.length > 0; ) {
      pieces.push(...piece);
      const [last] = piece.slice(-1);
      piece = [...ledger.reader.entriesAfter(last?.position ?? 0, ledger.reader.newestEntry(), 3)];
    }
    expect(pieces).to.deep.equal(all());
  });

  it("are read a megabyte at a time, or one where it is longer: a reader holds them in memory", async () => {
    const before = ledger.reader.newestEntry();
    for (const kib of [600, 600, 1, 3_000, 1]) {
      const details = { text: "x".repeat(kib * 1_024) };
      const kind = "findings_acknowledged";
      await ledger.writer.noteAudit([{ kind, userId: null, details, actor: SERVICE_ACTOR }]);
      await ledger.writer.addRecord(ledger.reader.members()[0]?.userId ?? "", newRecord(), null);
    }
    const newest = ledger.reader.newestEntry();
    const pieces: number[][] = [];
    for (let after = before; after < newest; ) {
      const piece = ledger.reader.entriesAfter(after, newest, 100).map(({ position }) => position);
      pieces.push(piece.map((position) => position - before));
      after = piece.at(-1) ?? newest;
    }
    expect(pieces).to.deep.equal([
      [1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10],
    ]);
  });

  it("say that the hash before is unknown where the entry before is lost", async () => {
    await ledger.tamper((db) => void db.exec("DELETE FROM record WHERE record_id = 3"));
    const [second, fourth] = ledger.reader.entriesAfter(1, 4, 100);
    expect([second?.position, fourth?.position]).to.deep.equal([2, 4]);
    expect(fourth?.previousHash).to.equal(null);
    expect(ledger.reader.entriesAfter(3, 4, 1)[0]?.previousHash).to.equal(null);
  });

  it("tell of a sale what was recorded, and nothing that was learned later", async () => {
    const [user] = ledger.reader.members();
    const { recordId } = await ledger.writer.addRecord(user?.userId ?? "", newRecord(), null);
    const before = ledger.reader.entriesAfter(recordId - 1, recordId, 1);
    await ledger.writer.voidRecord(recordId, "relay tested");
    expect(ledger.reader.entriesAfter(recordId - 1, recordId, 1)).to.deep.equal(before);
    const [entry] = before;
    expect(entry?.kind === "record" && entry.record).to.include({ room: "101", valorMicros: 1_000_000 });
  });
});
