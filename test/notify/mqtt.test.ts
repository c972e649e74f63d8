import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect } from "chai";
import { connectAsync, type MqttClient } from "mqtt";
import type { SinkSettingsOf } from "../../src/contract/sink.ts";
import type { ChainEntry } from "../../src/domain/chain-entry.ts";
import { HOUR_MS } from "../../src/domain/clock.ts";
import type { Device } from "../../src/domain/device.ts";
import type { Id } from "../../src/domain/id.ts";
import { MqttSink } from "../../src/notify/mqtt.ts";
import { aRecordEntry } from "../domain/record-entry.ts";
import { KeptLog } from "../http/fakes.ts";
import { MqttBroker } from "../rig/mqtt-broker.ts";
import { rejection } from "../rig/rejection.ts";
import { until } from "../rig/until.ts";

const READER = "reader";
const RECONNECT_MS = 20;
const LEDGER = "0123456789abcdef0123456789abcdef";
const FIRST_LEDGER = "fedcba9876543210fedcba9876543210";
const NODE = `flanco_${FIRST_LEDGER.slice(0, 16)}`;
const BASE = `flanco/${LEDGER}`;
const USER = "64f0c1a2b3d4e5f60718293a" as Id;
const DEVICE = "64f0c1a2b3d4e5f60718293b" as Id;
/** Of a delivery that may take any time. */
const NEVER = new AbortController().signal;
const ROOM = `${BASE}/${DEVICE}/101`;
const USUAL: SinkSettingsOf<"mqtt"> = {
  mqtt_url: "",
  mqtt_login: "",
  mqtt_topic: "flanco",
  mqtt_discovery_topic: "homeassistant",
  mqtt_history: false,
  mqtt_password_file: "",
  mqtt_authority_file: "",
};

const link = { hash: "a".repeat(64), previousHash: "b".repeat(64), text: "[]" };
const sale: ChainEntry = {
  ...link,
  position: 7,
  kind: "record",
  record: aRecordEntry({
    position: 7,
    number: 3,
    userId: USER,
    line: "SIM0",
    deviceId: DEVICE,
    valorMicros: 4_500_000,
    createdTimeMs: 1_700_000_000_000,
  }),
};
const voided: ChainEntry = {
  ...link,
  position: 8,
  kind: "correction",
  correction: {
    position: 8,
    kind: "void",
    recordId: 7,
    timeMs: null,
    lostFrom: null,
    lostTo: null,
    anchor: null,
    reason: "relay tested",
    notedMs: 1_700_000_001_000,
  },
};
const evidence: ChainEntry = {
  ...link,
  position: 9,
  kind: "evidence",
  evidence: {
    position: 9,
    kind: "role_changed",
    timeMs: 0,
    bootId: null,
    begunMs: null,
    userId: USER,
    way: "network",
    who: "a canary",
    from: "::1",
    details: "{}",
    number: 2,
  },
};

function deviceWith(rooms: Readonly<Record<string, boolean>>): Device {
  return {
    id: DEVICE,
    userId: USER,
    dId: "7234",
    name: "Pasillo A",
    selected: false,
    locationId: "x",
    locationName: "Clínica",
    createdTimeMs: 0,
    revision: 0,
    actuators: Object.entries(rooms).map(([id, value]) => ({ id, value })),
  };
}

describe("The MQTT sink", () => {
  let broker: MqttBroker;
  let reader: MqttClient;
  let devices: readonly Device[];
  let sink: MqttSink;
  /** Every message, and what is retained, by topic. */
  const messages: { readonly topic: string; readonly payload: string }[] = [];
  const newest = (topic: string) => messages.findLast((message) => message.topic === topic)?.payload;

  beforeEach(async () => {
    messages.length = 0;
    devices = [deviceWith({ "101": false, "102": true })];
    broker = await MqttBroker.open();
    await listen();
    sink = createSink();
    sink.open();
    await until("the gateway is there", () => newest(`${BASE}/status`) === "online");
  });

  afterEach(async () => {
    await reader.endAsync(true);
    await sink.close();
    await broker.close();
  });

  function createSink(
    settings: Partial<SinkSettingsOf<"mqtt">> = {},
    reconnectMs = RECONNECT_MS,
    ledgers = [LEDGER, FIRST_LEDGER],
  ): MqttSink {
    return new MqttSink({
      returnMs: 100,
      settings: { ...USUAL, mqtt_url: broker.url, ...settings },
      language: "es",
      reconnectMs,
      ledgers,
      gateway: () => "Clínica Norte",
      version: "1.2.3",
      devices: () => devices,
      log: new KeptLog(),
    });
  }

  async function listen(): Promise<void> {
    reader = await connectAsync(broker.url, { clientId: READER, reconnectPeriod: RECONNECT_MS });
    reader.on("message", (topic, payload) => messages.push({ topic, payload: payload.toString() }));
    await reader.subscribeAsync("#", { qos: 1 });
  }

  /** The topics below this one of which the broker keeps a message. */
  async function retained(prefix: string): Promise<readonly string[]> {
    const topics: string[] = [];
    const other = await connectAsync(broker.url, { clientId: "other" });
    other.on("message", (topic) => topics.push(topic));
    await other.subscribeAsync("#", { qos: 1 });
    // What it keeps comes before what comes after.
    await other.publishAsync("mark", "mark", { qos: 1 });
    await until("the mark", () => topics.includes("mark"));
    await other.endAsync(true);
    return topics.filter((topic) => topic.startsWith(prefix) && topic !== "mark");
  }

  const batchOf = (...entries: readonly ChainEntry[]) => ({
    ledger: LEDGER,
    entries,
    waiting: 0,
  });

  it("publishes each sale and correction with the entry's identity, and nothing of who did what", async () => {
    expect(await sink.deliver(batchOf(sale, voided, evidence), NEVER)).to.equal(null);
    await until("both messages", () => newest(`${BASE}/correction`));

    const identity = { ledger: LEDGER, hash: link.hash };
    expect(JSON.parse(newest(`${ROOM}/sale`) ?? "")).to.deep.equal({
      event_type: "sale",
      number: 3,
      locationName: "Clínica",
      deviceName: "Pasillo A",
      deviceId: DEVICE,
      room: "101",
      valor: 4.5,
      time: 1_700_000_000_000,
      provisional: false,
      origin: "edge",
      refundOf: null,
      reason: null,
      position: 7,
      ...identity,
    });
    expect(JSON.parse(newest(`${BASE}/correction`) ?? "")).to.include({
      kind: "void",
      record: 7,
      reason: "relay tested",
      position: 8,
      ...identity,
    });
    expect(JSON.stringify(messages)).not.to.contain("canary");
  });

  it("keeps the state of each room at the broker, and follows it", async () => {
    await until("both states", () => newest(`${BASE}/${DEVICE}/102/state`) === "ON");
    expect(newest(`${ROOM}/state`)).to.equal("OFF");

    const change = { userId: USER, deviceId: DEVICE, actuatorId: "101", value: true, timeMs: 0 };
    sink.apply([{ kind: "actuator", locationId: "l", ...change }]);
    await until("the change", () => newest(`${ROOM}/state`) === "ON");
    devices = [deviceWith({ "101": true, "1/+#": true })];
    sink.apply([{ kind: "locations", userId: USER }]);
    await until("a name that means something in a topic", () => newest(`${BASE}/${DEVICE}/1%2F%2B%23/state`));

    await reader.endAsync();
    messages.length = 0;
    await listen();
    await until("the retained state", () => newest(`${ROOM}/state`) === "ON");
  });

  it("announces each room to Home Assistant, and takes one back that is gone", async () => {
    const announced = () =>
      messages
        .filter(({ topic }) => topic.startsWith("homeassistant/"))
        .map(({ topic, payload }) => ({ topic, payload }));
    await until("a sensor and an event of both rooms", () => announced().length === 5);
    const sensor = announced().find(({ payload }) => payload.includes(`${ROOM}/state`));
    expect(JSON.parse(sensor?.payload ?? "")).to.deep.include({
      availability_topic: `${BASE}/status`,
      state_topic: `${ROOM}/state`,
      name: null,
      origin: { name: "flanco", sw_version: "1.2.3" },
    });
    const event = JSON.parse(
      announced().find(({ payload }) => payload.includes(`${ROOM}/sale`))?.payload ?? "",
    );
    expect(event).to.include({ name: "Venta", qos: 1, state_topic: `${ROOM}/sale` });
    expect(event.device.via_device).to.equal(NODE);
    const gateway = newest(`homeassistant/binary_sensor/${NODE}/status/config`);
    expect(JSON.parse(gateway ?? "").device).to.deep.include({
      identifiers: [NODE],
      name: "Clínica Norte",
    });

    devices = [deviceWith({ "102": true })];
    sink.apply([{ kind: "locations", userId: USER }]);
    await until("it is taken back", () => sensor !== undefined && newest(sensor.topic) === "");
    expect(newest(`${ROOM}/state`)).to.equal("");
    expect(newest(`${BASE}/${DEVICE}/102/state`)).to.equal("ON");
  });

  it("takes back what an earlier run announced and this one lacks, at its first connection", async () => {
    await until("its state", () => newest(`${ROOM}/state`) === "OFF");
    await sink.close();
    devices = [deviceWith({ "102": true })];
    sink = createSink();
    sink.open();
    await until("it is taken back", () => newest(`${ROOM}/state`) === "");
    await until("Home Assistant has one room", async () => (await retained("homeassistant/")).length === 3);
    expect(await retained(`${BASE}/`)).to.have.members([`${BASE}/status`, `${BASE}/${DEVICE}/102/state`]);
  });

  it("leaves nothing at the broker once it is turned off, and only that it is away where the service ends", async () => {
    await until("all is there", async () => (await retained("")).length === 8);
    await sink.close(true);
    expect(await retained("")).to.deep.equal([]);
  });

  it("keeps its names in Home Assistant on another machine, where the ledger has another identity", async () => {
    const ids = async () => (await retained("homeassistant/")).toSorted();
    await until("all is there", async () => (await ids()).length === 5);
    const before = await ids();
    await sink.close();
    sink = createSink({}, RECONNECT_MS, ["another", LEDGER, FIRST_LEDGER]);
    sink.open();
    await until("it is there", () => newest("flanco/another/status") === "online");
    await until("the rooms are", () => newest(before[0] ?? "")?.includes("flanco/another/"));
    expect(await ids()).to.deep.equal(before);
  });

  it("counts no message that a broker of MQTT 3.1.1 acknowledges and passes to nobody", async () => {
    broker.swallow("/sale");
    const refused = await rejection(sink.deliver(batchOf(sale, voided), NEVER));
    expect(refused).to.include({ code: "unavailable" });
    expect(refused.message).to.contain(`has acknowledged a message under ${ROOM}/sale and not passed it on`);
    const other = { ...voided, position: 6, hash: "c".repeat(64) };
    expect(await sink.deliver(batchOf(other, sale), NEVER), "what it took before").to.deep.equal({
      position: 6,
      hash: other.hash,
    });
    broker.swallow("/test");
    expect((await rejection(sink.test(NEVER))).message).to.contain("not passed it on");
    broker.swallow(null);
    expect(await sink.deliver(batchOf(sale), NEVER)).to.equal(null);
  });

  it("has a last will that says when the gateway is away, and takes back a room that went meanwhile", async () => {
    await until("the room's state", () => newest(`${ROOM}/state`) === "OFF");
    const away = until("the will", () => newest(`${BASE}/status`) === "offline");
    broker.cut(READER);
    devices = [deviceWith({ "102": true })];
    await away;
    await until("it is there again", () => newest(`${BASE}/status`) === "online");
    await until("the room is taken back", () => newest(`${ROOM}/state`) === "");
  });

  it("is there after a power cut, though the broker still has the connection from before", async () => {
    await sink.close();
    const before = createSink({}, HOUR_MS);
    before.open();
    await until("it is there", () => newest(`${BASE}/status`) === "online");
    messages.length = 0;
    sink = createSink();
    sink.open();
    await until("it is there again", () => newest(`${BASE}/status`) === "online");
    await until("its connection and the reader's are left", () => broker.connections === 2);
    expect(newest(`${BASE}/status`)).to.equal("online");
    await before.close();
  });

  it("refuses a batch while the broker is away, and takes it afterwards", async () => {
    await sink.close();
    await broker.leave();
    sink = createSink();
    sink.open();
    expect(await rejection(sink.deliver(batchOf(sale), NEVER))).to.include({ code: "unavailable" });

    messages.length = 0;
    await broker.comeBack();
    await until("the reader listens again", () => newest(`${BASE}/status`) === "online");
    const delivered = () => sink.deliver(batchOf(sale), NEVER).catch(() => "refused");
    await until("the batch is taken", async () => (await delivered()) === null);
    await until("the sale", () => newest(`${ROOM}/sale`));
  });

  it("forgets a batch that the broker does not acknowledge in time: it is sent again with the next try alone", async () => {
    broker.hold("/sale");
    for (let tries = 0; tries < 3; tries += 1) {
      const deadline = new AbortController();
      const delivered = sink.deliver(batchOf(sale), deadline.signal);
      delivered.catch(() => {});
      deadline.abort();
    }
    broker.hold(null);
    messages.length = 0;
    broker.cut(READER);
    await until("the gateway is there again", () => newest(`${BASE}/status`) === "online");
    await sink.deliver(batchOf(sale), NEVER);
    await until("the sale", () => newest(`${ROOM}/sale`));
    expect(messages.filter(({ topic }) => topic === `${ROOM}/sale`)).to.have.length(1);
  });

  it("comes back no more once it is closed, though the broker did not acknowledge that it goes", async () => {
    broker.hold("/status");
    void sink.close();
    // The reader, which tries as often, is back twice before it is looked who is there.
    for (let times = 0; times < 2; times += 1) {
      await broker.leave();
      const isBack = new Promise<void>((resolve) => reader.once("connect", () => resolve()));
      await broker.comeBack();
      await isBack;
    }
    expect(broker.connections).to.equal(1);
  });

  it("calls a broker that takes no version of MQTT once by each, then at its pace, and says so", async () => {
    const versions: (number | undefined)[] = [];
    const stranger = createServer((socket) => {
      // The ninth byte of CONNECT; the answer is a CONNACK with the code for another version.
      socket.once("data", (connect) => {
        versions.push(connect[8]);
        socket.end(Buffer.from([0x20, 2, 0, 1]));
      });
      socket.on("error", () => {});
    }).listen(0, "127.0.0.1");
    await once(stranger, "listening");
    const { port } = stranger.address() as AddressInfo;
    const refused = createSink({ mqtt_url: `mqtt://127.0.0.1:${port}` }, HOUR_MS);
    try {
      const said = await rejection(refused.deliver(batchOf(sale), NEVER));
      expect(said.message).to.equal(`The broker 127.0.0.1:${port} does not speak MQTT 3.1.1.`);
      expect(versions).to.deep.equal([5, 4]);
    } finally {
      await refused.close();
      stranger.close();
    }
  });

  it("says what its test did, and waits for its first connection, rather than report a failure", async () => {
    await sink.close();
    sink = createSink();
    sink.open();
    expect(await sink.test(NEVER)).to.equal(`The broker has taken a message under ${BASE}/test.`);
    await until("the message", () => newest(`${BASE}/test`) === '{"test":true}');
  });
});
