import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { connect, connector } from "../../src/notify/database.ts";
import { rejection } from "../rig/rejection.ts";
import { until } from "../rig/until.ts";

/** The role is let in without a password, and the server is ready for a statement. */
const LET_IN = Buffer.from([..."R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I"].map((letter) => letter.charCodeAt(0)));

/** One row with one column of text, `f`; then it is ready again. */
const IS_WRITING = Buffer.concat([
  Buffer.from([0x54, 0, 0, 0, 32, 0, 1]),
  Buffer.from("reading\0"),
  Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 1, 255, 255, 255, 255, 0, 0]),
  Buffer.from([0x44, 0, 0, 0, 11, 0, 1, 0, 0, 0, 1, 0x66]),
  Buffer.from([0x43, 0, 0, 0, 13]),
  Buffer.from("SELECT 1\0"),
  Buffer.from([0x5a, 0, 0, 0, 5, 0x49]),
]);

const addressOf = (host: string, port: number) => ({
  user: "a",
  database: "c",
  hosts: [{ host, port }],
  authorities: null,
  isPlain: true,
});

describe("The company's database", () => {
  it("at an address that no socket takes gives an error and ends no process, also once its time is over", async () => {
    const failure = await rejection(
      connect(addressOf("db\0", 5432), () => "x", { connectMs: 1, answerMs: 1 }),
    );
    expect(failure.code).to.equal("unavailable");
    // The connection's own timer was begun before this one, and is shorter.
    await pause(20);
  });

  for (const [what, answer] of [
    ["lets in and then gives no answer", LET_IN],
    ["accepts a connection and says nothing", Buffer.alloc(0)],
  ] as const) {
    it(`that ${what} keeps no connection open`, async () => {
      const server = createServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", () => socket.write(answer));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const opened = once(server, "connection");
      const { port } = server.address() as AddressInfo;
      const limits = { connectMs: 50, answerMs: 50 };
      const failure = await rejection(connect(addressOf("127.0.0.1", port), () => "x", limits));
      expect(failure.code).to.equal("unavailable");
      const [socket] = (await opened) as [Socket];
      await until("the connection is closed", () => socket.closed);
      server.close();
    });
  }

  it("is asked at the node that was not tried before, or that answered, and last at one that did not", async () => {
    const asked: string[] = [];
    const nodes = ["a", "b", "c"].map((name) => {
      const server = createServer((socket) => {
        asked.push(name);
        socket.on("error", () => {});
        if (name !== "c") socket.destroy();
        socket.once("data", () => socket.write(LET_IN));
        socket.on("data", (data) => data.toString().startsWith("Q") && socket.write(IS_WRITING));
      });
      return server.listen(0, "127.0.0.1");
    });
    await Promise.all(nodes.map((server) => once(server, "listening")));
    const hosts = nodes.map((server) => ({
      host: "127.0.0.1",
      port: (server.address() as AddressInfo).port,
    }));
    const connect = connector({ ...addressOf("", 0), hosts }, () => "x", {
      connectMs: 5_000,
      answerMs: 5_000,
    });
    try {
      for (const order of [
        ["a", "b", "c"],
        ["a", "b", "c", "c"],
      ]) {
        const connection = await connect();
        expect(asked).to.deep.equal(order);
        await connection.close();
      }
    } finally {
      for (const server of nodes) server.close();
    }
  });
});
