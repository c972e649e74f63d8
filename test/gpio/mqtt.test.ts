import { fail } from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { SECOND_MS, VirtualTime } from "../../src/domain/clock.ts";
import type { Edge, LineRequest } from "../../src/domain/line.ts";
import { type BoxBroker, MQTT_LIMITS, MqttDriver } from "../../src/gpio/mqtt.ts";
import { MqttBroker } from "../rig/mqtt-broker.ts";
import { rejection } from "../rig/rejection.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";
import { BOX, BOX_USER, boxesAt, lineRequest, watchLine } from "./rigs.ts";

const LINE = `${BOX}/101`;
/** Longer than messages are kept for lines that are not watched. */
const CAUGHT_UP_MS = 60 * SECOND_MS;
const RECONNECT_MS = 20;
/** As long as a message that is not held needs many times. */
const COMMIT_MS = 50;

describe("Relay boxes behind a broker", () => {
  let broker: MqttBroker;
  let time: VirtualTime;
  let warnings: string[];
  const drivers: MqttDriver[] = [];

  beforeEach(async () => {
    broker = await MqttBroker.open();
    time = new VirtualTime();
    warnings = [];
  });

  afterEach(async () => {
    for (const driver of drivers.splice(0)) await driver.close();
    await broker.close();
  });

  function createDriver(wanted: Partial<BoxBroker> = {}): MqttDriver {
    const driver = new MqttDriver({
      clock: time,
      timers: time,
      broker: { ...boxesAt(broker.url), reconnectMs: RECONNECT_MS, ...wanted },
      warn: (text) => warnings.push(text),
    });
    drivers.push(driver);
    return driver;
  }

  async function openDriver(wanted?: Partial<BoxBroker>): Promise<MqttDriver> {
    const driver = createDriver(wanted);
    await driver.open();
    return driver;
  }

  const say = (value: unknown, line = LINE) =>
    broker.publish({ topic: `${BOX_USER}/${line}/sdata`, payload: JSON.stringify({ value }) });

  /** Watches as soon as the broker is there again, as the recorder does. */
  const watchAgain = (driver: MqttDriver, request: LineRequest) =>
    until("the line is watched again", () => watchLine(driver, request).catch(() => undefined));

  it("name their limits when they are opened", async () => {
    await openDriver();
    expect(warnings).to.deep.equal(MQTT_LIMITS);
  });

  it("take a level that is said again for no edge", async () => {
    const driver = await openDriver();
    const { edges } = await watchLine(driver, lineRequest(LINE, { lastHigh: false }));
    for (const value of [true, true, false, false, true]) await say(value);
    expect(edges.levels).to.deep.equal([true, false, true]);
  });

  it("have their edges delivered that the broker kept while the connection was away", async () => {
    const driver = await openDriver();
    const failures: Error[] = [];
    const request = lineRequest(LINE, { lastHigh: false });
    const { edges } = await watchLine(driver, request, failures);
    await say(true);
    await broker.leave();
    await until("the line is lost", () => failures.length === 1);
    for (const value of [false, true, false]) await say(value);
    await broker.comeBack();

    const { line, edges: after } = await watchAgain(driver, request);
    expect(edges.levels).to.deep.equal([true]);
    expect(line.initiallyActive).to.equal(true);
    expect(await after.until(3)).to.deep.equal([false, true, false]);
    expect(after.seen.map((edge: Edge) => edge.sequence)).to.deep.equal([1, 2, 3]);
  });

  it("have their edges delivered that the broker kept while no process ran", async () => {
    const first = await openDriver();
    await watchLine(first, lineRequest(LINE, { lastHigh: false }));
    await first.close();
    for (const value of [true, false, true]) await say(value);

    const second = await openDriver();
    const { line, edges } = await watchLine(second, lineRequest(LINE, { lastHigh: false }));
    expect(line.initiallyActive).to.equal(false);
    expect(await edges.until(3)).to.deep.equal([true, false, true]);
  });

  it("have their edges delivered that a broker kept which is away at the start", async () => {
    await (await openDriver()).close();
    await say(true);
    await broker.leave();
    const driver = await openDriver();
    const request = lineRequest(LINE, { lastHigh: false });
    await rejection(driver.watch(request));
    driver.forgetOthers([LINE]);
    await broker.comeBack();
    await until("the message has come", async () => (await driver.detect()).length === 1);
    const { edges } = await watchAgain(driver, request);
    expect(await edges.until(1)).to.deep.equal([true]);
  });

  it("are sent again by the broker what came before the process ended and was not committed", async () => {
    const first = await openDriver();
    const never = () => new Promise<never>(() => {});
    const request = lineRequest(LINE, { lastHigh: false });
    const { edges } = await watchLine(first, { ...request, settled: never });
    void say(true);
    await edges.until(1);
    await first.close();

    const { edges: again } = await watchLine(await openDriver(), request);
    expect(await again.until(1)).to.deep.equal([true]);
  });

  for (const { said, end } of [
    { said: "is committed", end: () => {} },
    { said: "is refused, and waits in memory", end: () => Promise.reject(new Error("full")) },
  ]) {
    it(`have the next message come once the edge of the one before ${said}`, async () => {
      const driver = await openDriver();
      const seen: (boolean | "settled")[] = [];
      const settled = async () => {
        await delay(COMMIT_MS);
        seen.push("settled");
        await end();
      };
      const line = await driver.watch(lineRequest(LINE, { lastHigh: false, settled }));
      line.listen(({ active }) => seen.push(active), fail);
      for (const saying of [say(true), say(false)]) await saying;
      await until("both are settled", () => seen.length === 4);
      expect(seen).to.deep.equal([true, "settled", false, "settled"]);
    });
  }

  it("have nobody wait for the messages of lines that are not wired", async () => {
    await (await openDriver()).close();
    await say(true, `${BOX}/102`);
    await say(true);
    const driver = await openDriver();
    const { edges } = await watchLine(driver, lineRequest(LINE, { lastHigh: false }));
    driver.forgetOthers([LINE]);
    expect(await edges.until(1)).to.deep.equal([true]);
  });

  it("count nothing of a time in which a line was not wired", async () => {
    const driver = await openDriver();
    const { line } = await watchLine(driver, lineRequest(LINE, { lastHigh: false }));
    await line.close();
    time.advance(CAUGHT_UP_MS);
    for (const value of [true, false, true]) await say(value);
    const { line: again, edges } = await watchLine(driver, lineRequest(LINE, { lastHigh: false }));
    await say(false);

    expect(again.initiallyActive).to.equal(true);
    expect(edges.levels).to.deep.equal([false]);
  });

  it("begin with the ledger's level while a box is silent, and are refused where there is none", async () => {
    const driver = await openDriver();
    const { line } = await watchLine(driver, lineRequest(LINE, { lastHigh: true }));
    expect(line.initiallyActive).to.equal(true);

    const unheard = rejection(driver.watch(lineRequest(`${BOX}/102`)));
    time.advance(CAUGHT_UP_MS);
    expect(await unheard).to.include({ code: "not_found" });
  });

  it("are waited for where a broker is away, and say so", async () => {
    await broker.leave();
    const driver = await openDriver();
    const request = lineRequest(LINE, { lastHigh: false });
    const refused = await rejection(driver.watch(request));
    expect(refused.code).to.equal("unavailable");
    expect(refused.message).to.match(/^The broker 127\.0\.0\.1:\d+ has no service at that port\.$/);
    expect(warnings.slice(MQTT_LIMITS.length)).to.deep.equal([refused.message]);

    await broker.comeBack();
    const { edges } = await watchAgain(driver, request);
    await say(true);
    expect(edges.levels).to.deep.equal([true]);
  });

  describe("with a password", () => {
    let directory: TemporaryDirectory;
    let passwordFile: string;

    beforeEach(() => {
      directory = new TemporaryDirectory();
      passwordFile = directory.file("password");
      writeFileSync(passwordFile, "a canary\n", { mode: 0o600 });
    });

    afterEach(() => directory.remove());

    it("are read with the password of a file", async () => {
      broker.require("flanco", "a canary");
      const driver = await openDriver({ user: "flanco", passwordFile });
      const { edges } = await watchLine(driver, lineRequest(LINE, { lastHigh: false }));
      await say(true);
      expect(edges.levels).to.deep.equal([true]);
    });

    it("say that the broker refuses the password, without showing it", async () => {
      broker.require("flanco", "another one");
      const driver = await openDriver({ user: "flanco", passwordFile });
      const refused = await rejection(driver.watch(lineRequest(LINE, { lastHigh: false })));
      expect(refused.message).to.contain("refuses the user or the password");
      expect(JSON.stringify([refused.message, refused.hint, warnings])).not.to.contain("canary");
    });

    it("are read once its file has the right one, without a restart", async () => {
      broker.require("flanco", "another one");
      const driver = await openDriver({ user: "flanco", passwordFile, reconnectMs: 20 });
      writeFileSync(passwordFile, "another one\n");
      const watched = () => driver.watch(lineRequest(LINE, { lastHigh: false }));
      await until("the broker takes it", () => watched().then(Boolean, () => false));
    });

    it("refuse a password file that other users can read", async () => {
      chmodSync(passwordFile, 0o604);
      const refused = await rejection(createDriver({ user: "flanco", passwordFile }).open());
      expect(refused).to.include({ code: "config", hint: `Close it: chmod o= ${passwordFile}` });
    });
  });

  it("say that the broker does not let flanco read their topic", async () => {
    broker.denyReading();
    const driver = await openDriver();
    await until("the refusal", () => warnings.length > MQTT_LIMITS.length);
    const refused = await rejection(driver.watch(lineRequest(LINE, { lastHigh: false })));
    expect(refused.message).to.equal(`The broker does not let flanco read ${BOX_USER}/+/+/sdata.`);
  });

  it("have messages left out that are not understood, with one warning", async () => {
    const driver = await openDriver();
    const { edges } = await watchLine(driver, lineRequest(LINE, { lastHigh: false }));
    for (const value of ["true", 1, null, { value: true }, "x".repeat(5_000)]) await say(value);
    await say(true, `${BOX}/<b>`);
    await broker.publish({ topic: `${BOX_USER}/${LINE}/sdata`, payload: "{" });
    await say(true);

    expect(edges.levels).to.deep.equal([true]);
    expect(warnings.length - MQTT_LIMITS.length).to.equal(1);
    expect((await driver.detect()).flatMap(({ lines }) => lines).map(({ name }) => name)).to.deep.equal([
      LINE,
    ]);
  });

  it("are a bounded number of lines, however many relays are published", async () => {
    const driver = await openDriver();
    driver.forgetOthers([]);
    for (let relay = 0; relay < 1_030; relay += 1) await say(false, `${BOX}/${relay}`);
    expect((await driver.detect()).flatMap(({ lines }) => lines)).to.have.length(1_024);
  });
});
