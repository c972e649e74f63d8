import type { MqttClient } from "mqtt";
import type { SinkSettingsOf } from "../contract/sink.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { ChainEntry, ChainHead, CorrectionEntry } from "../domain/chain-entry.ts";
import type { Change } from "../domain/change.ts";
import { SECOND_MS } from "../domain/clock.ts";
import type { Device } from "../domain/device.ts";
import { FlancoError } from "../domain/error.ts";
import type { Language } from "../domain/language.ts";
import type { Log } from "../domain/log.ts";
import type { RecordEntry } from "../domain/record.ts";
import type { EntryBatch, EntrySink } from "../domain/sink.ts";
import { brokerError, connectToBroker, isOtherVersion, silentBrokerError } from "../platform/mqtt-client.ts";
import { type AnnouncedGateway, announcedTopics, announceGateway, announceRoom } from "./home-assistant.ts";

const ONLINE = "online";
const OFFLINE = "offline";
const KEPT = { qos: 1, retain: true } as const;
/** The longest client id that every broker takes (MQTT 3.1.1, section 3.1.3.1). */
const MAX_CLIENT_ID = 23;
/** How long a message that the broker has acknowledged may take to come back, where that is asked for. */
const RETURN_MS = 10 * SECOND_MS;
/** The pause before a broker that speaks no MQTT 5 is called by MQTT 3.1.1. */
const AT_ONCE_MS = 1;
/** The most messages that wait for the broker at once: of the rooms, and as many of the chain. */
const MAX_UNACKNOWLEDGED = 50;
/** What a broker without such a limit takes (MQTT 5, section 3.2.2.3.3). */
const NO_MAXIMUM = 65_535;
/** The most retained topics, also where a false broker names more and more of them. */
const MAX_KEPT = 10_000;

export interface MqttSinkOptions {
  readonly settings: SinkSettingsOf<"mqtt">;
  /** The language of what Home Assistant is told. */
  readonly language: Language;
  /** As in `BrokerAddress`. */
  readonly reconnectMs?: number;
  /** `RETURN_MS`, unless a test sets it. */
  readonly returnMs?: number;
  /** The ledger's identity, then those that it had on earlier gateways, the latest first. */
  readonly ledgers: readonly string[];
  /** The gateway's name. */
  readonly gateway: () => string;
  /** The program's version, as Home Assistant shows it. */
  readonly version: string;
  /** The devices of all accounts. */
  readonly devices: () => readonly Device[];
  readonly log: Log;
}

/**
 * Publishes each sale and correction once it is durable in the ledger (QoS 1, not retained), the state
 * of each room (retained), and by a last will whether the gateway is there. A sale may be repeated after
 * a crash: by `hash` it is known to be the same. docs/beyond.md lists the topics.
 *
 * A broker may refuse a message and yet go on. By MQTT 5 its acknowledgement says so. One that speaks
 * MQTT 3.1.1 alone does not: there the sink reads what it publishes, and a message counts once it is back.
 */
export class MqttSink implements EntrySink {
  readonly name = "mqtt";
  readonly #options: MqttSinkOptions;
  readonly #ledger: string;
  readonly #base: string;
  /** What each retained topic is to have; empty where the broker is to forget it. */
  readonly #kept = new Map<string, string>();
  /** Those of them that the broker may lack. */
  readonly #unsent = new Set<string>();
  #unacknowledged = 0;
  /** Resolves once the broker has answered whether it lets the topics be read: what is published before may not come back. */
  #subscribed = Promise.withResolvers<void>();
  /** Called when the broker has all of them. */
  #onForgotten: () => void = () => {};
  /** The most messages of one kind that may wait for the broker at once. */
  #most = MAX_UNACKNOWLEDGED;
  /** Messages that must come back, by topic and payload. */
  readonly #awaited = new Map<string, () => void>();
  #client: MqttClient | null = null;
  #problem: FlancoError | null = null;
  /** Undefined before `open`, and where that has failed. */
  #opening: Promise<void> | undefined;
  /** Resolves once it is known how the first connection went. */
  readonly #tried = Promise.withResolvers<void>();

  constructor(options: MqttSinkOptions) {
    this.#options = options;
    [this.#ledger = ""] = options.ledgers;
    this.#base = `${options.settings.mqtt_topic}/${this.#ledger}`;
  }

  /** Connects in the background. `deliver` reports what is wrong with the address. */
  open(): void {
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = undefined;
      if (!(error instanceof FlancoError))
        this.#options.log.error({ err: error }, "the MQTT sink has failed");
      else this.#problem = error;
      this.#tried.resolve();
    });
  }

  /** Publishes the states of rooms that a commit has changed. */
  apply(changes: readonly Change[]): void {
    if (!this.#client?.connected) return;
    if (changes.some(({ kind }) => kind === "locations")) this.#keepRooms();
    for (const change of changes) {
      if (change.kind !== "actuator") continue;
      this.#keep(this.#topicOf("state", change.deviceId, change.actuatorId), stateOf(change.value));
    }
  }

  /**
   * Resolves when the broker has taken the batch, with null, because it does not know the
   * chain; with the newest entry before the first that it refused, where it took some.
   */
  async deliver({ ledger, entries }: EntryBatch, signal: AbortSignal): Promise<ChainHead | null> {
    const client = await this.#ready(signal);
    const unacknowledged = new Set<number>();
    // The next try sends the batch again: the library would
    // keep the messages of every try, and send them all.
    const forget = () => {
      for (const id of unacknowledged) client.removeOutgoingMessage(id);
    };
    signal.addEventListener("abort", forget, { once: true });
    for (let from = 0; from < entries.length; from += this.#most) {
      const part = entries.slice(from, from + this.#most);
      const sent = await Promise.allSettled(
        part.map((entry) => this.#send(client, ledger, entry, unacknowledged)),
      );
      signal.throwIfAborted();
      const at = sent.findIndex(({ status }) => status === "rejected");
      const failure = sent[at];
      if (failure?.status !== "rejected") continue;
      const last = entries[from + at - 1];
      if (last === undefined) throw failure.reason;
      return { position: last.position, hash: last.hash };
    }
    return null;
  }

  async test(signal: AbortSignal): Promise<string> {
    const topic = `${this.#base}/test`;
    await this.#publish(await this.#ready(signal), topic, JSON.stringify({ test: true }));
    return `The broker has taken a message under ${topic}.`;
  }

  /**
   * Publishes that the gateway is away, if the broker can be reached, and ends the connection.
   * @param isForGood whether the broker is to forget the rooms, because the sink was turned off
   */
  async close(isForGood = false): Promise<void> {
    await this.#opening;
    const client = this.#client;
    // Ends once the broker has acknowledged that, or is silent: the library then opens no other connection.
    if (client?.connected && isForGood) await this.#forgetRooms();
    else if (client?.connected) client.publish(this.#availability, OFFLINE, KEPT);
    this.#client = null;
    await client?.endAsync(!client.connected);
  }

  async #connect(): Promise<void> {
    const { settings, reconnectMs } = this.#options;
    const { mqtt_url: url, mqtt_login: user } = settings;
    const { mqtt_password_file: passwordFile, mqtt_authority_file: authorityFile } = settings;
    const will = { topic: this.#availability, payload: Buffer.from(OFFLINE), ...KEPT };
    const broker = { url, user, passwordFile, authorityFile, reconnectMs };
    // By its id the broker ends a connection that a power cut has left open. Otherwise
    // that one's will would say later that the gateway is away, although it is back.
    const clientId = `flanco${this.#ledger}`.slice(0, MAX_CLIENT_ID);
    const client = await connectToBroker(broker, null, { will, clientId, protocolVersion: 5 });
    this.#client = client;
    const { reconnectPeriod = 0 } = client.options;
    /** What came of the connection that is under way. */
    let outcome: "none" | "taken" | "failed" = "none";
    client.on("connect", ({ properties }) => {
      outcome = "taken";
      const maximum = properties?.receiveMaximum ?? NO_MAXIMUM;
      // Beside both kinds there is room for a test and for the gateway's own state.
      this.#most = Math.min(MAX_UNACKNOWLEDGED, Math.max(1, Math.floor((maximum - 2) / 2)));
      this.#greet(client);
      this.#tried.resolve();
    });
    client.on("error", (error) => {
      if (isOtherVersion(error) && client.options.protocolVersion === 5) {
        client.options.reconnectPeriod = AT_ONCE_MS;
        return;
      }
      outcome = "failed";
      this.#problem = brokerError(url, error);
      this.#tried.resolve();
    });
    client.on("close", () => {
      this.#subscribed.resolve();
      const { protocolVersion } = client.options;
      client.options.reconnectPeriod = reconnectPeriod;
      // An old broker refuses MQTT 5, or ends the connection without a word. One that was taken begins with 5 again.
      client.options.protocolVersion = outcome === "none" && protocolVersion === 5 ? 4 : 5;
      if (outcome === "none" && protocolVersion === 4) this.#tried.resolve();
      outcome = "none";
    });
    client.on("message", (topic, payload, { retain }) => {
      if (!retain) this.#awaited.get(messageOf(topic, payload.toString()))?.();
      // Of a room that went while the broker or this program was away.
      else if (payload.length > 0 && !this.#kept.has(topic)) this.#keep(topic, "");
    });
  }

  get #availability(): string {
    return `${this.#base}/status`;
  }

  /** The client, connected. At the start it waits until the first connection is there or has failed. */
  async #ready(signal: AbortSignal): Promise<MqttClient> {
    // A file that could not be read may be right by the next try.
    this.open();
    await this.#tried.promise;
    if (this.#client?.connected) await this.#subscribed.promise;
    signal.throwIfAborted();
    if (this.#client?.connected) return this.#client;
    throw this.#problem ?? silentBrokerError(this.#options.settings.mqtt_url);
  }

  /** Publishes everything retained after each connection: the broker may have lost it. */
  #greet(client: MqttClient): void {
    this.#problem = null;
    this.#subscribed = Promise.withResolvers();
    const mustReturn = client.options.protocolVersion !== 5;
    const announced = this.#announced;
    const read = [
      `${this.#base}/+/+/state`,
      ...(announced === null ? [] : [announcedTopics(announced)]),
      ...(mustReturn ? [`${this.#base}/+/+/sale`, `${this.#base}/correction`, `${this.#base}/test`] : []),
    ];
    // Its own messages do not come back by MQTT 5.
    const { resolve } = this.#subscribed;
    client.subscribe(read, { qos: 1, ...(!mustReturn && { nl: true }) }, (err) => {
      resolve();
      if (err) this.#options.log.debug({ err }, "the broker does not let flanco read its topics");
    });
    for (const topic of this.#kept.keys()) this.#unsent.add(topic);
    this.#keepRooms();
    this.#sendKept();
  }

  /** Publishes the announcement and state of each room, and removes those of rooms that are gone. */
  #keepRooms(): void {
    const announced = this.#announced;
    const wanted = new Map([[this.#availability, ONLINE]]);
    if (announced !== null) wanted.set(...announceGateway(announced));
    for (const device of this.#options.devices()) {
      for (const { id, value } of device.actuators) {
        const [state, sale] = [this.#topicOf("state", device.id, id), this.#topicOf("sale", device.id, id)];
        wanted.set(state, stateOf(value));
        if (announced === null) continue;
        for (const [topic, payload] of announceRoom(announced, device, id, { state, sale })) {
          wanted.set(topic, payload);
        }
      }
    }
    for (const topic of this.#kept.keys()) if (!wanted.has(topic)) this.#keep(topic, "");
    for (const [topic, payload] of wanted) this.#keep(topic, payload);
  }

  /** What Home Assistant is told of this gateway; null where it is told nothing. */
  get #announced(): AnnouncedGateway | null {
    const { settings, language, ledgers, gateway, version } = this.#options;
    const { mqtt_discovery_topic: prefix } = settings;
    if (prefix === "") return null;
    const availability = this.#availability;
    return { prefix, firstLedger: ledgers.at(-1) ?? "", name: gateway(), version, language, availability };
  }

  /** Publishes a retained message, unless it is there already. An empty one removes it. */
  #keep(topic: string, payload: string): void {
    if (this.#kept.get(topic) === payload || (this.#kept.size >= MAX_KEPT && !this.#kept.has(topic))) return;
    this.#unsent.add(topic);
    this.#kept.set(topic, payload);
    this.#sendKept();
  }

  /** Removes everything retained. Resolves once the broker has acknowledged that; maybe never. */
  async #forgetRooms(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onForgotten = resolve;
    for (const topic of this.#kept.keys()) this.#keep(topic, "");
    await promise;
  }

  #sendKept(): void {
    const client = this.#client;
    for (const topic of this.#unsent) {
      if (!client?.connected || this.#unacknowledged >= this.#most) return;
      this.#unsent.delete(topic);
      const payload = this.#kept.get(topic) ?? "";
      this.#unacknowledged += 1;
      client.publish(topic, payload, KEPT, (err) => {
        this.#unacknowledged -= 1;
        // What was refused is published again with the next connection.
        if (err) this.#options.log.debug({ err, topic }, "a room's state was not published");
        else if (payload === "" && this.#kept.get(topic) === "") this.#kept.delete(topic);
        if (this.#unsent.size === 0 && this.#unacknowledged === 0) this.#onForgotten();
        this.#sendKept();
      });
    }
  }

  /**
   * Resolves when the broker has taken the entry.
   * @param unacknowledged holds the message's number until then
   */
  async #send(
    client: MqttClient,
    ledger: string,
    entry: ChainEntry,
    unacknowledged: Set<number>,
  ): Promise<void> {
    // Audit entries stay on the gateway.
    if (entry.kind === "evidence") return;
    const isRecord = entry.kind === "record";
    const topic = isRecord
      ? this.#topicOf("sale", entry.record.deviceId, entry.record.room)
      : `${this.#base}/correction`;
    const said = isRecord ? saleOf(entry.record) : correctionOf(entry.correction);
    const identity = { ledger, position: entry.position, hash: entry.hash };
    const taken = this.#publish(client, topic, JSON.stringify({ ...said, ...identity }));
    const id = client.getLastMessageId();
    unacknowledged.add(id);
    await taken.finally(() => unacknowledged.delete(id));
  }

  /**
   * Publishes a message that is not retained. It has its number when this
   * returns. Resolves once the broker has taken it, as far as it tells.
   */
  async #publish(client: MqttClient, topic: string, payload: string): Promise<void> {
    const mustReturn = client.options.protocolVersion !== 5;
    const message = messageOf(topic, payload);
    const { promise: returned, resolve, reject } = Promise.withResolvers<void>();
    if (mustReturn) this.#awaited.set(message, resolve);
    let timer: NodeJS.Timeout | undefined;
    try {
      await client.publishAsync(topic, payload, { qos: 1 }).catch((error: Error) => {
        throw "code" in error && typeof error.code === "number"
          ? this.#refused(`refuses messages under ${topic} (reason ${error.code})`, error)
          : error;
      });
      if (!mustReturn) return;
      const late = () =>
        reject(this.#refused(`has acknowledged a message under ${topic} and not passed it on`));
      timer = setTimeout(late, this.#options.returnMs ?? RETURN_MS);
      await returned;
    } finally {
      clearTimeout(timer);
      if (this.#awaited.get(message) === resolve) this.#awaited.delete(message);
    }
  }

  #refused(what: string, cause?: Error): FlancoError {
    const { host } = new URL(this.#options.settings.mqtt_url);
    const hint = `Allow flanco's user there to write and to read below ${this.#base}.`;
    return new FlancoError("unavailable", `The broker ${host} ${what}.`, { hint, cause });
  }

  /** A topic of a room. The names are encoded, because `/`, `+` and `#` have a meaning in a topic. */
  #topicOf(kind: "state" | "sale", deviceId: string, room: string): string {
    return `${this.#base}/${encodeURIComponent(deviceId)}/${encodeURIComponent(room)}/${kind}`;
  }
}

/** By which a message is known when it comes back. */
function messageOf(topic: string, payload: string): string {
  return `${topic}\n${payload}`;
}

function stateOf(value: boolean): string {
  return value ? "ON" : "OFF";
}

function saleOf({ locationName, deviceName, deviceId, room, valorMicros, ...record }: RecordEntry): object {
  return {
    event_type: record.refundOf === null ? "sale" : "refund",
    number: record.number,
    locationName,
    deviceName,
    deviceId,
    room,
    valor: valorFromMicros(valorMicros),
    time: record.createdTimeMs,
    provisional: record.provisional === 1,
    origin: record.origin,
    refundOf: record.refundOf,
    reason: record.reason,
  };
}

function correctionOf({ kind, lostFrom, lostTo, reason, ...entry }: CorrectionEntry): object {
  return { kind, record: entry.recordId, time: entry.timeMs, lostFrom, lostTo, reason, noted: entry.notedMs };
}
