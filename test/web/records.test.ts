import { expect } from "chai";
import type { Api } from "../../src/web/api/api.ts";
import { loadRecords, type RecordPage } from "../../src/web/api/records.ts";
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
import { addressOf } from "../../src/web/route.ts";
import { recordOf } from "./record.ts";

const dayOf = () => "2026-11-21";

describe("A filter of records", () => {
  it("comes back from the address that it was written to", () => {
    const filter = {
      from: "2026-11-01",
      to: "2026-11-21",
      location: "Clínica & Cía",
      device: "d1",
      room: "1 0 1",
      state: "voided",
      number: "789",
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
      { number: "12" },
      { state: "voided" },
      { state: "provisional" },
      { state: "refund" },
    ] as const) {
      expect(lets({ ...EVERY_RECORD, ...part }, [], sale, dayOf), JSON.stringify(part)).to.equal(false);
    }
  });

  it("means by a room's text the room of that name, or every room with it in its name, in either case", () => {
    const of = (habitacion: string, room: string, rooms: readonly string[]) =>
      lets({ ...EVERY_RECORD, room }, rooms, recordOf(1, { habitacion }), dayOf);
    const { room: _, state: __, ...others } = EVERY_RECORD;
    const asked = { ...EVERY_RECORD, room: "suite ñ" };
    expect(apiQueryOf(asked, ["Suite Ñ"])).to.deep.equal({ ...others, room: "Suite Ñ" });
    expect(apiQueryOf({ ...EVERY_RECORD, room: "10" }, ["101"])).to.deep.equal({ ...others, roomPart: "10" });
    expect(of("101", "10", ["101", "102"])).to.equal(true);
    expect(of("Suite Ñandú", "SUITE ñ", [])).to.equal(true);
    expect([of("1", "1", ["1", "10"]), of("10", "1", ["1", "10"])]).to.deep.equal([true, false]);
  });
});

describe("A page of records", () => {
  /** A server with these answers, in turn; what it was asked for, as `limit from cursor`. */
  function serverOf(...answers: readonly RecordsAnswer[]) {
    const asked: string[] = [];
    const get = async (_path: string, { limit, before }: { limit?: string; before?: string }) => {
      const answer = answers[asked.length];
      asked.push(`${limit} from ${before ?? "the newest"}`);
      if (answer === undefined) throw new Error("asked too often");
      return answer;
    };
    return { api: { get } as unknown as Pick<Api, "get">, asked };
  }
  const ids = ({ records }: RecordPage) => records.map(({ number }) => number);

  it("is asked for on through answers with few or none, and never holds more than it should", async () => {
    const server = serverOf(answerOf([], "a"), answerOf([5, 4], "b"), answerOf([3], "c"));
    const page = await loadRecords(server.api, {}, 3, 10);
    expect([ids(page), page.next]).to.deep.equal([[5, 4, 3], "c"]);
    expect(server.asked).to.deep.equal(["3 from the newest", "3 from a", "1 from b"]);
  });

  it("ends with the last record, and begins at a cursor", async () => {
    const server = serverOf(answerOf([2, 1], null));
    expect(await loadRecords(server.api, {}, 9, 10, { from: "x" })).to.include({ next: null });
    expect(server.asked).to.deep.equal(["9 from x"]);
  });

  it("is shown with what was found once enough was looked through, and looked on for only while that is nothing", async () => {
    const few = serverOf(answerOf([], "a"), answerOf([7], "b"));
    expect((await loadRecords(few.api, {}, 9, 2)).next).to.equal("b");
    const none = serverOf(answerOf([], "a"), answerOf([], "b"));
    expect(await loadRecords(none.api, {}, 9, 2)).to.deep.equal({ records: [], next: "b" });
    const far = serverOf(answerOf([], "a"), answerOf([], "b"), answerOf([1], "c"));
    expect(ids(await loadRecords(far.api, {}, 9, 1, { goesOn: true }))).to.deep.equal([1]);
  });
});

function answerOf(ids: readonly number[], next: string | null): RecordsAnswer {
  return { status: "success", data: ids.map((id) => recordOf(id)), next };
}
