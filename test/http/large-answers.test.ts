import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import Koa from "koa";
import { FlancoError } from "../../src/domain/error.ts";
import type { Asker } from "../../src/domain/job-slots.ts";
import { Page } from "../../src/http/page.ts";
import { LargeAnswers } from "../../src/http/router.ts";
import { forEachTest } from "../rig/standing.ts";
import { Turns } from "../rig/turns.ts";
import { until } from "../rig/until.ts";

const MIB = 1024 * 1024;
const ANA = { userId: "a", memberId: "ana", role: "owner" } as const;
const SCREEN = { userId: "a", memberId: "screen", role: "display" } as const;
const LUIS = { userId: "l", memberId: "luis", role: "owner" } as const;

describe("Large answers", () => {
  const answers = forEachTest(() => new LargeAnswers());

  function give(asker: Asker, bytes: number, requireSession: () => Promise<unknown> = async () => true) {
    const context = { res: new ServerResponse(new IncomingMessage(new Socket())), length: 0 };
    const body = answers.send(asker, Buffer.alloc(bytes, 7), context, requireSession);
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
      expect(`${await answers.write(ANA, answer)}`).to.equal(JSON.stringify(answer));
    }
  });

  it("are written in parts, before each of which other work has its turn", async () => {
    const turns = new Turns();
    const writtenAt = new Set<number>();
    const note = { toJSON: () => void writtenAt.add(turns.count) };
    await answers.write(ANA, { data: { rooms: Array(2_000).fill(note) } });
    turns.end();
    expect([writtenAt.size, writtenAt.has(0)]).to.deep.equal([4, false]);
  });

  it("of one account are written one after another, and further ones are refused where many wait", async () => {
    const asked = Array.from({ length: 12 }, () => answers.write(ANA, { data: Array(501).fill(1) }));
    const other = answers.write(LUIS, { data: Array(501).fill(1) });
    const settled = await Promise.allSettled([...asked, other]);
    expect(settled.map(({ status }) => status === "rejected")).to.deep.equal([
      ...Array<boolean>(9).fill(false),
      ...Array<boolean>(3).fill(true),
      false,
    ]);
  });

  it("are given whole, in pieces, with their length", async () => {
    const { body, context } = give(ANA, 100_000);
    expect(context.length).to.equal(100_000);
    expect((await buffer(body)).equals(Buffer.alloc(100_000, 7))).to.equal(true);
  });

  it("of one member hold 1 MiB together until they are taken; beyond it further ones are refused, and none of others", () => {
    const first = give(ANA, MIB / 2);
    const second = give(ANA, MIB / 2);
    expect(() => give(ANA, 1))
      .to.throw(FlancoError)
      .with.property("code", "overloaded");
    give(LUIS, MIB / 2);
    give(SCREEN, MIB);
    first.taken();
    second.taken();
    give(ANA, MIB);
  });

  it("are given one at a time where a single one is larger", () => {
    const large = give(ANA, 3 * MIB);
    expect(() => give(ANA, 1))
      .to.throw(FlancoError)
      .with.property("code", "overloaded");
    large.taken();
    give(ANA, 3 * MIB);
  });

  it("of all members of an account hold 8 MiB together, and those of its owners none of these", () => {
    const member = (index: number) => ({ ...SCREEN, memberId: `screen ${index}` });
    for (let index = 0; index < 8; index += 1) give(member(index), MIB);
    expect(() => give(member(8), 1))
      .to.throw(FlancoError)
      .with.property("code", "overloaded");
    give(ANA, MIB);
    give({ ...SCREEN, userId: "l" }, MIB);
  });

  it("end with their session, and their connection with them", async () => {
    let isSignedIn = true;
    const { body, context } = give(SCREEN, MIB, async () => {
      if (!isSignedIn) throw new FlancoError("unauthorized", "Unauthorized");
    });
    let taken = 0;
    for await (const piece of body) {
      taken += (piece as Buffer).length;
      isSignedIn = taken < MIB / 2;
    }
    expect(taken).to.be.below(MIB * 0.9);
    expect(context.res.destroyed).to.equal(true);
  });

  it("of the page, which need no session, hold some pieces for a client that reads nothing", async () => {
    const page = Page.of([{ name: "assets/large.js", content: randomBytes(16 * MIB) }]);
    const server = createServer(new Koa().use(page.middleware()).callback()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
    try {
      const [socket] = (await once(server, "connection")) as [Socket];
      client.write("GET /assets/large.js HTTP/1.1\r\nHost: a\r\n\r\n");
      let before = -1;
      // The kernel takes some megabytes.
      await until("the answer waits for its client", async () => {
        before = socket.bytesWritten;
        await turn();
        return socket.writableLength > 0 && before === socket.bytesWritten;
      });
      expect(socket.bytesWritten).to.be.below(16 * MIB);
      expect(socket.writableLength).to.be.below(MIB / 4);
    } finally {
      client.destroy();
      server.close();
    }
  });
});
