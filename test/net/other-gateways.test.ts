import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { decode, encode } from "dns-packet";
import fc from "fast-check";
import { MINUTE_MS, SECOND_MS } from "../../src/domain/clock.ts";
import { hueOf } from "../../src/domain/gateway.ts";
import {
  type Announcement,
  announcementPacket,
  OtherGateways,
  questionPacket,
  readPacket,
} from "../../src/net/other-gateways.ts";
import { KeptLog, SetClock } from "../http/fakes.ts";
import { forEachTest } from "../rig/standing.ts";
import { until } from "../rig/until.ts";

const HOST = "127.0.0.1";
const GROUP = "224.0.0.251";
const TYPE = "_flanco._tcp.local";

/** Another machine on loopback that speaks mDNS: what it hears, and what it sends. */
class Peer {
  readonly heard: Buffer[] = [];
  readonly #socket: Socket;
  readonly port: number;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.port = socket.address().port;
    socket.on("message", (bytes) => this.heard.push(bytes));
  }

  /** On a port of its own, at which the gateways of a test are too. */
  static async open(): Promise<Peer> {
    const socket = createSocket({ type: "udp4", reuseAddr: true });
    socket.bind(0);
    await once(socket, "listening");
    socket.addMembership(GROUP, HOST);
    socket.setMulticastInterface(HOST);
    return new Peer(socket);
  }

  send(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.send(bytes, this.port, GROUP, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  /** Resolves once what was sent before has arrived: so has it at the gateways, which are asked after it. */
  async settle(): Promise<void> {
    const mark = Buffer.from(`mark ${this.heard.length} ${Math.random()}`);
    await this.send(mark);
    await until("the mark arrives", () => this.heard.some((bytes) => bytes.equals(mark)));
  }

  announcements(): Announcement[] {
    return this.heard.map(readPacket).filter((found) => typeof found === "object");
  }

  close(): void {
    this.#socket.close();
  }
}

describe("Gateways on one network", () => {
  const peer = forEachTest(() => Peer.open());
  let clock: SetClock;
  let log: KeptLog;
  let opened: OtherGateways[];

  beforeEach(() => {
    clock = new SetClock(0);
    log = new KeptLog();
    opened = [];
  });
  afterEach(() => {
    for (const gateways of opened) gateways.close();
  });

  function open(id: string, name: string, httpsPort: number): OtherGateways {
    const gateways = new OtherGateways({
      host: HOST,
      httpsPort,
      id,
      clock,
      log,
      port: peer.port,
      name: () => name,
    });
    gateways.open();
    opened.push(gateways);
    return gateways;
  }

  /** A gateway that listens: what is sent from here on it hears. */
  async function listening(): Promise<OtherGateways> {
    const gateways = open("000000aa", "Aquí", 8443);
    await until("it has announced itself", () => peer.announcements().some(({ id }) => id === "000000aa"));
    return gateways;
  }

  function claim(given: Partial<Announcement> = {}): Buffer {
    return announcementPacket({ id: "000000bb", name: "Sur", port: 8443, isLeaving: false, ...given }, "sur");
  }

  it("find each other with name, colour and address, whichever begins first, and one that ends is gone", async () => {
    const north = open("000000aa", "Clínica Norte", 8443);
    const south = open("000000bb", "Clínica Sur", 9443);
    const seenBy = (gateways: OtherGateways) => gateways.list().map(({ name }) => name);
    await until("both see the other", () => seenBy(north).length + seenBy(south).length === 2);
    expect(north.list()).to.deep.equal([
      { name: "Clínica Sur", hue: hueOf("000000bb"), address: `https://${HOST}:9443/` },
    ]);
    expect(seenBy(south)).to.deep.equal(["Clínica Norte"]);
    opened.splice(opened.indexOf(south), 1);
    south.close();
    await until("it is gone", () => seenBy(north).length === 0);
    expect(log.errors).to.deep.equal([]);
  });

  it("are found by other programs too: a question is answered with name, address and port, once a second", async () => {
    await listening();
    peer.heard.length = 0;
    await peer.send(encode({ type: "query", questions: [{ type: "PTR", name: TYPE }] }));
    await peer.send(questionPacket());
    await until("it answers", () => peer.announcements().length > 0);
    const [answer] = peer.heard.map((bytes) => decode(bytes)).filter(({ type }) => type === "response");
    const instance = `flanco-000000aa.${TYPE}`;
    expect(answer?.answers?.map(({ type, name }) => `${type} ${name}`)).to.deep.equal([
      ...[`PTR ${TYPE}`, `SRV ${instance}`, `TXT ${instance}`],
    ]);
    await peer.settle();
    expect(peer.announcements(), "for both").to.have.length(1);
  });

  it("forget one that is silent for some minutes", async () => {
    const gateways = await listening();
    await peer.send(claim());
    await until("it is seen", () => gateways.list().length === 1);
    clock.pass(3 * MINUTE_MS);
    expect(gateways.list()).to.have.length(1);
    clock.pass(MINUTE_MS);
    expect(gateways.list()).to.deep.equal([]);
  });

  it("show what somebody claims as plain text, and lead to nowhere else than where that came from", async () => {
    const gateways = await listening();
    const name = "<img src=x>\u202e\u001b[2J\u0000\n javascript:alert(1) ".padEnd(200, "x");
    await peer.send(claim({ name, port: 65_535 }));
    await until("it is seen", () => gateways.list().length === 1);
    const [seen] = gateways.list();
    expect(seen?.name)
      .to.have.length(60)
      .and.match(/^<img src=x>\[2J javascript:alert\(1\) x+$/);
    expect(seen?.address).to.equal(`https://${HOST}:65535/`);
  });

  it("take no part of a packet that is not whole, of no port, or of this gateway's own identity", async () => {
    const gateways = await listening();
    const whole = claim();
    for (let length = 0; length < whole.length; length += 17) await peer.send(whole.subarray(0, length));
    await peer.send(Buffer.concat([whole, Buffer.alloc(1_500)]));
    await peer.settle();
    // So that each of the others is read.
    clock.pass(SECOND_MS);
    // A name that points at itself.
    await peer.send(Buffer.concat([Buffer.from(whole.subarray(0, 12)), Buffer.from("c00c", "hex"), whole]));
    for (const given of [{ port: 0 }, { id: "000000aa" }, { id: "<script>" }, { name: "\u0000" }]) {
      await peer.send(claim(given));
    }
    await peer.send(
      encode({ type: "response", answers: [{ type: "PTR", name: TYPE, ttl: 9, data: "x.y" }] }),
    );
    await peer.settle();
    expect(gateways.list()).to.deep.equal([]);
    clock.pass(SECOND_MS);
    await peer.send(whole);
    await until("the whole one is seen", () => gateways.list().length === 1);
    expect(log.errors).to.deep.equal([]);
  });

  it("list four of one address at most, and decode twenty packets a second", async () => {
    const gateways = await listening();
    for (let port = 1; port <= 40; port += 1) await peer.send(claim({ port }));
    await peer.settle();
    expect(gateways.list()).to.have.length(4);
    await peer.send(claim({ port: 1, isLeaving: true }));
    await peer.settle();
    expect(gateways.list(), "unread in this second").to.have.length(4);
    clock.pass(SECOND_MS);
    await peer.send(claim({ port: 1, isLeaving: true }));
    await until("read in the next", () => gateways.list().length === 3);
  });

  it("listen to nothing more once they are flooded, until they next announce themselves", async () => {
    const gateways = await listening();
    await until("it has answered its own question", () => peer.announcements().length === 2);
    clock.pass(SECOND_MS);
    for (let count = 0; count <= 500; count += 1) {
      if (count === 480) await peer.send(questionPacket());
      await peer.send(Buffer.from("of something else"));
      // The kernel's buffer must not be what loses them.
      if (count % 50 === 0) await peer.settle();
    }
    await peer.settle();
    clock.pass(SECOND_MS);
    // Begun after the question's answer, and longer than its 90 ms: that would open the socket again.
    await pause(150);
    await peer.send(claim());
    await peer.settle();
    expect(gateways.list()).to.deep.equal([]);
  });

  it("read any bytes without an error, and a name of them as one line of text", () => {
    const whole = claim();
    const changed = fc
      .tuple(fc.nat(whole.length - 1), fc.uint8Array({ minLength: 1, maxLength: 40 }))
      .map(([at, bytes]) => {
        const packet = Buffer.from(whole);
        packet.set(bytes.subarray(0, whole.length - at), at);
        return packet;
      });
    fc.assert(
      fc.property(changed, (packet) => {
        const found = readPacket(packet);
        if (typeof found !== "object") return;
        expect(found.name).to.match(/^[^\p{C}\p{Zl}\p{Zp}]{1,60}$/u);
        expect(found.id).to.match(/^[0-9a-f]{8}$/);
        expect(found.port).to.be.within(1, 65_535);
      }),
      { numRuns: 2_000 },
    );
  });
});
