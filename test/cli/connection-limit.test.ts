import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect } from "chai";
import { ConnectionLimit } from "../../src/cli/connection-limit.ts";
import { until } from "./program.ts";

const PER_ADDRESS = 32;
const IN_ALL = 512;
const OF_LOOPBACK = 256;

describe("Connections", () => {
  let limit: ConnectionLimit;
  let door: Server;
  let otherDoor: Server;
  let sockets: Socket[];

  beforeEach(async () => {
    limit = new ConnectionLimit();
    sockets = [];
    door = await listen();
    otherDoor = await listen();
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of [door, otherDoor]) server.close();
  });

  async function listen(): Promise<Server> {
    const server = createServer((_request, response) => response.end("here"));
    limit.guard(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  }

  /** So many connections of an address of loopback, each of which is another client's. */
  async function open(address: string, count: number, server: Server = door): Promise<Socket[]> {
    const { port } = server.address() as AddressInfo;
    const opened = Array.from({ length: count }, () =>
      connect({ port, host: "127.0.0.1", localAddress: address }),
    );
    sockets.push(...opened);
    await Promise.all(
      opened.map((socket) => {
        socket.on("error", () => {});
        return new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
      }),
    );
    return opened;
  }

  /** How many of them are answered: the others are closed. */
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

  it(`of one address are ${PER_ADDRESS} at most, whichever door they come in by; others are let in`, async () => {
    const first = await open("127.0.0.2", 20);
    const more = await open("127.0.0.2", 20, otherDoor);
    expect(await answered([...first, ...more])).to.equal(PER_ADDRESS);
    expect(await answered(await open("127.0.0.3", 5))).to.equal(5);
  });

  it("may be opened again by an address when it has closed some", async () => {
    const first = await open("127.0.0.2", PER_ADDRESS);
    expect(await answered(first)).to.equal(PER_ADDRESS);
    expect(await answered(await open("127.0.0.2", 1))).to.equal(0);
    for (const socket of first.slice(0, 3)) socket.destroy();
    await until(
      "the closed ones are counted out",
      async () => (await answered(await open("127.0.0.2", 1))) === 1,
    );
  });

  it(`are ${IN_ALL} in all: beyond, whoever has most gives its oldest up for who has fewer`, async () => {
    const crowd: Socket[][] = [];
    for (let host = 2; host < 2 + IN_ALL / PER_ADDRESS; host += 1) {
      crowd.push(await open(`127.0.0.${host}`, PER_ADDRESS));
    }
    expect(await answered(crowd.flat())).to.equal(IN_ALL);
    expect(await answered(await open("127.0.1.1", 10))).to.equal(10);
    await until(
      "ten of the crowd were closed",
      () => crowd.flat().filter(({ destroyed }) => destroyed).length === 10,
    );
    const lost = crowd.map((own) => own.findIndex(({ destroyed }) => destroyed));
    // The oldest of its address, where one was closed at all.
    expect(lost.filter((index) => index > 0)).to.deep.equal([]);
  });

  it(`let in who comes from elsewhere, where ${IN_ALL} addresses of two networks hold one each`, async () => {
    const crowd: Socket[] = [];
    for (const network of ["127.0.2", "127.0.3"]) {
      const each = Array.from({ length: IN_ALL / 2 }, (_, host) => open(`${network}.${host}`, 1));
      crowd.push(...(await Promise.all(each)).flat());
    }
    expect(await answered(crowd)).to.equal(IN_ALL);
    expect(await answered(await open("127.0.4.1", 6))).to.equal(6);
  });

  it("are given up first by what has asked for nothing, also where it is another's and newer", async () => {
    const asked: Socket[] = [];
    for (let host = 2; host < 2 + IN_ALL / PER_ADDRESS - 1; host += 1) {
      asked.push(...(await open(`127.0.0.${host}`, PER_ADDRESS)));
    }
    expect(await answered(asked)).to.equal(IN_ALL - PER_ADDRESS);
    const silent = await open("127.0.0.200", PER_ADDRESS);
    expect(await answered(await open("127.0.1.1", 5))).to.equal(5);
    await until("five were closed", () => silent.filter(({ destroyed }) => destroyed).length === 5);
    expect(asked.filter(({ destroyed }) => destroyed)).to.deep.equal([]);
  });

  it(`of this machine's own programs are ${OF_LOOPBACK}, whoever crowds in from the network`, async () => {
    for (let host = 2; host < 2 + IN_ALL / PER_ADDRESS; host += 1) await open(`127.0.0.${host}`, PER_ADDRESS);
    expect(await answered(await open("127.0.0.1", OF_LOOPBACK + 10))).to.equal(OF_LOOPBACK);
  });
});
