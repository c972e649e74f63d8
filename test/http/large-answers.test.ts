import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect } from "chai";
import { FlancoError } from "../../src/domain/error.ts";
import { LargeAnswers } from "../../src/http/router.ts";

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
