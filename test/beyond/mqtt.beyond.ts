import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { connectAsync, type MqttClient } from "mqtt";
import { leafValidity, makeAuthority, makeLeaf } from "../../src/net/tls/authority.ts";
import { aDevice } from "../http/bodies.ts";
import { PASSWORD, Program, type RunningService } from "../rig/program.ts";
import { until } from "../rig/until.ts";
import { Mosquitto } from "./mosquitto.ts";

const CANARY = "canary-of-the-broker";
const BOX_USER = "64f0c1a2b3d4e5f60718293a";
const LINE = "7234/101";
const HOST = {
  names: ["localhost"],
  addresses: ["127.0.0.1"],
  publicAddresses: [],
  alternatives: [],
  announced: null,
};

/** The network between the boxes' broker and the gateway. */
class Cable {
  /** Whether what the gateway sends gets lost. */
  isDeafUpwards = false;
  readonly #server = createServer((gateway) => this.#join(gateway));
  readonly #sockets = new Set<Socket>();
  readonly #brokerPort: () => number;
  #tellUpwards = () => {};

  constructor(brokerPort: () => number) {
    this.#brokerPort = brokerPort;
  }

  get url(): string {
    return `mqtts://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  /** Resolves as soon as the gateway sends something. */
  nextUpwards(): Promise<void> {
    return new Promise((resolve) => (this.#tellUpwards = resolve));
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #join(gateway: Socket): void {
    const upwards = connect(this.#brokerPort(), "127.0.0.1");
    for (const [from, to] of [
      [gateway, upwards],
      [upwards, gateway],
    ] as const) {
      this.#sockets.add(from);
      from.on("data", (bytes) => {
        if (from === gateway) this.#tellUpwards();
        if (from === upwards || !this.isDeafUpwards) to.write(bytes);
      });
      from.on("close", () => to.destroy());
      from.on("error", () => to.destroy());
    }
  }
}

describe("A real broker, with TLS and a password", () => {
  const broker = new Mosquitto(CANARY);
  const cable = new Cable(() => broker.port);
  const heard: { readonly topic: string; readonly payload: string }[] = [];
  let authority: string;
  let program: Program;
  let service: RunningService;
  let cookie: string;
  /** Publishes as the boxes do, and listens to what flanco publishes. */
  let others: MqttClient;

  before(async () => {
    const root = await makeAuthority(HOST, Date.now());
    authority = root.cert;
    await broker.start(await makeLeaf(root, HOST, leafValidity(Date.now())));
    others = await connectAsync(broker.url, {
      ca: authority,
      username: broker.user,
      password: CANARY,
      reconnectPeriod: 50,
      clientId: "others",
    });
    others.on("message", (topic, payload) => heard.push({ topic, payload: payload.toString() }));
    await others.subscribeAsync("flanco/#", { qos: 1 });

    await cable.open();
    program = await Program.make();
    service = await program.start(settings(program));
    cookie = await service.makeFirstUser();
    await say(false);
    await until("the line shows", async () => (await program.succeed(["gpio", "detect"])).includes(LINE));
    expect((await service.post("/api/device", aDevice(), cookie)).status).to.equal(200);
    const room = ["--device", "7234", "--room", "101", "--valor", "4.5"];
    await program.succeed(["wiring", "set", LINE, ...room]);
  });

  after(async () => {
    await others?.endAsync(true);
    await program?.close();
    cable.close();
    await broker.stop();
  });

  /** The boxes' broker is the one that sales are published to. */
  function settings(of: Program, password = CANARY, pem = authority): Record<string, string> {
    const [passwordFile, authorityFile] = [
      join(of.directory, "password"),
      join(of.directory, "authority.pem"),
    ];
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    writeFileSync(authorityFile, pem);
    return {
      FLANCO_GPIO_DRIVER: "mqtt",
      FLANCO_LOG_LEVEL: "warn",
      FLANCO_BOX_USER: BOX_USER,
      FLANCO_BOX_BROKER: cable.url,
      FLANCO_BOX_BROKER_LOGIN: broker.user,
      FLANCO_BOX_BROKER_PASSWORD_FILE: passwordFile,
      FLANCO_BOX_BROKER_AUTHORITY_FILE: authorityFile,
      FLANCO_MQTT_URL: broker.url,
      FLANCO_MQTT_LOGIN: broker.user,
      FLANCO_MQTT_PASSWORD_FILE: passwordFile,
      FLANCO_MQTT_AUTHORITY_FILE: authorityFile,
    };
  }

  const say = (value: boolean) =>
    others.publishAsync(`${BOX_USER}/${LINE}/sdata`, JSON.stringify({ value }), { qos: 1 });

  async function sell(times: number): Promise<void> {
    for (let sale = 0; sale < times; sale += 1) {
      await say(true);
      await say(false);
    }
  }

  async function recorded(): Promise<number> {
    const answer = await service.get("/api/data?period=semanal", cookie);
    const { data } = (await answer.json()) as { readonly data?: { readonly totalSales: number } };
    return data?.totalSales ?? 0;
  }

  const published = () =>
    heard.filter(({ topic }) => topic.endsWith("/sale")).map(({ payload }) => JSON.parse(payload).position);
  const standing = () => heard.findLast(({ topic }) => topic.endsWith("/status"))?.payload;

  async function untilSold(count: number): Promise<void> {
    await until(`${count} sales are recorded`, async () => (await recorded()) === count);
    await until(`${count} sales are published`, () => new Set(published()).size === count);
    expect(await recorded()).to.equal(count);
  }

  it("gets each sale once, also of the time in which the gateway was killed", async () => {
    await sell(3);
    await untilSold(3);
    expect(standing()).to.equal("online");

    await service.end("SIGKILL");
    await until("the last will", () => standing() === "offline");
    await sell(4);
    service = await program.start(settings(program));
    cookie = await service.signIn("ana@example.org", PASSWORD);
    await untilSold(7);
    expect(standing()).to.equal("online");
  });

  it("gets each sale once, killed again and again as an acknowledgement leaves", async () => {
    const before = await recorded();
    for (let kill = 0; kill < 5; kill += 1) {
      const killed = cable.nextUpwards().then(() => service.end("SIGKILL"));
      await Promise.all([sell(3), killed]);
      service = await program.start(settings(program));
      cookie = await service.signIn("ana@example.org", PASSWORD);
    }
    // The last message: nothing comes after it.
    await sell(1);
    await untilSold(before + 16);
  });

  it("gets each sale once where the broker did not hear the acknowledgements before the network was cut", async () => {
    const before = await recorded();
    cable.isDeafUpwards = true;
    await sell(3);
    await until("all are recorded", async () => (await recorded()) === before + 3);
    cable.isDeafUpwards = false;
    cable.cut();
    await sell(1);
    await untilSold(before + 4);
  });

  it("is found again after it was killed, and the lines are watched again", async () => {
    await broker.kill();
    await until("the lines are not watched", async () => (await service.get("/healthz")).status === 503);
    await broker.resume();
    await until("the lines are watched", async () => (await service.get("/healthz")).status === 200);
    await until("the others are there", () => others.connected);
    const before = await recorded();
    await sell(2);
    await untilSold(before + 2);
    expect((await program.call(["verify"])).exitCode).to.equal(0);
  });

  it("that may not write keeps its sales until it may, and its test says so", async () => {
    const before = await recorded();
    broker.allow(`readwrite ${BOX_USER}/#`, "read #");
    await sell(3);
    await until("the sales are recorded", async () => (await recorded()) === before + 3);
    const test = await program.call(["forward", "test", "mqtt"]);
    expect(test.exitCode).to.not.equal(0);
    expect(`${test.stdout}${test.stderr}`).to.match(
      /refuses messages under flanco\/\S+\/test \(reason 135\)/,
    );
    await until("it is said that they wait", async () =>
      /refuses messages under/.test((await program.call(["status"])).stdout),
    );
    expect(new Set(published()).size).to.equal(before);
    broker.allow("readwrite #");
    await untilSold(before + 3);
  });

  for (const { wrong, password, pem, said } of [
    { wrong: "password", password: "another", pem: undefined, said: "refuses the user or the password" },
    { wrong: "authority", password: CANARY, pem: "other", said: "has a certificate of an unknown authority" },
  ]) {
    it(`is named with what is wrong where the ${wrong} is another, without the password`, async () => {
      const other = await Program.make();
      try {
        const foreign = pem === undefined ? authority : (await makeAuthority(HOST, Date.now())).cert;
        const running = await other.start(settings(other, password, foreign));
        await until("it is said", () => `${running.stdout}${running.stderr}`.includes(said));
        expect(`${running.stdout}${running.stderr}`).not.to.contain(CANARY);
      } finally {
        await other.close();
      }
    });
  }
});
