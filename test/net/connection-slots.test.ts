import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect } from "chai";
import { ConnectionSlots } from "../../src/net/connections.ts";
import { until } from "../rig/until.ts";

const PER_ADDRESS = 32;
const IN_ALL = 512;
const OF_LOOPBACK = 256;

describe("Connection slots", () => {
  let slots: ConnectionSlots;
  let first: Server;
  let second: Server;
  let sockets: Socket[];

  beforeEach(async () => {
    slots = new ConnectionSlots();
    sockets = [];
    first = await listen();
    second = await listen();
  });
  afterEach(() => {
    slots.destroyAll();
    for (const socket of sockets) socket.destroy();
    for (const server of [first, second]) server.close();
  });

  async function listen(): Promise<Server> {
    const server = createServer((_request, response) => response.end("here"));
    slots.guard(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  }

  /** Opens connections from an address of 127.0.0.0/8: to the service each address is another client. */
  async function open(address: string, count: number, server: Server = first): Promise<Socket[]> {
    const { port } = server.address() as AddressInfo;
    const opened = Array.from({ length: count }, () =>
      connect({ port, host: "127.0.0.1", localAddress: address }).on("error", () => {}),
    );
    sockets.push(...opened);
    const settled = opened.map(
      (socket) => new Promise((resolve) => socket.once("connect", resolve).once("close", resolve)),
    );
    await Promise.all(settled);
    return opened;
  }

  /** How many of these connections answer a request; the others are closed. */
  async function answered(opened: readonly Socket[]): Promise<number> {
    const answers = opened.map(
      (socket) =>
        new Promise<boolean>((resolve) => {
          socket.once("data", () => resolve(true));
          socket.once("close", () => resolve(false));
          if (socket.destroyed) resolve(false);
          else socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }),
    );
    return (await Promise.all(answers)).filter(Boolean).length;
  }

  it(`are ${PER_ADDRESS} for one address, over all servers; other addresses keep theirs`, async () => {
    const opened = [...(await open("127.0.0.2", 20)), ...(await open("127.0.0.2", 20, second))];
    expect(await answered(opened)).to.equal(PER_ADDRESS);
    expect(await answered(await open("127.0.0.3", 5))).to.equal(5);
  });

  it("are given to 12 connections of an address at once, and then to 25 a second; other addresses have theirs", async () => {
    const opened = await open("127.0.0.2", 12);
    expect(await answered(opened)).to.equal(12);
    const startedMs = performance.now();
    const answers = Promise.all(
      (await open("127.0.0.2", 10)).map(async (socket) => {
        await answered([socket]);
        return performance.now() - startedMs;
      }),
    );
    expect(await answered(await open("127.0.0.3", 10))).to.equal(10);
    const waitedMs = await answers;
    expect(Math.max(...waitedMs), "the last one, less what the bucket had won back meanwhile").to.be.above(
      40,
    );
  });

  it("are reset for an address that opens connections so fast that they would wait for seconds", async () => {
    for (let round = 0; round < 6; round += 1) {
      for (const socket of await open("127.0.0.2", 25)) socket.destroy();
    }
    expect(await answered(await open("127.0.0.2", 25))).to.be.below(10);
    expect(await answered(await open("127.0.0.3", 5))).to.equal(5);
  });

  it("are free again when their connections close", async () => {
    const opened = await open("127.0.0.2", PER_ADDRESS);
    expect(await answered(opened)).to.equal(PER_ADDRESS);
    expect(await answered(await open("127.0.0.2", 1))).to.equal(0);
    opened[0]?.destroy();
    await until("a slot is free", async () => (await answered(await open("127.0.0.2", 1))) === 1);
  });

  it("are free again after a minute without a byte, but not while a client takes its answer", async () => {
    const MUCH_BYTES = 64 * 1024 * 1024;
    const taken: Socket[] = [];
    first.on("connection", (socket) => taken.push(socket));
    first.removeAllListeners("request");
    first.on("request", (_request, response) => response.end(Buffer.alloc(MUCH_BYTES)));
    const [idle, slow] = await open("127.0.0.2", 2);
    slow?.pause();
    slow?.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await until("an answer waits for its client", () =>
      taken.some(({ writableLength }) => writableLength > 0),
    );
    for (const socket of taken) first.emit("timeout", socket);
    await once(idle ?? first, "close");
    const read = async () => {
      let bytes = 0;
      for await (const piece of slow ?? []) {
        bytes += piece.length;
        if (bytes > MUCH_BYTES) break;
      }
      return bytes;
    };
    expect(await read()).to.be.greaterThan(MUCH_BYTES);
  });

  it(`are ${IN_ALL} for the network in all, and ${OF_LOOPBACK} more for this machine itself`, async () => {
    const crowd = Array.from({ length: IN_ALL / PER_ADDRESS }, (_, index) =>
      open(`127.0.0.${index + 2}`, PER_ADDRESS),
    );
    expect(await answered((await Promise.all(crowd)).flat())).to.equal(IN_ALL);
    expect(await answered(await open("127.0.1.1", 1))).to.equal(0);
    expect(await answered(await open("127.0.0.1", OF_LOOPBACK + 10))).to.equal(OF_LOOPBACK);
    sockets[0]?.destroy();
    await until("a slot is free", async () => (await answered(await open("127.0.1.1", 1))) === 1);
  });
});
