import { truncateSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { SERVICE_ACTOR } from "../../../src/domain/audit.ts";
import { FlancoError } from "../../../src/domain/error.ts";
import type { Id } from "../../../src/domain/id.ts";
import { hashOf } from "../../../src/ledger/engine/chain.ts";
import { chainReader } from "../../../src/ledger/nouns/chain-entries.ts";
import { segmentsIn } from "../../../src/ledger/safety/tail.ts";
import { forEachTest } from "../../rig/standing.ts";
import { recordsOf } from "../records-of.ts";
import { TailedLedger } from "../safety/tailed-ledger.ts";
import { newRecord } from "../test-ledger.ts";

/** Less than a header: nothing can be read of such a file. */
const STUMP_BYTES = 90;
/** Of the frame that says that the writer has ended by itself. */
const MARK_BYTES = 16;

describe("The numbers of an account", () => {
  const ledger = forEachTest(() => new TailedLedger().open());
  let own: Id;
  let other: Id;

  beforeEach(async () => {
    own = (await ledger.addUser()).id;
    other = (await ledger.addUser("eva")).id;
  });

  const sell = (userId: Id, times = 1) =>
    Promise.all(Array.from({ length: times }, () => ledger.writer.addRecord(userId, newRecord(), null)));
  /** Of its records, in the order of the ledger. */
  const numbers = (userId: Id) =>
    recordsOf(ledger.reader, userId)
      .map(({ number }) => number)
      .toReversed();
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  const auditNumbers = (userId: Id) =>
    ledger.reader
      .audit({ userId, before: null, sinceMs: null, limit: 500 })
      .filter((entry) => entry.userId === userId && entry.number !== null)
      .map(({ number }) => number)
      .toReversed();
  const findings = () => ledger.verify().findings.map(({ kind, what }) => `${kind}: ${what}`);

  it("are 1, 2, 3 and so on for records and lasting audit entries, whatever others do, over restarts", async () => {
    for (let round = 0; round < 4; round += 1) {
      await Promise.all([sell(own, 3), sell(other, 150), sell(own, 1)]);
      const [first] = recordsOf(ledger.reader, own);
      await ledger.writer.voidRecord(first?.recordId ?? 0, "relay tested");
      await ledger.writer.noteAudit([
        { kind: "sign_in_failed", userId: own, details: { attempts: round }, actor: SERVICE_ACTOR },
      ]);
      await ledger.close();
      await ledger.open();
    }
    expect(numbers(own)).to.deep.equal(upTo(16));
    expect(numbers(other)).to.deep.equal(upTo(600));
    // The first is that of the account itself.
    expect(auditNumbers(own)).to.deep.equal(upTo(5));
    expect(findings()).to.deep.equal([]);
  });

  it("have no hole where a command of the batch has failed", async () => {
    const commands = [
      ledger.writer.addRecord(own, newRecord(), null),
      ledger.writer.voidRecord(999, "there is none"),
      ledger.writer.addRecord(own, newRecord(), null),
    ];
    const outcomes = await Promise.allSettled(commands);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(["fulfilled", "rejected", "fulfilled"]);
    expect(numbers(own)).to.deep.equal([1, 2]);
  });

  it("lead to their records, among however many of others", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 400 })), { maxLength: 6 }),
        async (sales) => {
          for (const [isOwn, times] of sales) await sell(isOwn ? own : other, isOwn ? times % 5 : times);
          for (const userId of [own, other]) {
            const records = recordsOf(ledger.reader, userId);
            for (const { number, recordId } of records)
              expect(ledger.reader.recordOf(userId, number)).to.equal(recordId);
            expect(() => ledger.reader.recordOf(userId, records.length + 1)).to.throw(
              FlancoError,
              "no record",
            );
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  it("are the same after a restore and a rebuild from the tail", async () => {
    await sell(own, 3);
    const backup = await ledger.backUpProved();
    await Promise.all([sell(own, 2), sell(other, 300)]);
    const tail = async () => {
      await ledger.close();
      return segmentsIn(ledger.folder);
    };
    ledger.restore(backup, { tail: await tail() });
    await ledger.open();
    await sell(own, 1);
    expect([numbers(own), numbers(other)]).to.deep.equal([upTo(6), upTo(300)]);
    await ledger.backUpProved();
    await tail();
    truncateSync(ledger.file, STUMP_BYTES);
    ledger.recover();
    await ledger.open();
    await sell(own, 1);
    expect([numbers(own), numbers(other)]).to.deep.equal([upTo(7), upTo(300)]);
    expect(findings()).to.deep.equal([]);
  });

  it("that are lost with entries are not given again, and the full check names them", async () => {
    await sell(own, 2);
    await ledger.backUpProved();
    await sell(own, 2);
    const { folder } = ledger;
    await ledger.close();
    const newest = segmentsIn(folder).at(-1);
    truncateSync(newest?.file ?? "", (newest?.bytes ?? 0) - MARK_BYTES);
    truncateSync(ledger.file, STUMP_BYTES);
    // Up to a second of commits may be missing at the tail's end: one entry more.
    expect(ledger.recover().lost).to.have.lengthOf(1);
    await ledger.open();
    await sell(own, 2);
    await sell(other);
    expect([numbers(own), numbers(other)]).to.deep.equal([[1, 2, 3, 4, 6, 7], [2]]);
    const [finding = "", ...more] = findings();
    expect(more).to.deep.equal([]);
    expect(finding).to.match(
      /^lost: The entry \d+ is lost \(audit entry 1 of the appliance, record 5 of \S+, record 1 of \S+\) with/,
    );
    await ledger.close();
    await ledger.open();
    await sell(own);
    expect(numbers(own).at(-1)).to.equal(8);
  });

  for (const [what, change, named] of [
    ["missing", "number + 1", "The entry 5 is the record 4 of its account, and not 3."],
    ["double", "number - 1", "The entry 5 is the record 2 of its account, and not 3."],
  ] as const) {
    it(`are found where one is ${what}, also where the whole chain was written anew`, async () => {
      await sell(own, 4);
      await ledger.tamper((db) => {
        db.function("hash_of", (before, text) => hashOf(String(before), String(text)));
        db.exec(`UPDATE record SET number = ${change} WHERE record_id >= 5`);
        const hash = db.prepare("UPDATE record SET hash = unhex(?) WHERE record_id = ?");
        for (const position of [5, 6]) {
          const [entry] = chainReader(db).entriesAfter(position - 1, position, 1);
          hash.run(hashOf(entry?.previousHash ?? "", entry?.text ?? ""), position);
        }
        db.exec(
          "UPDATE rolled_up SET hash = (SELECT hash FROM record WHERE record_id = 6) WHERE position = 6",
        );
      });
      expect(findings()).to.deep.equal([`altered: ${named}`]);
    });
  }
});
