import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { expect } from "chai";
import type { MqttClient } from "mqtt";
import { connectToBroker } from "../../src/platform/mqtt-client.ts";

const ACCEPTED = Buffer.from([0x20, 2, 0, 0]);
const PING_ANSWER = Buffer.from([0xd0, 0]);
/** A message of QoS 2 with the number 1 and the topic `a`. */
const ONCE_EXACTLY = Buffer.from([0x34, 5, 0, 1, 0x61, 0, 1]);

describe("A false broker", () => {
  let server: Server;
  let client: MqttClient;
  let broker: Socket;

  beforeEach(async () => {
    server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const address = { url: `mqtt://127.0.0.1:${port}`, user: "", passwordFile: "", authorityFile: "" };
    const connected = once(server, "connection");
    client = await connectToBroker(address, null);
    [broker] = (await connected) as [Socket];
    broker.on("error", () => {});
    await once(broker, "data");
    broker.write(ACCEPTED);
    await new Promise((resolve) => client.once("connect", resolve));
  });

  afterEach(async () => {
    await client.endAsync(true);
    server.close();
  });

  it("gets other work done between its packets, however many it sends at once", async () => {
    let inThisTurn = 0;
    let most = 0;
    let received = 0;
    const everything = Promise.withResolvers<void>();
    client.on("packetreceive", () => {
      received += 1;
      inThisTurn += 1;
      most = Math.max(most, inThisTurn);
      if (inThisTurn === 1) {
        setImmediate(() => {
          inThisTurn = 0;
        });
      }
      if (received === 4_000) everything.resolve();
    });
    broker.write(Buffer.concat(Array<Buffer>(4_000).fill(PING_ANSWER)));
    await everything.promise;
    expect(most).to.be.at.most(512);
  });

  it("has its connection ended for a message of QoS 2, which nobody asked for and the library would keep", async () => {
    broker.resume().write(ONCE_EXACTLY);
    await once(broker, "close");
    expect(client.connected).to.equal(false);
  });
});
