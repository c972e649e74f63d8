import { hash } from "node:crypto";
import type { MqttClient } from "mqtt";
import type { Config, ConfigKey } from "../config/schema.ts";
import { valorFromMicros } from "../domain/amount.ts";
import type { ChainEntry, CorrectionEntry, RecordEntry } from "../domain/chain-entry.ts";
import type { Change } from "../domain/change.ts";
import type { Device } from "../domain/device.ts";
import { FlancoError } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import type { EntryBatch, EntrySink } from "../domain/sink.ts";
import { brokerError, connectToBroker, silentBrokerError } from "../mqtt-client.ts";

const ONLINE = "online";
const OFFLINE = "offline";
const KEPT = { qos: 1, retain: true } as const;
const ID_DIGITS = 16;
/** The longest client id that every broker takes (MQTT 3.1.1, section 3.1.3.1). */
const MAX_CLIENT_ID = 23;

export interface MqttSinkOptions {
  readonly settings: Pick<Config, Extract<ConfigKey, `mqtt_${string}`>>;
  /** As in `BrokerAddress`. */
  readonly reconnectMs?: number;
  /** The ledger's identity, which tells gateways at one broker apart. */
  readonly ledger: string;
  /** The program's version, as Home Assistant shows it. */
  readonly version: string;
  /** The devices of all accounts. */
  readonly devices: () => readonly Device[];
  readonly log: Log;
}

/**
 * Publishes each sale and correction once it is durable in the ledger (QoS 1, not retained), the state
 * of each room (retained), and by a last will whether the gateway is there. A sale may be repeated after
 * a crash: by `ledger` and `position` it is known to be the same. docs/beyond.md lists the topics.
 */
export class MqttSink implements EntrySink {
  readonly name = "mqtt";
  readonly #options: MqttSinkOptions;
  readonly #base: string;
  /** The last payload of each retained topic; null where the broker may have lost it. */
  readonly #kept = new Map<string, string | null>();
  #client: MqttClient | null = null;
  #problem: FlancoError | null = null;
  /** Undefined before `open`, and where that has failed. */
  #opening: Promise<void> | undefined;

  constructor(options: MqttSinkOptions) {
    this.#options = options;
    this.#base = `${options.settings.mqtt_topic}/${options.ledger}`;
  }

  /** Connects in the background. `deliver` reports what is wrong with the address. */
  open(): void {
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = undefined;
      if (!(error instanceof FlancoError))
        this.#options.log.error({ err: error }, "the MQTT sink has failed");
      else this.#problem = error;
    });
  }

  /** Publishes the states of rooms that a commit has changed. */
  apply(changes: readonly Change[]): void {
    const client = this.#client;
    if (!client?.connected) return;
    if (changes.some(({ kind }) => kind === "locations")) this.#keepRooms(client);
    for (const change of changes) {
      if (change.kind !== "actuator") continue;
      this.#keep(client, this.#topicOf("state", change.deviceId, change.actuatorId), stateOf(change.value));
    }
  }

  /**
   * Resolves when the broker has acknowledged each message.
   * Gives null, because a broker does not know the chain.
   */
  async deliver({ ledger, entries }: EntryBatch, signal: AbortSignal): Promise<null> {
    const client = this.#connected();
    const unacknowledged = new Set<number>();
    // The next try sends the batch again: the library would
    // keep the messages of every try, and send them all.
    const forget = () => {
      for (const id of unacknowledged) client.removeOutgoingMessage(id);
    };
    signal.addEventListener("abort", forget, { once: true });
    // Audit entries stay on the gateway.
    const published = entries.filter((entry) => entry.kind !== "evidence");
    await Promise.all(
      published.map(async (entry) => {
        const acknowledged = this.#send(client, ledger, entry);
        const id = client.getLastMessageId();
        unacknowledged.add(id);
        await acknowledged;
        unacknowledged.delete(id);
      }),
    );
    return null;
  }

  async test(): Promise<string> {
    const topic = `${this.#base}/test`;
    await this.#connected().publishAsync(topic, JSON.stringify({ test: true }), { qos: 1 });
    return `The broker has taken a message under ${topic}.`;
  }

  /** Publishes that the gateway is away, if the broker can be reached, and ends the connection. */
  async close(): Promise<void> {
    await this.#opening;
    const client = this.#client;
    this.#client = null;
    // Ends once the broker has acknowledged that, or is silent: the library then opens no other connection.
    if (client?.connected) client.publish(this.#availability, OFFLINE, KEPT);
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
    const clientId = `flanco${this.#options.ledger}`.slice(0, MAX_CLIENT_ID);
    const client = await connectToBroker(broker, null, { will, clientId });
    this.#client = client;
    client.on("connect", () => this.#greet(client));
    client.on("error", (error) => {
      this.#problem = brokerError(url, error);
    });
  }

  get #availability(): string {
    return `${this.#base}/status`;
  }

  #connected(): MqttClient {
    if (this.#client?.connected) return this.#client;
    // A file that could not be read may be right by the next try.
    this.open();
    throw this.#problem ?? silentBrokerError(this.#options.settings.mqtt_url);
  }

  /** Publishes everything retained after each connection: the broker may have lost it. */
  #greet(client: MqttClient): void {
    this.#problem = null;
    for (const topic of this.#kept.keys()) this.#kept.set(topic, null);
    this.#keep(client, this.#availability, ONLINE);
    this.#keepRooms(client);
  }

  /** Publishes the announcement and state of each room, and removes those of rooms that are gone. */
  #keepRooms(client: MqttClient): void {
    const wanted = new Map([[this.#availability, ONLINE]]);
    for (const device of this.#options.devices()) {
      for (const { id, value } of device.actuators) {
        wanted.set(this.#topicOf("state", device.id, id), stateOf(value));
        for (const [topic, announced] of this.#announcements(device, id)) wanted.set(topic, announced);
      }
    }
    for (const topic of this.#kept.keys()) if (!wanted.has(topic)) this.#keep(client, topic, "");
    for (const [topic, payload] of wanted) this.#keep(client, topic, payload);
  }

  /** Publishes a retained message, unless it is there already. An empty one removes it. */
  #keep(client: MqttClient, topic: string, payload: string): void {
    if (this.#kept.get(topic) === payload) return;
    if (payload === "") this.#kept.delete(topic);
    else this.#kept.set(topic, payload);
    client.publish(topic, payload, KEPT, (err) => {
      if (!err) return;
      // It is published again with the next connection.
      this.#kept.delete(topic);
      this.#options.log.debug({ err, topic }, "a room's state was not published");
    });
  }

  /** Resolves when the broker has acknowledged the message. It has its number when this returns. */
  async #send(
    client: MqttClient,
    ledger: string,
    entry: Exclude<ChainEntry, { readonly kind: "evidence" }>,
  ): Promise<void> {
    const isRecord = entry.kind === "record";
    const topic = isRecord
      ? this.#topicOf("sale", entry.record.deviceId, entry.record.room)
      : `${this.#base}/correction`;
    const said = isRecord ? saleOf(entry.record) : correctionOf(entry.correction);
    const identity = { ledger, position: entry.position, hash: entry.hash };
    await client.publishAsync(topic, JSON.stringify({ ...said, ...identity }), { qos: 1 });
  }

  /** The announcements of a room for Home Assistant: a sensor of its state, and an event for its sales. */
  #announcements(device: Device, room: string): readonly (readonly [string, string])[] {
    const { settings, ledger, version } = this.#options;
    const { mqtt_discovery_topic: discoveryTopic } = settings;
    if (discoveryTopic === "") return [];
    const id = hash("sha256", JSON.stringify([ledger, device.id, room])).slice(0, ID_DIGITS);
    const shared = {
      availability_topic: this.#availability,
      device: {
        identifiers: [`flanco_${id}`],
        name: `${device.name} ${room}`,
        manufacturer: "flanco",
        model: device.name,
        sw_version: version,
        suggested_area: device.locationName,
      },
    };
    const sensor = {
      ...shared,
      unique_id: `flanco_${id}_state`,
      name: null,
      state_topic: this.#topicOf("state", device.id, room),
    };
    const event = {
      ...shared,
      unique_id: `flanco_${id}_sale`,
      name: "Venta",
      event_types: ["sale"],
      state_topic: this.#topicOf("sale", device.id, room),
    };
    return [
      [`${discoveryTopic}/binary_sensor/flanco_${id}/state/config`, JSON.stringify(sensor)],
      [`${discoveryTopic}/event/flanco_${id}/sale/config`, JSON.stringify(event)],
    ];
  }

  /** A topic of a room. The names are encoded, because `/`, `+` and `#` have a meaning in a topic. */
  #topicOf(kind: "state" | "sale", deviceId: string, room: string): string {
    return `${this.#base}/${encodeURIComponent(deviceId)}/${encodeURIComponent(room)}/${kind}`;
  }
}

function stateOf(value: boolean): string {
  return value ? "ON" : "OFF";
}

function saleOf({ locationName, deviceName, deviceId, room, valorMicros, ...record }: RecordEntry): object {
  return {
    event_type: "sale",
    locationName,
    deviceName,
    deviceId,
    room,
    valor: valorFromMicros(valorMicros),
    time: record.createdTimeMs,
    provisional: record.provisional === 1,
    origin: record.origin,
  };
}

function correctionOf({ kind, lostFrom, lostTo, reason, ...entry }: CorrectionEntry): object {
  return { kind, record: entry.recordId, time: entry.timeMs, lostFrom, lostTo, reason, noted: entry.notedMs };
}
