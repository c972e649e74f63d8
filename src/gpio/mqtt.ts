import type { IPublishPacket, MqttClient } from "mqtt";
import * as z from "zod";
import { type Cancel, type Clock, SECOND_MS, type Timers } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import {
  type ChipInfo,
  type Edge,
  type LineDriver,
  type LineInfo,
  type LineRequest,
  MAX_LINES,
  type WatchedLine,
} from "../domain/line.ts";
import { parseJson } from "../domain/text.ts";
import {
  type BrokerAddress,
  brokerError,
  connectToBroker,
  silentBrokerError,
} from "../platform/mqtt-client.ts";
import { CONSUMER, describeLine, formatLine, inUseError, resolveLine } from "./address.ts";

/** What this driver cannot do, for the log at start. */
export const MQTT_LIMITS: readonly string[] = [
  "boxes send no time: an edge is stamped when its message arrives",
  "boxes number no message: one that is lost on its way is not seen, and cannot be counted",
  "a box's contact is debounced by the box: a line's debounce time and bias change nothing",
];

/** How long `open` waits for the broker. After that the recorder tries the lines again. */
const OPEN_MS = 5 * SECOND_MS;
/** How long `watch` waits for the first message of a line. */
const HEAR_MS = 2 * SECOND_MS;
/** How long after a connection messages are kept for lines that are not watched again yet. */
const CATCH_UP_MS = 15 * SECOND_MS;
/** The most levels that are kept of one line for that time: as many as the kernel buffers of a GPIO line. */
const MAX_WAITING = 1_024;
const MAX_PAYLOAD_BYTES = 1_024;
/** So many messages may lie unacknowledged between two connections: more than brokers send ahead. */
const MAX_REMEMBERED = 200;
/** The form of a box's or relay's name in a topic. */
const PART = /^[\w.:@ -]{1,100}$/u;
const CHIP_LABEL = "relay box";

const payloadSchema = z.object({ value: z.boolean() });

/** The boxes' broker, and the user of the system before flanco to whom the boxes belong. */
export interface BoxBroker extends BrokerAddress {
  /** The first part of the boxes' topics. */
  readonly boxUser: string;
  /** The client id by which the broker keeps messages for this gateway; null: it keeps none. */
  readonly clientId: string | null;
}

export interface MqttDependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly broker: BoxBroker;
  /** Called with each of MQTT_LIMITS at `open`, and with what is wrong with the broker or its messages. */
  readonly warn: (text: string) => void;
}

/** A level of a line, as a message told it. */
interface ReportedLevel {
  readonly high: boolean;
  readonly timeNs: bigint;
  /** To be called once the broker need not send this level again. */
  readonly acknowledge: () => void;
}

/** A relay of a box. */
interface BoxLine {
  readonly info: LineInfo;
  /** The level by the last message; undefined where this connection brought none yet. */
  high: boolean | undefined;
  /** The level that was last delivered to a watch; undefined once the line is released, and before its first watch. */
  given: boolean | undefined;
  /** The levels since the connection was made while the line was not watched. */
  waiting: ReportedLevel[];
  watch: BoxWatch | null;
}

/**
 * Relays of boxes of the system before flanco. A box publishes `{"value": true}` under
 * `USER/BOX/RELAY/sdata`. A box is a chip, a relay of it the line `BOX/RELAY`. The broker keeps
 * messages of QoS 1 while this process or the connection is away; MQTT_LIMITS lists what is not seen.
 *
 * Messages are taken one at a time: the next one once the ledger has the level of this one, and it is
 * acknowledged. A process that is killed leaves one message at most that is committed and comes again; it
 * says the line's level, and is no edge.
 */
export class MqttDriver implements LineDriver {
  readonly name = "mqtt";
  readonly #dependencies: MqttDependencies;
  /** By name. */
  readonly #lines = new Map<string, BoxLine>();
  readonly #waiters = new Set<() => void>();
  #client: MqttClient | null = null;
  #problem: FlancoError | null = null;
  #isReady = false;
  /** Whether messages that the broker has kept may still come. */
  #isCatchingUp = true;
  #endCatchUp: Cancel = () => {};
  /** Wired lines that were not watched yet, by name; null until it is known which these are. */
  #unseen: Set<string> | null = null;
  /** What was acknowledged last, by the broker's number of the message: a connection may end before the broker hears so. */
  readonly #acknowledged = new Map<number, string>();
  #hasWarned = false;

  constructor(dependencies: MqttDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Throws `config` where a file of the broker's address
   * cannot be used. A broker that is away is tried again.
   */
  async open(): Promise<void> {
    const { broker, warn } = this.#dependencies;
    for (const limit of MQTT_LIMITS) warn(limit);
    this.#acknowledged.clear();
    for (const line of this.#lines.values()) line.high = undefined;
    const client = await connectToBroker(broker, broker.clientId);
    this.#client = client;
    client.on("connect", ({ sessionPresent }) => void this.#begin(client, sessionPresent));
    client.handleMessage = (packet, done) => this.#receive(client, packet, done);
    client.on("error", (error) => this.#complain(brokerError(broker.url, error)));
    client.on("close", () => this.#lose());
    await this.#until(() => this.#isReady || this.#problem !== null, OPEN_MS);
  }

  async detect(): Promise<readonly ChipInfo[]> {
    return this.#chips();
  }

  /**
   * As the interface says. A line without a message begins with `request.lastHigh`. Without
   * that, `watch` waits for a message for two seconds, then rejects with `unavailable`.
   */
  async watch(request: LineRequest): Promise<WatchedLine> {
    if (!this.#isReady) throw this.#problem ?? silentBrokerError(this.#dependencies.broker.url);
    const line = await this.#find(request);
    if (line.watch !== null) throw inUseError(line.info, CONSUMER);
    const before = line.given ?? request.lastHigh;
    const isBehind = before !== undefined && line.waiting.length > 0;
    const high = isBehind ? before : (line.high ?? before);
    if (high === undefined) throw unheardError(line.info);
    const watch = new BoxWatch(line, high, request, isBehind ? line.waiting.splice(0) : []);
    forgetWaiting(line);
    line.watch = watch;
    this.#unseen?.delete(line.info.name ?? "");
    return watch;
  }

  forgetOthers(lines: readonly string[]): void {
    const isWatched = (name: string) => this.#lines.get(name)?.given !== undefined;
    this.#unseen = new Set(lines.filter((name) => !isWatched(name)));
    for (const line of this.#lines.values()) if (!this.#isAwaited(line)) forgetWaiting(line);
  }

  async read(name: string): Promise<boolean> {
    const line = await this.#find({ line: name });
    if (line.watch !== null) throw inUseError(line.info, CONSUMER);
    if (line.high === undefined) throw unheardError(line.info);
    return line.high;
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    this.#isReady = false;
    this.#endCatchUp();
    for (const line of this.#lines.values()) {
      await line.watch?.close();
      line.waiting = [];
    }
    client?.removeAllListeners("close");
    // An error from here on concerns no line.
    await client?.endAsync(!client.connected);
  }

  /**
   * Called at each connection. A broker that has kept this client's session may send its messages before it
   * answers the subscription, and each waits until its line is watched.
   */
  async #begin(client: MqttClient, hasSession: boolean): Promise<void> {
    const { broker, timers } = this.#dependencies;
    if (hasSession) this.#serve();
    const topic = `${broker.boxUser}/+/+/sdata`;
    this.#endCatchUp();
    this.#endCatchUp = timers.after(CATCH_UP_MS, () => {
      this.#isCatchingUp = false;
      for (const line of this.#lines.values()) forgetWaiting(line);
    });
    try {
      await client.subscribeAsync(topic, { qos: 1 });
    } catch (cause) {
      // A connection that ended meanwhile is reported by its own event.
      if (!client.connected) return;
      this.#complain(deniedError(topic, cause));
      this.#lose();
      return;
    }
    if (this.#client === client) this.#serve();
  }

  #serve(): void {
    this.#isReady = true;
    this.#problem = null;
    this.#wake();
  }

  #complain(problem: FlancoError): void {
    if (this.#problem?.message !== problem.message) this.#dependencies.warn(problem.message);
    this.#problem = problem;
    this.#wake();
  }

  /** Call when the connection has ended. The broker sends kept messages with the next connection. */
  #lose(): void {
    this.#isCatchingUp = true;
    if (!this.#isReady) return;
    this.#isReady = false;
    const problem = this.#problem ?? silentBrokerError(this.#dependencies.broker.url);
    for (const line of this.#lines.values()) line.watch?.fail(problem);
  }

  /**
   * Takes in a message; `done` acknowledges it, and has the next one come. A message of
   * QoS 1 waits for the ledger, unless it says the level that the broker keeps for each new subscriber.
   */
  #receive(client: MqttClient, packet: IPublishPacket, done: () => void): void {
    const { clock, warn, broker } = this.#dependencies;
    const [, box = "", relay = ""] = packet.topic.split("/");
    const message = PART.test(box) && PART.test(relay) ? parse(packet.payload) : undefined;
    const line = message && this.#lineOf(box, relay);
    if (message === undefined || line === undefined) {
      if (!this.#hasWarned) warn("a message of a box was not understood: it is left out");
      this.#hasWarned = true;
      done();
      return;
    }
    const { messageId = 0, qos, retain, dup } = packet;
    const { stream } = client;
    const said = `${line.info.name} ${message.value}`;
    const settle = () => {
      remember(this.#acknowledged, messageId, said);
      // With another connection the broker sends the message again, by a number that is of that connection.
      if (this.#client === client && client.stream === stream) done();
    };
    const waits = qos === 1 && !retain && broker.clientId !== null;
    const acknowledge = waits ? settle : () => {};
    if (waits && dup && this.#acknowledged.get(messageId) === said) acknowledge();
    else this.#hear(line, { high: message.value, timeNs: clock.monotonicNs(), acknowledge });
    if (!waits) done();
  }

  #hear(line: BoxLine, heard: ReportedLevel): void {
    line.high = heard.high;
    const isKept = this.#isCatchingUp && this.#isAwaited(line) && line.waiting.length < MAX_WAITING;
    if (line.watch !== null) line.watch.hear(heard);
    else if (isKept) line.waiting.push(heard);
    else heard.acknowledge();
    this.#wake();
  }

  /** Whether a line that is not watched will be, so that its messages wait. */
  #isAwaited({ info, given }: BoxLine): boolean {
    return given !== undefined || this.#unseen === null || this.#unseen.has(info.name ?? "");
  }

  /** The line of a box's relay. A new one is added; undefined beyond MAX_LINES. */
  #lineOf(box: string, relay: string): BoxLine | undefined {
    const name = `${box}/${relay}`;
    const known = this.#lines.get(name);
    if (known !== undefined || this.#lines.size === MAX_LINES) return known;
    const offset = [...this.#lines.values()].filter(({ info }) => info.chip === box).length;
    const info = { chip: box, offset, name, holder: null };
    const line: BoxLine = { info, high: undefined, given: undefined, waiting: [], watch: null };
    this.#lines.set(name, line);
    return line;
  }

  /** The line of that name. A line with `lastHigh` may have had messages in an earlier process alone. */
  async #find({ line: name, lastHigh }: Pick<LineRequest, "line" | "lastHigh">): Promise<BoxLine> {
    const [box = "", relay = "", more] = name.split("/");
    const mayBeLine = more === undefined && PART.test(box) && PART.test(relay);
    if (mayBeLine && lastHigh !== undefined) {
      const line = this.#lineOf(box, relay);
      if (line !== undefined) return line;
    }
    const heard = () => this.#lines.get(name)?.high !== undefined;
    if (mayBeLine) await this.#until(heard, HEAR_MS);
    const known = this.#lines.get(name);
    if (known !== undefined) return known;
    const info = resolveLine(name, this.#chips());
    const line = this.#lines.get(info.name ?? "");
    if (line === undefined) throw new FlancoError("internal", `The line ${name} is lost.`);
    if (!mayBeLine) await this.#until(() => line.high !== undefined, HEAR_MS);
    return line;
  }

  #chips(): readonly ChipInfo[] {
    const byChip = Map.groupBy(this.#lines.values(), ({ info }) => info.chip);
    return [...byChip].map(([name, lines]) => ({
      name,
      label: CHIP_LABEL,
      lines: lines.map(({ info, watch }) => ({ ...info, holder: watch === null ? null : CONSUMER })),
    }));
  }

  /** Resolves when `holds` gives true, or after this time. */
  #until(holds: () => boolean, ms: number): Promise<void> {
    if (holds()) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => {
      cancel();
      this.#waiters.delete(check);
      resolve();
    };
    const check = () => void (holds() && end());
    const cancel = this.#dependencies.timers.after(ms, end);
    this.#waiters.add(check);
    return promise;
  }

  #wake(): void {
    for (const check of this.#waiters) check();
  }
}

class BoxWatch implements WatchedLine {
  readonly address: string;
  readonly initiallyActive: boolean;
  readonly #line: BoxLine;
  readonly #activeLow: boolean;
  readonly #settled: () => Promise<void>;
  /** The levels that `listen` will deliver; null once it was called. */
  #waiting: ReportedLevel[] | null;
  #sequence = 0;
  #onEdge: (edge: Edge) => void = () => {};
  #onFailure: (error: Error) => void = () => {};

  constructor(
    line: BoxLine,
    high: boolean,
    { activeLow, settled = () => Promise.resolve() }: LineRequest,
    waiting: ReportedLevel[],
  ) {
    this.address = formatLine(line.info);
    this.initiallyActive = high !== activeLow;
    this.#line = line;
    this.#activeLow = activeLow;
    this.#settled = settled;
    this.#waiting = waiting;
    line.given = high;
  }

  listen(
    onEdge: (edge: Edge) => void,
    onFailure: (error: Error) => void,
    onRaw: (edge: Edge) => void = () => {},
  ): void {
    this.#onEdge = (edge) => {
      onRaw(edge);
      onEdge(edge);
    };
    this.#onFailure = onFailure;
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const heard of waiting) this.hear(heard);
  }

  /** Delivers a level. A box that repeats its level makes no edge. */
  hear(heard: ReportedLevel): void {
    if (this.#waiting !== null) {
      this.#waiting.push(heard);
      return;
    }
    const { high, timeNs, acknowledge } = heard;
    if (high !== this.#line.given) {
      this.#line.given = high;
      this.#sequence += 1;
      this.#onEdge({ active: high !== this.#activeLow, timeNs, sequence: this.#sequence, missed: 0 });
    }
    // An edge that the ledger refuses waits in memory with those of other lines: a broker with a full queue drops messages unseen.
    void this.#settled().then(acknowledge, acknowledge);
  }

  /** Ends the watch with an error. The line keeps the level that was last delivered, for the next watch. */
  fail(problem: Error): void {
    this.#release();
    this.#onFailure(problem);
  }

  async close(): Promise<void> {
    if (this.#line.watch !== this) return;
    this.#release();
    this.#line.given = undefined;
    for (const { acknowledge } of this.#waiting?.splice(0) ?? []) acknowledge();
  }

  #release(): void {
    if (this.#line.watch === this) this.#line.watch = null;
  }
}

function forgetWaiting(line: BoxLine): void {
  for (const { acknowledge } of line.waiting.splice(0)) acknowledge();
}

function remember(acknowledged: Map<number, string>, messageId: number, said: string): void {
  acknowledged.delete(messageId);
  acknowledged.set(messageId, said);
  const [oldest = messageId] = acknowledged.keys();
  if (acknowledged.size > MAX_REMEMBERED) acknowledged.delete(oldest);
}

function parse(payload: string | Buffer): z.infer<typeof payloadSchema> | undefined {
  return payload.length > MAX_PAYLOAD_BYTES ? undefined : parseJson(payloadSchema, payload.toString());
}

function unheardError(line: LineInfo): FlancoError {
  return new FlancoError("unavailable", `No message about ${describeLine(line)} has come yet.`, {
    hint: "Switch its relay once, and check that its box reaches the broker.",
  });
}

function deniedError(topic: string, cause: unknown): FlancoError {
  return new FlancoError("unavailable", `The broker does not let flanco read ${topic}.`, {
    hint: "Give the broker's user the right to read that topic.",
    cause,
  });
}
