import { closeSync, existsSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import { readHead } from "../../../src/ledger/engine/chain.ts";
import { checkCopies, listBackups } from "../../../src/ledger/safety/backup-directory.ts";
import { readLosses } from "../../../src/ledger/safety/loss.ts";
import { framesOf, segmentsIn } from "../../../src/ledger/safety/tail.ts";
import { query } from "../../rig/ledger-file.ts";
import { forEachTest } from "../../rig/standing.ts";
import { until } from "../../rig/until.ts";
import { LINE, level, sell } from "../eventful-life.ts";
import { newRecord } from "../test-ledger.ts";
import { TailedLedger } from "./tailed-ledger.ts";

/** Of a frame, before the byte that is spoilt. */
const SOME_BYTES = 40;

describe("The tail of a ledger, with a damaged byte,", () => {
  const ledger = forEachTest(() => new TailedLedger().open());
  const wired = forEachTest(() => ledger.wire(LINE));

  /** Flips a bit in the frame of this commit of the tail's last file. */
  function spoil(nth: number): void {
    const segment = segmentsIn(ledger.folder).at(-1) ?? expect.fail();
    const at = Number([...framesOf(segment.content, segment.from)][nth]?.at) + SOME_BYTES;
    segment.content.writeUInt8(segment.content.readUInt8(at) ^ 1, at);
    writeFileSync(segment.file, segment.content);
  }

  it("is read on after it: one sale is lost, and said to be", async () => {
    await ledger.backUpProved();
    await sell(ledger, wired.user.id, 20);
    await ledger.close();
    spoil(5);
    const before = ledger.commitsNow();
    const { lost, unmade, tailDamage, commits } = await ledger.recovered();
    expect({ commits, lost, unmade }).to.deep.equal({
      commits: 19,
      lost: [{ from: 8, to: 8 }],
      unmade: [],
    });
    expect(tailDamage.join()).to.match(/^The tail's file .* is damaged\.$/);
    expect(ledger.held()).to.deep.equal({ records: 19, kinds: ["lost"] });
    expect(readLosses(ledger.file).map(({ reason }) => reason)).to.have.length(1);
    await ledger.open();
    const { recordId } = await ledger.writer.addRecord(wired.user.id, newRecord(), null);
    expect(recordId).to.be.above(before);
    expect(ledger.held()).to.deep.equal({ records: 20, kinds: ["lost"] });
  });

  it("leaves every entry but the lost ones as it was, where damage comes twice and at the end", async () => {
    await ledger.backUpProved();
    await sell(ledger, wired.user.id, 20);
    await ledger.close();
    const rowsOf = () => query(ledger.file, "SELECT record_id, hex(hash), valor_micros FROM record");
    const before = rowsOf();
    for (const nth of [19, 12, 5]) spoil(nth);
    const { lost } = await ledger.recovered();
    const gone = [8, 15, 22];
    expect(lost).to.deep.equal(gone.map((at) => ({ from: at, to: at })));
    expect(rowsOf()).to.deep.equal(before.filter((_, index) => !gone.includes(index + 3)));
    expect(ledger.held()).to.deep.equal({ records: 17, kinds: ["lost", "lost", "lost"] });
  });

  for (const [what, spoilt, records, entries, told] of [
    ["an end, and nothing is lost", [3], 5, 0, []],
    ["a sale and its end, and tells of the one that follows", [3, 2], 3, 1, [5]],
  ] as const) {
    it(`makes the switchings of a line again after ${what}`, async () => {
      const see = (active: boolean, sequence: number) =>
        ledger.writer.takeIn([level(wired.deviceId, active, sequence)]);
      await ledger.writer.noteBoot("boot", null);
      await see(false, 0);
      await ledger.backUpProved();
      for (let sequence = 1; sequence <= 10; sequence += 1) await see(sequence % 2 === 1, sequence);
      await ledger.close();
      for (const nth of spoilt) spoil(nth);
      const { lost, unmade } = await ledger.recovered();
      expect(ledger.held()).to.deep.equal({ records, kinds: Array(entries).fill("lost") });
      expect(lost).to.have.length(entries);
      expect(unmade).to.deep.equal(
        told.map((second) => `room 101 (${LINE}) at 2026-11-21T10:00:0${second}.000Z`),
      );
    });
  }

  it("says so in a restore on another gateway, whose next sale takes no number that was given", async () => {
    const backup = await ledger.backUpProved();
    await sell(ledger, wired.user.id, 20);
    const newest = readHead(new DatabaseConstructor(ledger.file, { readonly: true })).position;
    await ledger.close();
    spoil(19);
    spoil(5);
    const tail = segmentsIn(ledger.folder);
    rmSync(ledger.file);
    const { lost, later, tailDamage } = ledger.restore(backup, { tail, mayBeOther: true });
    expect({ later, lost }).to.deep.equal({
      later: 18,
      lost: [
        { from: 8, to: 8 },
        { from: newest, to: newest },
      ],
    });
    expect(tailDamage).to.have.length(1);
    expect(ledger.held()).to.deep.equal({ records: 18, kinds: ["lost", "lost"] });
    ledger.tail = false;
    await ledger.open();
    const { recordId } = await ledger.writer.addRecord(wired.user.id, newRecord(), null);
    expect(recordId).to.be.above(newest);
  });

  for (const [what, ruin] of [
    ["before the mark of a closed writer", () => [19, 18, 17].forEach(spoil)],
    [
      "up to the end",
      () => {
        const { file, content, from } = segmentsIn(ledger.folder).at(-1) ?? expect.fail();
        writeFileSync(file, content.fill(0xff, [...framesOf(content, from)][17]?.at));
      },
    ],
  ] as const) {
    it(`gives none of the numbers again that the newest commits had, where they are ruined ${what}`, async () => {
      const backup = await ledger.backUpProved();
      await sell(ledger, wired.user.id, 20);
      const newest = readHead(new DatabaseConstructor(ledger.file, { readonly: true })).position;
      await ledger.close();
      ruin();
      const tail = segmentsIn(ledger.folder);
      const { lost, tailDamage } = await ledger.recovered();
      expect(tailDamage).not.to.deep.equal([]);
      expect(lost.at(-1)).to.include({ from: newest - 2 });
      expect(lost.at(-1)?.to).to.be.at.least(newest);
      rmSync(ledger.file);
      const restored = ledger.restore(backup, { tail, mayBeOther: true });
      expect(restored.lost).to.deep.equal(lost);
    });
  }

  it("is found by the check of the copies, as is a backup that has rotted, which is none from then on", async () => {
    const [older, newest] = [await ledger.backUpProved(), await ledger.backUpProved()];
    await sell(ledger, wired.user.id, 5);
    await ledger.close();
    expect(checkCopies(ledger.file, [ledger.backups])).to.deep.equal([]);
    spoil(2);
    const path = join(ledger.folder, newest.file);
    const file = openSync(path, "r+");
    writeSync(file, "rotten", 40_000);
    closeSync(file);
    const [tail, backup, ...others] = checkCopies(ledger.file, [ledger.backups]);
    expect(tail).to.match(/The tail's file .* is damaged/);
    expect(backup).to.contain(`The backup ${path} is not the file that was proved`);
    expect(others).to.deep.equal([]);
    expect(listBackups(ledger.folder)).to.deep.equal([older]);
    expect(existsSync(`${path}.damaged`)).to.equal(true);
  });

  it("is not gone on with: a new file begins, which no backup leads to", async () => {
    await sell(ledger, wired.user.id, 5);
    await ledger.close();
    spoil(2);
    await ledger.open();
    await until("the tail is open", () => ledger.writer.tail !== null);
    expect(ledger.writer.tail).to.deep.equal({ from: ledger.commitsNow(), failure: null });
  });
});
