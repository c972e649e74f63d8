import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { LargeAnswers } from "../../src/http/router.ts";
import { Turns } from "../rig/turns.ts";

const MIB = 1024 * 1024;

describe("Large answers", () => {
  let answers: LargeAnswers;

  beforeEach(() => {
    answers = new LargeAnswers();
  });

  function give(userId: string, bytes: number) {
    const context = { res: new ServerResponse(new IncomingMessage(new Socket())), length: 0 };
    const body = answers.send(userId, Buffer.alloc(bytes, 7), context);
    return { body, context, taken: () => context.res.emit("close") };
  }

  it("are written as JSON.stringify writes them", async () => {
    const long = Array.from({ length: 1_201 }, (_, index) => ({
      index,
      text: `"ñ${index}`,
      nothing: undefined,
    }));
    const lists = [long, [1, undefined, 2], Array(501).fill(undefined)];
    for (const data of [...lists, { rooms: long, to: null, gone: undefined, deep: { lists } }, []]) {
      const answer = { status: "success", data };
      expect(`${await answers.write("ana", answer)}`).to.equal(JSON.stringify(answer));
    }
  });

  it("are written in parts, before each of which other work has its turn", async () => {
    const turns = new Turns();
    const writtenAt = new Set<number>();
    const note = { toJSON: () => void writtenAt.add(turns.count) };
    await answers.write("ana", { data: { rooms: Array(2_000).fill(note) } });
    turns.end();
    expect([writtenAt.size, writtenAt.has(0)]).to.deep.equal([4, false]);
  });

  it("of one account are written one after another, and further ones are refused where many wait", async () => {
    const asked = Array.from({ length: 12 }, () => answers.write("ana", { data: Array(501).fill(1) }));
    const other = answers.write("luis", { data: Array(501).fill(1) });
    const settled = await Promise.allSettled([...asked, other]);
    expect(settled.map(({ status }) => status === "rejected")).to.deep.equal([
      ...Array<boolean>(9).fill(false),
      ...Array<boolean>(3).fill(true),
      false,
    ]);
  });

  it("are given whole, in pieces, with their length", async () => {
    const { body, context } = give("ana", 100_000);
    expect(context.length).to.equal(100_000);
    expect((await buffer(body)).equals(Buffer.alloc(100_000, 7))).to.equal(true);
  });

  it("of one account hold 1 MiB together until they are taken; beyond it further ones are refused, and none of others", () => {
    const first = give("ana", MIB / 2);
    const second = give("ana", MIB / 2);
    expect(() => give("ana", 1))
      .to.throw(FlancoError)
      .with.property("code", "overloaded");
    give("luis", MIB / 2);
    first.taken();
    second.taken();
    give("ana", MIB);
  });

  it("are given one at a time where a single one is larger", () => {
    const large = give("ana", 3 * MIB);
    expect(() => give("ana", 1))
      .to.throw(FlancoError)
      .with.property("code", "overloaded");
    large.taken();
    give("ana", 3 * MIB);
  });
});
