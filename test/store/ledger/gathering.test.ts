import { EventEmitter } from "node:events";
import { expect } from "chai";
import fc from "fast-check";
import { VirtualTime } from "../../../src/domain/virtual-time.ts";
import type { WriterRequest } from "../../../src/store/ledger/commands.ts";
import { Gathering } from "../../../src/store/ledger/gathering.ts";
import { storeWriter } from "../../../src/store/ledger/writer.ts";

describe("a batch that waits for those that were just answered", () => {
  for (const [what, { answered, came, syncMs, waiting }, waitMs] of [
    ["half of the group is back", { answered: 8, came: 0, syncMs: 5, waiting: 4 }, 2.5],
    ["the group is back", { answered: 8, came: 0, syncMs: 5, waiting: 8 }, 0],
    ["only those are there that came meanwhile", { answered: 4, came: 4, syncMs: 5, waiting: 4 }, 2.5],
    ["a client is alone", { answered: 1, came: 0, syncMs: 5, waiting: 1 }, 0],
    ["the disk is fast", { answered: 8, came: 0, syncMs: 1.9, waiting: 1 }, 0],
    ["the disk is very slow", { answered: 8, came: 0, syncMs: 100, waiting: 1 }, 25],
  ] as const) {
    it(`waits ${waitMs} ms where ${what}`, () => {
      const gathering = new Gathering();
      gathering.answered(answered, came, syncMs, 0);
      expect(gathering.waitMs(waiting, 0)).to.equal(waitMs);
    });
  }

  it("waits half of the last sync's time at most, and never over 25 ms", () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.nat(5_000), fc.nat(10_000), (writes, waiting, syncMs) => {
        const gathering = new Gathering();
        gathering.answered(writes, waiting, syncMs, 0);
        expect(gathering.waitMs(waiting, 0)).to.be.within(0, Math.min(25, syncMs / 2));
        expect(gathering.waitMs(writes + waiting, 0)).to.equal(0);
        expect(gathering.waitMs(waiting, Math.min(25, syncMs / 2))).to.equal(0);
      }),
    );
  });
});

describe("the writer, after a slow sync", () => {
  it("waits for those that it has just answered, up to a bound, and lets an edge take all that waits along at once", async () => {
    const sent: WriterRequest[] = [];
    const thread = new EventEmitter();
    const port = Object.assign(thread, { postMessage: (request: WriterRequest) => void sent.push(request) });
    const listener = { onChanges: () => {}, onProgress: () => {}, onDeath: () => {} };
    const time = new VirtualTime();
    const writer = storeWriter({ file: "", timeZone: "UTC" }, time, listener, () => port, time);
    const opened = writer.open();
    thread.emit("message", { kind: "ready" });
    await opened;
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const sizes = () => sent.map((request) => (request.kind === "batch" ? request.batch.commands.length : 0));

    const outputs = (count: number) => Array.from({ length: count }, () => ({ output: true }));
    const answered = ["1", "2", "3"].map((id) => writer.removeLocation("u", id));
    await turn();
    thread.emit("message", { kind: "batch", results: outputs(3), syncMs: 1_000 });
    await Promise.all(answered);
    const late: Promise<unknown>[] = [writer.removeLocation("u", "4")];
    await turn();
    expect(sizes(), "one of three is back").to.deep.equal([3]);
    late.push(writer.ping());
    await turn();
    expect(sizes(), "and an edge").to.deep.equal([3, 2]);
    thread.emit("message", { kind: "batch", results: outputs(2), syncMs: 1_000 });
    await Promise.all(late);

    const alone = writer.removeLocation("u", "5");
    await turn();
    time.advance(24);
    expect(sizes(), "just before the end of the wait").to.deep.equal([3, 2]);
    time.advance(1);
    expect(sizes(), "no other came").to.deep.equal([3, 2, 1]);
    thread.emit("message", { kind: "batch", results: outputs(1), syncMs: 0 });
    await alone;
  });
});
