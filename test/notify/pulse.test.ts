import { expect } from "chai";
import { freePort } from "../../scripts/ports.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS, VirtualTime } from "../../src/domain/clock.ts";
import { type Fault, fault } from "../../src/domain/fault.ts";
import { Forwarder } from "../../src/notify/forwarder.ts";
import { type Pulse, PulseSink } from "../../src/notify/pulse.ts";
import { KeptLog } from "../http/fakes.ts";
import { rejection } from "../rig/rejection.ts";
import { forEachTest, forSuite } from "../rig/standing.ts";
import { until } from "../rig/until.ts";
import { HookReceiver, Secrets } from "./receivers.ts";

const TOKEN = "5f0c9a4e-token-of-the-check";
const GRAVE = fault("disk_full", 0);
const WARNING = fault("disk_low", 0, { freeBytes: 1, totalBytes: 2 });

/** Lets everything that is ready run. */
async function turn(): Promise<void> {
  for (let loops = 0; loops < 3; loops += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A sink whose deliveries can be waited for, beside a time that does not pass by itself. */
class WatchedSink extends PulseSink {
  tries = 0;
  underWay = Promise.resolve();

  override deliver(pulse: Pulse, signal: AbortSignal): Promise<void> {
    this.tries += 1;
    const delivery = super.deliver(pulse, signal);
    this.underWay = delivery.catch(() => {});
    return delivery;
  }
}

describe("the pulse", () => {
  const secrets = forSuite(() => new Secrets().open());
  const time = forEachTest(() => new VirtualTime());
  const log = forEachTest(() => new KeptLog());
  let faults: readonly Fault[];
  let receiver: HookReceiver;
  let port: number;
  let sink: WatchedSink;
  let forwarder: Forwarder;

  beforeEach(async () => {
    faults = [];
    receiver = new HookReceiver(secrets.good);
    receiver.status = 200;
    receiver.text = "OK";
    port = await receiver.open();
    start(`https://localhost:${port}/${TOKEN}`);
  });

  afterEach(async () => {
    const closed = forwarder.close();
    time.advance(MINUTE_MS);
    await closed;
    await receiver.close();
  });

  /** A gateway that starts. */
  function start(url: string): void {
    const settings = {
      pulse_url_file: secrets.write("pulse", `${url}\n`),
      pulse_authority_file: secrets.authorityFile,
    };
    sink = new WatchedSink({ settings, status: { status: async () => ({ faults }) }, clock: time });
    forwarder = new Forwarder({ clock: time, timers: time, log, random: () => 1 });
    forwarder.add(sink, sink);
  }

  /** Time passes, while each delivery takes none. */
  async function pass(ms: number, stepMs = SECOND_MS): Promise<void> {
    for (let passed = 0; passed <= ms; passed += stepMs) {
      await turn();
      await sink.underWay;
      await turn();
      if (passed < ms) time.advance(stepMs);
    }
  }

  const calls = () => receiver.posted.map(({ method, path, body }) => `${method} ${path} ${body}`.trim());
  const failure = () => forwarder.status()[0]?.failure;
  const UP = `GET /${TOKEN}`;

  it("comes within each minute, though sales wake the forwarder all the time", async () => {
    forwarder.open();
    for (let minute = 1; minute <= 5; minute += 1) {
      const before = sink.tries;
      for (let second = 0; second < 60; second += 2) {
        forwarder.apply([]);
        await pass(2 * SECOND_MS);
      }
      expect(sink.tries - before).to.be.within(1, 2);
    }
    expect(new Set(calls())).to.deep.equal(new Set([UP]));
  });

  it("says at once that sales are lost, after two minutes what else somebody must mend, and then that all is well", async () => {
    forwarder.open();
    await pass(SECOND_MS);
    faults = [GRAVE, WARNING];
    await pass(20 * SECOND_MS);
    expect(calls()).to.deep.equal([UP, `POST /${TOKEN}/fail disk_full`]);
    faults = [WARNING];
    await pass(3 * MINUTE_MS);
    expect(calls().at(-1)).to.equal(`POST /${TOKEN}/fail disk_low`);
    expect(calls().slice(1), "it is not well in between").to.not.include(UP);
    faults = [];
    await pass(20 * SECOND_MS);
    expect(calls().at(-1)).to.equal(UP);
  });

  it("says nothing of a fault that passes, of one that is past, of a note, and of its own absence", async () => {
    forwarder.open();
    faults = [WARNING];
    await pass(MINUTE_MS);
    faults = [
      fault("disk_slow", 0, { syncMs: 300 }),
      fault("line_outage", 0, { gaps: 1, from: 0, to: 1, lines: "GPIO4" }),
      fault("sink_failing", 0, { sink: "pulse", reason: "" }),
    ];
    await pass(5 * MINUTE_MS);
    expect(new Set(calls())).to.deep.equal(new Set([UP]));
  });

  it("does not hide a lasting fault by a restart", async () => {
    faults = [WARNING];
    forwarder.open();
    await pass(MINUTE_MS);
    expect(calls()).to.deep.equal([]);
    await pass(2 * MINUTE_MS);
    expect(calls()[0]).to.equal(`POST /${TOKEN}/fail disk_low`);
  });

  it("tells an Uptime Kuma by its parameters, and keeps those that an address has", async () => {
    const { signal } = new AbortController();
    const called = async (path: string, wrong: string) => {
      start(`https://localhost:${port}${path}`);
      await sink.deliver(wrong, signal);
      return calls().at(-1);
    };
    const kuma = `/kuma/api/push/${TOKEN}?status=up&msg=OK&ping=`;
    expect(await called(kuma, "")).to.equal(`GET ${kuma}`);
    expect(await called(kuma, "disk_full, disk_low")).to.equal(
      `GET /kuma/api/push/${TOKEN}?status=down&msg=disk_full%2C+disk_low&ping=`,
    );
    expect(await called(`/${TOKEN}/clinic?create=1`, "")).to.equal(`GET /${TOKEN}/clinic?create=1`);
    expect(await called(`/${TOKEN}/?create=1`, "x")).to.equal(`POST /${TOKEN}/fail?create=1 x`);
  });

  it("is not taken by a receiver that fails, redirects, has no such check or hangs up, and no text has its address", async () => {
    const elsewhere = `https://localhost:${port}/elsewhere`;
    const refusals: readonly [Partial<HookReceiver>, string][] = [
      [{ status: 500 }, "answers 500"],
      [{ status: 302, headers: { location: elsewhere } }, "answers 302"],
      [{ status: 200, headers: {}, text: "OK (not found)" }, "answers: OK (not found)"],
      [{ hangsUp: true }, "ended the connection"],
    ];
    const { signal } = new AbortController();
    for (const [behaviour, message] of refusals) {
      Object.assign(receiver, behaviour);
      const { message: said, hint } = await rejection(sink.deliver("", signal));
      expect(said).to.contain(`The receiver localhost:${port} ${message}`);
      expect(said + hint).to.not.contain(TOKEN);
    }
    expect(calls().join()).to.not.contain("elsewhere");
    start(`not an address ${TOKEN}`);
    expect((await rejection(sink.deliver("", signal))).message).to.not.contain(TOKEN);
  });

  it("is taken by a receiver that never ends its answer, to which no connection is kept", async () => {
    receiver.endsAnswers = false;
    await sink.deliver("", new AbortController().signal);
    await until("the connection is ended", async () => (await receiver.connections()) === 0);
  });

  it("waits ten seconds for a receiver that stalls, on one connection at a time", async () => {
    receiver.stalls = true;
    forwarder.open();
    for (let tries = 1; tries <= 3; tries += 1) {
      await until("the receiver is called", () => receiver.posted.length === tries);
      expect(await receiver.connections()).to.equal(1);
      time.advance(10 * SECOND_MS);
      await until("the connection is given up", async () => (await receiver.connections()) === 0);
      await turn();
      expect(failure()?.message).to.contain("no answer within 10 s");
      time.advance(MINUTE_MS);
    }
  });

  it("is missed by a receiver that is away for a day, and comes once, with the newest state, within a minute of its return", async () => {
    forwarder.open();
    await pass(SECOND_MS);
    await receiver.close();
    const before = sink.tries;
    faults = [WARNING];
    await pass(10 * MINUTE_MS, 5 * SECOND_MS);
    expect(sink.tries - before, "every 45 seconds, once the pauses have grown").to.be.within(15, 20);
    await pass(DAY_MS, 30 * MINUTE_MS);
    const status = forwarder.status()[0];
    expect(status).to.include({ waiting: 1 });
    expect(status?.behindMs).to.be.greaterThan(DAY_MS);
    expect(status?.failure?.message).to.equal(`The receiver localhost:${port} has no service at that port.`);
    receiver = new HookReceiver(secrets.good);
    receiver.status = 200;
    await receiver.open(port);
    faults = [];
    await pass(MINUTE_MS);
    expect(calls()).to.have.length.within(1, 2);
    expect(calls()[0]).to.equal(UP);
    expect(forwarder.status()[0]).to.include({ waiting: 0, behindMs: 0, failure: null });
    expect(JSON.stringify(log)).to.not.contain(TOKEN);
  });

  it("ends with the gateway", async () => {
    forwarder.open();
    await pass(SECOND_MS);
    const closed = forwarder.close();
    time.advance(2 * SECOND_MS);
    await closed;
    await pass(5 * MINUTE_MS);
    expect(calls()).to.deep.equal([UP]);
    expect(time.pendingTimers).to.equal(0);
  });

  it("is tested by the true state, and says what the receiver answers", async () => {
    const { signal } = new AbortController();
    receiver.status = 202;
    expect(await sink.test(signal)).to.equal(`The receiver localhost:${port} answers 202. All is well.`);
    faults = [GRAVE];
    expect(await sink.test(signal)).to.contain("It was told of disk_full.");
    start(`http://localhost:${await freePort()}/${TOKEN}`);
    expect((await rejection(sink.test(signal))).message).to.contain("has no service at that port");
  });
});
