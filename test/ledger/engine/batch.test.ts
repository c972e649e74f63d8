import { EventEmitter } from "node:events";
import { expect } from "chai";
import { VirtualTime } from "../../../src/domain/clock.ts";
import { storeWriter } from "../../../src/ledger/engine/writer.ts";
import type { WriterRequest } from "../../../src/ledger/engine/writer-thread.ts";
import { codeOf } from "../../rig/rejection.ts";
import { newRecord } from "../test-ledger.ts";

/** A writer whose thread the test plays, and how many writes each batch had that it was sent. `onSend` may refuse one. */
async function playedThread(onSend: (batches: number) => void = () => {}) {
  const sizes: number[] = [];
  const deaths: Error[] = [];
  const thread = new EventEmitter();
  const postMessage = (request: WriterRequest) => {
    if (request.kind === "batch") onSend(sizes.push(request.batch.commands.length));
  };
  const listener = { onChanges: () => {}, onDeath: (error: Error) => void deaths.push(error) };
  const time = new VirtualTime();
  const timers = { after: time.after.bind(time), busyMs: () => 0 };
  const port = Object.assign(thread, { postMessage });
  const writer = storeWriter({ file: "", timeZone: "UTC" }, time, listener, () => port, timers);
  const opened = writer.open();
  thread.emit("message", {
    kind: "ready",
    commands: { addRecord: "post", removeLocation: "room", ping: "edge" },
  });
  await opened;
  return {
    writer,
    thread,
    time,
    sizes,
    deaths,
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    /** Posts so many times; resolves when all are answered. */
    post: (count: number) =>
      Promise.all(Array.from({ length: count }, (_, id) => writer.removeLocation("u", String(id)))),
    answer: (count: number, syncMs: number, output: unknown = true) => {
      const results = Array.from({ length: count }, () => ({ output }));
      thread.emit("message", { kind: "batch", results, syncMs });
    },
  };
}

describe("the writer, after a slow sync", () => {
  it("waits for those that it has just answered, up to a bound, and lets an edge take all that waits along at once", async () => {
    const { writer, time, sizes, turn, post, answer } = await playedThread();
    const first = post(3);
    await turn();
    answer(3, 1_000);
    await first;
    const late: Promise<unknown>[] = [post(1)];
    await turn();
    expect(sizes, "one of three is back").to.deep.equal([3]);
    late.push(writer.ping());
    await turn();
    expect(sizes, "and an edge").to.deep.equal([3, 2]);
    answer(2, 1_000);
    await Promise.all(late);

    const alone = post(1);
    await turn();
    time.advance(24);
    expect(sizes, "just before the end of the wait").to.deep.equal([3, 2]);
    time.advance(1);
    expect(sizes, "no other came").to.deep.equal([3, 2, 1]);
    answer(1, 0);
    await alone;
  });

  it("sends one batch at a time", async () => {
    const { sizes, time, turn, post, answer } = await playedThread();
    const first = post(8);
    await turn();
    answer(8, 1_000);
    await first;
    const [second, third] = [post(8), post(8)];
    await turn();
    const fourth = post(100);
    await turn();
    expect(sizes).to.deep.equal([8, 16]);
    answer(16, 1_000);
    await Promise.all([second, third]);
    expect(sizes, "those that were answered may come back").to.deep.equal([8, 16]);
    time.advance(25);
    expect(sizes).to.deep.equal([8, 16, 100]);
    answer(100, 1_000);
    await fourth;
  });

  it("makes one commit of the posts of one turn: some of them would wait for the sync of the others", async () => {
    const { writer, sizes, turn, post, answer } = await playedThread();
    const first = post(1);
    await turn();
    answer(1, 20);
    await first;
    const sales = Array.from({ length: 5 }, () => writer.addRecord("u", newRecord(), null));
    await turn();
    expect(sizes).to.deep.equal([1, 5]);
    answer(5, 20, { recordId: 1, repeated: false });
    await Promise.all(sales);
  });
});

describe("the writer, after a quick sync", () => {
  it("takes half of all for a group, those that are on their way among them", async () => {
    const { sizes, turn, post, answer } = await playedThread();
    const first = post(20);
    await turn();
    const second = post(20);
    await turn();
    answer(20, 0.1);
    await first;
    const third = post(12);
    await turn();
    expect(sizes, "twelve of forty wait").to.deep.equal([20, 20]);
    answer(20, 0.1);
    await second;
    expect(sizes).to.deep.equal([20, 20, 12]);
    answer(12, 0.1);
    await third;
  });

  it("sends a second batch after the one on its way once eight writes wait, never a third, and answers each its own", async () => {
    const { sizes, turn, post, answer } = await playedThread();
    const first = post(1);
    await turn();
    answer(1, 0.1);
    await first;
    const [second, third] = [post(2), post(7)];
    await turn();
    expect(sizes).to.deep.equal([1, 9]);
    const fourth = post(7);
    await turn();
    expect(sizes, "seven wait").to.deep.equal([1, 9]);
    const fifth = post(1);
    await turn();
    expect(sizes, "eight wait").to.deep.equal([1, 9, 8]);
    const sixth = post(50);
    await turn();
    expect(sizes, "two are on their way").to.deep.equal([1, 9, 8]);
    answer(9, 0.1);
    await Promise.all([second, third]);
    expect(sizes).to.deep.equal([1, 9, 8, 50]);
    answer(8, 0.1);
    await Promise.all([fourth, fifth]);
    answer(50, 0.1);
    await sixth;
  });

  it("sends a group of posts before the main thread's turn ends, and never parts what else is written in one go", async () => {
    const { writer, sizes, turn, post, answer } = await playedThread();
    const sales = Array.from({ length: 10 }, () => writer.addRecord("u", newRecord(), null));
    expect(sizes, "eight are a group").to.deep.equal([8]);
    const notes = post(20);
    expect(sizes, "in the turn").to.deep.equal([8]);
    await turn();
    expect(sizes, "at its end").to.deep.equal([8, 22]);
    answer(8, 0.1, { recordId: 1, repeated: false });
    answer(22, 0.1, { recordId: 1, repeated: false });
    await Promise.all([...sales, notes]);
  });
});

describe("the writer's time of a sync", () => {
  it("is what 99 of the newest 100 took at most, once there were as many", async () => {
    const { writer, turn, answer } = await playedThread();
    const sync = async (...times: readonly number[]) => {
      for (const syncMs of times) {
        const write = writer.ping();
        await turn();
        answer(1, syncMs);
        await write;
      }
    };
    await sync(...Array<number>(98).fill(10), 400);
    expect(writer.syncMs).to.equal(null);
    await sync(300.4);
    expect(writer.syncMs).to.equal(300);
    await sync(...Array<number>(99).fill(20));
    expect(writer.syncMs).to.equal(20);
  });
});

describe("the writer, where a batch cannot be sent", () => {
  it("refuses all that waits and has the process end: no later answer is taken for that of a batch before", async () => {
    const refusal = new Error("it could not be cloned");
    const { writer, sizes, deaths, turn, answer } = await playedThread((batches) => {
      if (batches === 2) throw refusal;
    });
    const first = writer.ping();
    await turn();
    const others = [1, 2].map(() => codeOf(() => writer.ping()));
    answer(1, 1);
    await first;
    expect(await Promise.all(others)).to.deep.equal(["unavailable", "unavailable"]);
    expect(deaths).to.deep.equal([refusal]);
    expect(await codeOf(() => writer.ping())).to.equal("unavailable");
    expect(sizes).to.deep.equal([1, 2]);
  });
});

describe("the writer, once its thread has ended", () => {
  it("refuses what waited, and closes", async () => {
    const { writer, thread, turn, post } = await playedThread();
    const waiting = codeOf(() => post(1));
    await turn();
    const closed = writer.close();
    thread.emit("exit");
    await closed;
    expect(await waiting).to.equal("unavailable");
  });
});
