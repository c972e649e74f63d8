import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import type { RecordsAnswer } from "../../src/web/api/shapes.ts";
import {
  apiQueryOf,
  EVERY_RECORD,
  filterOf,
  isBackwards,
  isOpen,
  lets,
  quickRange,
  quickRangeOf,
} from "../../src/web/records/filter.ts";
import { NO_RECORDS, RecordFeed, type RecordList } from "../../src/web/records/record-list.ts";
import { isNearEnd, rowWindow } from "../../src/web/records/row-window.ts";
import { addressOf } from "../../src/web/route.ts";
import { recordOf } from "./record.ts";

const VOIDED = { timeMs: 1, reason: "prueba" };
const dayOf = () => "2026-11-21";

describe("A filter of records", () => {
  it("comes back from the address that it was written to", () => {
    const filter = {
      from: "2026-11-01",
      to: "2026-11-21",
      location: "Clínica & Cía",
      device: "d1",
      room: "1 0 1",
    };
    const [, query] = addressOf("records", { ...filter }).split("?");
    expect(filterOf(new URLSearchParams(query))).to.deep.equal(filter);
    expect(addressOf("records", { ...EVERY_RECORD })).to.equal("/registros");
  });

  it("leaves open what makes no sense in an address", () => {
    const filter = filterOf(new URLSearchParams("from=yesterday&to=2026-13-40&room=%20101%20&other=1"));
    expect(filter).to.deep.equal({ ...EVERY_RECORD, room: "101" });
    const leap = filterOf(new URLSearchParams("from=2027-02-29&to=2028-02-29"));
    expect(leap).to.deep.equal({ ...EVERY_RECORD, to: "2028-02-29" });
    expect(filterOf(new URLSearchParams("from=0000-02-28"))).to.deep.equal(EVERY_RECORD);
  });

  it("knows when its days are the wrong way round", () => {
    expect(isBackwards({ ...EVERY_RECORD, from: "2026-11-02", to: "2026-11-01" })).to.equal(true);
    expect(isBackwards({ ...EVERY_RECORD, from: "2026-11-02", to: "2026-11-02" })).to.equal(false);
    expect(isBackwards({ ...EVERY_RECORD, from: "2026-11-02" })).to.equal(false);
  });

  it("takes a week, a month and today by the calendar, and knows them again", () => {
    const today = "2026-03-01";
    expect(quickRange("week", today)).to.deep.equal({ from: "2026-02-23", to: today });
    expect(quickRange("month", today)).to.deep.equal({ from: today, to: today });
    expect(quickRangeOf({ ...EVERY_RECORD, ...quickRange("week", today) }, today)).to.equal("week");
    expect(quickRangeOf({ ...EVERY_RECORD, from: "2026-02-24", to: today }, today)).to.equal(undefined);
    expect(isOpen({ ...EVERY_RECORD, ...quickRange("all", today) })).to.equal(true);
  });

  it("lets a record through only when all its parts fit", () => {
    const sale = recordOf(1, { habitacion: "101", deviceId: "d1", locationName: "Norte" });
    expect(lets(EVERY_RECORD, [], sale, dayOf)).to.equal(true);
    expect(lets({ ...EVERY_RECORD, room: "101", device: "d1", location: "Norte" }, [], sale, dayOf)).to.equal(
      true,
    );
    for (const part of [
      { room: "102" },
      { device: "d2" },
      { location: "Sur" },
      { to: "2026-11-20" },
      { from: "2026-11-22" },
    ]) {
      expect(lets({ ...EVERY_RECORD, ...part }, [], sale, dayOf), JSON.stringify(part)).to.equal(false);
    }
  });

  it("means by a room's text the room of that name, or every room with it in its name, in either case", () => {
    const of = (habitacion: string, room: string, rooms: readonly string[]) =>
      lets({ ...EVERY_RECORD, room }, rooms, recordOf(1, { habitacion }), dayOf);
    expect(apiQueryOf({ ...EVERY_RECORD, room: "suite ñ" }, ["Suite Ñ"])).to.deep.equal({
      ...EVERY_RECORD,
      room: "Suite Ñ",
    });
    const { room: _, ...others } = EVERY_RECORD;
    expect(apiQueryOf({ ...EVERY_RECORD, room: "10" }, ["101"])).to.deep.equal({ ...others, roomPart: "10" });
    expect(of("101", "10", ["101", "102"])).to.equal(true);
    expect(of("Suite Ñandú", "SUITE ñ", [])).to.equal(true);
    expect([of("1", "1", ["1", "10"]), of("10", "1", ["1", "10"])]).to.deep.equal([true, false]);
  });
});

describe("The window of a long list", () => {
  it("holds a bounded number of rows, whatever the length and the place", () => {
    for (const scrolled of [-500, 0, 1_000, 2_399_000, 4_799_000, 9_000_000]) {
      const { first, end } = rowWindow({ scrolled, height: 900 }, 48, 100_000);
      expect(end - first, String(scrolled)).to.be.within(1, 75);
      expect(first).to.be.at.least(0);
      expect(end).to.be.at.most(100_000);
    }
  });

  it("covers what is seen, with rows to spare on both sides", () => {
    for (let scrolled = 0; scrolled < 200_000; scrolled += 331) {
      const { first, end } = rowWindow({ scrolled, height: 900 }, 48, 10_000);
      expect(first * 48, String(scrolled)).to.be.at.most(Math.max(0, scrolled - 12 * 48));
      expect(end * 48).to.be.at.least(scrolled + 900 + 12 * 48);
    }
  });

  it("stays as it is over small movements", () => {
    const windows = new Set<number>();
    for (let scrolled = 48_000; scrolled < 48_000 + 8 * 48; scrolled += 4) {
      windows.add(rowWindow({ scrolled, height: 900 }, 48, 10_000).first);
    }
    expect(windows.size).to.be.at.most(2);
  });

  it("draws some rows before a row's height is known", () => {
    expect(rowWindow({ scrolled: 0, height: 0 }, 0, 1_000)).to.deep.equal({ first: 0, end: 24 });
    expect(rowWindow({ scrolled: 0, height: 0 }, 0, 3)).to.deep.equal({ first: 0, end: 3 });
  });

  it("asks for more before its end is seen", () => {
    expect(isNearEnd({ scrolled: 0, height: 900 }, 48, 200, 60)).to.equal(false);
    expect(isNearEnd({ scrolled: 140 * 48, height: 900 }, 48, 200, 60)).to.equal(true);
  });
});

/** A feed whose pages a test gives. */
class HandFed {
  list: RecordList = NO_RECORDS;
  readonly asked: (string | null)[] = [];
  readonly #feed = new RecordFeed((list) => {
    this.list = list;
  });
  readonly #answers: PromiseWithResolvers<RecordsAnswer>[] = [];
  readonly #load = (before: string | null) => {
    this.asked.push(before);
    const answer = Promise.withResolvers<RecordsAnswer>();
    this.#answers.push(answer);
    return answer.promise;
  };

  get feed(): Pick<RecordFeed, "sold" | "moved" | "voided" | "close"> {
    return this.#feed;
  }

  begin(): this {
    this.#feed.begin(this.#load);
    return this;
  }

  more(): this {
    this.#feed.more(this.#load);
    return this;
  }

  /** Answers the oldest request that waits: with a page, or with an error. */
  async answer(page: RecordsAnswer | Error): Promise<this> {
    const answer = this.#answers.shift();
    if (page instanceof Error) answer?.reject(page);
    else answer?.resolve(page);
    await turn();
    return this;
  }

  get ids(): readonly number[] {
    return this.list.records.map(({ recordId }) => recordId);
  }
}

const FAILURE = new Error("on purpose");

describe("The list of records", () => {
  const fed = (page: RecordsAnswer) => new HandFed().begin().answer(page);
  const { warn } = console;

  before(() => {
    console.warn = () => {};
  });
  after(() => {
    console.warn = warn;
  });

  it("grows page by page, and waits on while pages are empty", async () => {
    const list = await fed(answerOf([], "a"));
    expect(list.list.kind).to.equal("waiting");
    await list.answer(answerOf([3, 2], "b"));
    expect(list.list.kind).to.equal("ready");
    await list.answer(answerOf([1], null));
    expect(list.ids).to.deep.equal([3, 2, 1]);
    expect(list.list).to.include({ next: null, isAsking: false });
    expect((await fed(answerOf([], null))).list).to.include({ kind: "ready", next: null });
  });

  it("keeps what it has when a later page fails", async () => {
    const list = await (await fed(answerOf([3, 2], "b"))).answer(FAILURE);
    expect(list.list).to.include({ kind: "ready", hasStopped: true, isAsking: false });
    expect(list.ids).to.have.length(2);
    expect(list.more().list).to.include({ hasStopped: false, isAsking: true });
    expect(list.asked).to.deep.equal([null, "b", "b"]);
    expect((await new HandFed().begin().answer(FAILURE)).list.kind).to.equal("failed");
  });

  it("counts what is new instead of moving what is read", async () => {
    const list = await fed(answerOf([3, 2], null));
    list.feed.sold();
    list.feed.sold();
    expect(list.list.fresh).to.equal(2);
    expect(list.ids).to.have.length(2);
    expect(list.begin().list).to.deep.include({ fresh: 0, kind: "waiting" });
  });

  it("keeps what was there until something stands in its place", async () => {
    const again = async () => (await fed(answerOf([3, 2], null))).begin();
    const searching = await again();
    expect(searching.list).to.deep.include({ isStale: true, kind: "waiting" });
    await searching.answer(answerOf([], "a"));
    expect(searching.ids).to.deep.equal([3, 2]);
    await searching.answer(answerOf([9], null));
    expect(searching.ids).to.deep.equal([9]);
    expect(searching.list).to.include({ isStale: false, kind: "ready" });
    expect((await (await again()).answer(answerOf([], null))).ids).to.deep.equal([]);
    expect((await (await again()).answer(FAILURE)).list).to.deep.include({ kind: "failed", records: [] });
  });

  it("marks a record that is voided, and takes one out that moves in time", async () => {
    const list = await fed(answerOf([3, 2], null));
    list.feed.voided(3, VOIDED);
    list.feed.moved(2);
    expect(list.list.records.map(({ recordId, voided }) => [recordId, voided])).to.deep.equal([[3, VOIDED]]);
    expect(list.list.fresh).to.equal(1);
  });

  it("asks on through empty pages until it has enough, then waits to be asked, and asks for nothing twice", async () => {
    const list = await fed(answerOf([], "a"));
    await list.answer(answerOf([], "b"));
    await list.answer(answerOf(range(150), "c"));
    expect(list.asked).to.deep.equal([null, "a", "b"]);
    list.more().more();
    expect(list.asked).to.have.length(4);
    await list.answer(answerOf([1], null));
    list.more();
    expect(list.asked).to.have.length(4);
  });

  it("takes nothing of a request before the last one, or once it is closed", async () => {
    const list = new HandFed().begin().begin();
    await list.answer(answerOf([1], null));
    expect(list.list.kind).to.equal("waiting");
    await list.answer(answerOf([2], null));
    expect(list.ids).to.deep.equal([2]);
    list.begin().feed.close();
    await list.answer(answerOf([3], null));
    expect(list.ids).to.deep.equal([2]);
  });
});

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function answerOf(ids: readonly number[], next: string | null): RecordsAnswer {
  return { status: "success", data: ids.map((id) => recordOf(id)), next };
}
