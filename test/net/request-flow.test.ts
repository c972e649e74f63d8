import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { mock } from "node:test";
import { expect } from "chai";
import { LIMITS } from "../../src/net/listen.ts";
import { RequestFlow } from "../../src/net/request-flow.ts";

const ANSWER_BYTES = 1_000_000;

/** A connection whose client takes its answer as the test says. */
class TakingSocket extends Socket {
  override readonly remoteAddress = "192.0.2.1";
  override writable = true;
  override destroyed = false;
  /** Given to the socket, and not yet taken by the client. */
  override bytesWritten = 0;
  override writableLength = 0;

  answer(): void {
    this.bytesWritten = ANSWER_BYTES;
    this.writableLength = ANSWER_BYTES;
  }

  takeOff(bytes: number): void {
    this.writableLength = Math.max(0, this.writableLength - bytes);
  }

  override destroy(): this {
    this.destroyed = true;
    return this;
  }
}

describe("A client's pace", () => {
  let flow: RequestFlow;
  let socket: TakingSocket;

  beforeEach(() => {
    mock.timers.enable({ apis: ["setInterval"] });
    flow = new RequestFlow(LIMITS.paceMs);
    flow.open();
    socket = new TakingSocket();
    const listener = flow.through(() => {});
    const request = new IncomingMessage(socket);
    listener(request, new ServerResponse(request));
  });
  afterEach(() => {
    flow.close();
    mock.timers.reset();
  });

  /** The client takes so much in each time between two looks. */
  function looksUntilCut(bytes: number, looks: number): number | null {
    for (let look = 1; look <= looks; look += 1) {
      socket.takeOff(bytes);
      mock.timers.tick(LIMITS.paceMs);
      if (socket.destroyed) return look;
    }
    return null;
  }

  it("of less than 1 kB/s over 30 s ends its connection", () => {
    socket.answer();
    // The first look sees where it stands.
    expect(looksUntilCut(LIMITS.paceMs - 1, 10)).to.equal(2);
  });

  it("of 1 kB/s is enough, until all is taken", () => {
    socket.answer();
    expect(looksUntilCut(LIMITS.paceMs, 40)).to.equal(null);
    expect(socket.writableLength).to.equal(0);
  });

  it("is not judged while its answer is being made", () => {
    expect(looksUntilCut(0, 10)).to.equal(null);
    socket.answer();
    expect(looksUntilCut(0, 10)).to.equal(2);
  });
});
