import DatabaseConstructor from "better-sqlite3";
import { expect } from "chai";
import fc from "fast-check";
import { FlancoError } from "../../src/domain/error.ts";
import type { Id } from "../../src/domain/id.ts";
import type { SightingResult } from "../../src/domain/ledger.ts";
import type { Sighting } from "../../src/domain/sale.ts";
import { SightingQueue } from "../../src/gpio/sighting-queue.ts";
import { aSighting } from "../domain/sighting.ts";
import { recordsOf } from "../ledger/records-of.ts";
import { newWiring, TestLedger } from "../ledger/test-ledger.ts";
import { codeOf } from "../rig/rejection.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { writerHere } from "../rig/writer.ts";
import { SILENT } from "./recorder-rig.ts";

const ROOMS = { GPIO17: "101", GPIO27: "102" } as const;
type Line = keyof typeof ROOMS;
const DAY_MS = Date.UTC(2026, 10, 21, 10);

/** A level a second, high at odd numbers. */
function level(line: Line, sequence: number, deviceId: Id = "d"): Sighting {
  const timeMs = DAY_MS + sequence * 1_000;
  return aSighting(sequence % 2 === 1, sequence, { line, deviceId, actuatorId: ROOMS[line], timeMs });
}

describe("A change of a room", () => {
  it("waits for the edges that were seen before it, and for no others: they have the price of before", async () => {
    using stack = new DisposableStack();
    let queue: SightingQueue | undefined;
    const ledger = await new TestLedger((settings, clock, listener) =>
      writerHere(settings, clock, { ...listener, edgesSettled: () => queue?.settled() }),
    ).open();
    stack.defer(() => void ledger.remove());
    const { user, deviceId } = await ledger.wire("GPIO17");
    queue = new SightingQueue(ledger.writer, SILENT, 1);
    queue.add(level("GPIO17", 0, deviceId));
    queue.add(level("GPIO17", 1, deviceId));
    const changed = ledger.writer.setPrices(user.id, ["GPIO17"], {
      valorMicros: 9_000_000,
      paidMinutes: null,
    });
    queue.add(level("GPIO17", 2, deviceId));
    await changed;
    queue.add(level("GPIO17", 3, deviceId));
    await queue.close();
    expect(recordsOf(ledger.reader, user.id).map(({ valorMicros }) => valorMicros)).to.deep.equal([
      9_000_000, 4_500_000,
    ]);
  });

  it("is refused while the ledger takes no edges, and waits no longer", async () => {
    let isFull = true;
    const takeIn = async (): Promise<readonly SightingResult[]> => {
      if (isFull) throw new FlancoError("unavailable", "The disk is full.");
      return [];
    };
    const queue = new SightingQueue({ takeIn }, SILENT, 1);
    queue.add(level("GPIO17", 1));
    expect(await codeOf(() => queue.settled()), "its first attempt fails").to.equal("unavailable");
    expect(await codeOf(() => queue.settled()), "later ones too").to.equal("unavailable");
    isFull = false;
    await until("it is taken in", () => queue.state.waiting === 0);
    await queue.settled();
    await queue.close();
  });
});

describe("The queue of sightings, when the ledger cannot take in one of them,", () => {
  const ledger = forEachTest(() => new TestLedger().open());
  let userId: Id;
  let deviceId: Id;

  beforeEach(async () => {
    const wired = await ledger.wire("GPIO17");
    userId = wired.user.id;
    deviceId = wired.deviceId;
    const wiring = newWiring({ line: "GPIO27", actuatorId: "102" });
    await ledger.writer.setWiring([{ userId, wiring }]);
  });

  const salesOf = (room: string) => recordsOf(ledger.reader, userId).filter((record) => record.room === room);

  /** A rule of the file that the second edge of GPIO17 breaks, whatever else comes with it. */
  async function breakLine(): Promise<void> {
    await ledger.writer.takeIn([level("GPIO17", 0, deviceId), level("GPIO17", 1, deviceId)]);
    const db = new DatabaseConstructor(ledger.file);
    for (const change of ["INSERT", "UPDATE"])
      db.exec(`CREATE TRIGGER refuse_${change} BEFORE ${change} ON line_state
               WHEN new.line = 'GPIO17' AND new.sequence = 2 BEGIN SELECT RAISE(ABORT, 'refused'); END`);
    db.close();
  }

  const gaps = () => ledger.reader.gaps(userId, { before: null, limit: 9 });

  /** A queue that has skipped the second edge of GPIO17. */
  async function skipping(log = SILENT): Promise<SightingQueue> {
    await breakLine();
    const queue = new SightingQueue(ledger.writer, log, 1);
    queue.add(level("GPIO17", 2, deviceId));
    await until("it is skipped", () => queue.state.waiting === 0);
    return queue;
  }

  it("records the sales of the other lines, and of its own from the next, and keeps the one as a gap", async () => {
    await breakLine();
    const queue = new SightingQueue(ledger.writer, SILENT, 1);
    queue.add(level("GPIO17", 2, deviceId));
    for (let sequence = 0; sequence < 6; sequence += 1) queue.add(level("GPIO27", sequence, deviceId));
    queue.add(level("GPIO17", 3, deviceId));
    await until("nothing waits", () => queue.state.waiting === 0);

    expect(salesOf("102")).to.have.length(3);
    expect(salesOf("101").map(({ createdTimeMs }) => createdTimeMs)).to.deep.equal([
      level("GPIO17", 3).timeMs,
      level("GPIO17", 1).timeMs,
    ]);
    const [gap, ...more] = gaps();
    expect(more).to.deep.equal([]);
    expect(gap).to.include({ line: "GPIO17", reason: "overflow", missed: 1, missedRises: 0 });
    await queue.close();
  });

  it("counts it with the line's next sighting also when that comes later", async () => {
    const queue = await skipping();
    expect(gaps()).to.deep.equal([]);
    expect(queue.state.refused).to.equal(true);
    queue.add(level("GPIO17", 3, deviceId));
    await until("the next is taken in", () => !queue.state.refused && queue.state.waiting === 0);
    await queue.close();
    expect(gaps()).to.have.length(1);
  });

  it("is refused by it until then, or until the line is wired no longer", async () => {
    const queue = await skipping();
    expect(queue.state.refused).to.equal(true);
    queue.retain((line) => line !== "GPIO17");
    expect(queue.state.refused).to.equal(false);
    await queue.close();
  });

  it("says in the log which one it skips, and at the end what no later sighting has counted", async () => {
    const told: object[] = [];
    const queue = await skipping({ ...SILENT, error: (fields: object) => void told.push(fields) });
    await queue.close();
    const [skipped, lost, ...more] = told;
    expect(skipped).to.deep.include({ line: "GPIO17", active: false, source: level("GPIO17", 2).source });
    expect(lost).to.deep.equal({ lost: { GPIO17: 1 } });
    expect(more).to.deep.equal([]);
  });

  it("does not give up on one that is refused for a moment only", async () => {
    let refusals = 3;
    const taken: number[] = [];
    const takeIn = async (sightings: readonly Sighting[]): Promise<readonly SightingResult[]> => {
      refusals -= 1;
      if (refusals >= 0) throw new FlancoError("internal", "out of memory");
      taken.push(...sightings.map(({ source }) => source.sequence));
      return [];
    };
    const queue = new SightingQueue({ takeIn }, SILENT, 1);
    queue.add(level("GPIO17", 1));
    await until("it is taken in", () => taken.length === 1);
    await queue.close();
  });

  it("takes in all others once, in their order, and accounts for each that it skips", async () => {
    const sightings = fc.array(
      fc.record({ line: fc.constantFrom<Line>("GPIO17", "GPIO27"), isBad: fc.boolean() }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(sightings, async (given) => {
        const numbers = { GPIO17: 0, GPIO27: 0 };
        const bad = new Set<string>();
        const taken: Sighting[] = [];
        const takeIn = async (batch: readonly Sighting[]): Promise<readonly SightingResult[]> => {
          if (batch.some(({ line, source }) => bad.has(`${line} ${source.sequence}`)))
            throw new FlancoError("internal", "a rule of the file is broken");
          taken.push(...batch);
          return [];
        };
        const queue = new SightingQueue({ takeIn }, SILENT, 0);
        for (const { line, isBad } of given) {
          numbers[line] += 1;
          if (isBad) bad.add(`${line} ${numbers[line]}`);
          queue.add(level(line, numbers[line]));
        }
        await queue.close();

        for (const line of Object.keys(ROOMS)) {
          let told = 0;
          for (const { source, missed } of taken.filter((one) => one.line === line)) {
            expect(bad.has(`${line} ${source.sequence}`)).to.equal(false);
            expect(source.sequence).to.equal(told + missed + 1);
            told = source.sequence;
          }
        }
        expect(taken).to.have.length(given.filter(({ isBad }) => !isBad).length);
      }),
    );
  });
});
