import { createSocket, type Socket } from "node:dgram";
import { isIPv4 } from "node:net";
import { hostname } from "node:os";
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode } from "dns-packet";
import { type Clock, MINUTE_MS, monotonicMs, SECOND_MS } from "../domain/clock.ts";
import { hueOf, MAX_OTHER_GATEWAYS, type OtherGateway, toGatewayName } from "../domain/gateway.ts";
import type { Log } from "../domain/log.ts";
import { isPrivateAddress, networkAddresses } from "./host-names.ts";

/** The type of service by which gateways find each other (RFC 6763). */
const TYPE = "_flanco._tcp.local";
/** Bytes in every packet about that type, and in few others: the name's labels as RFC 1035 writes them. */
const TYPE_BYTES = Buffer.from("\x07_flanco\x04_tcp");
/** The longest packet that is read: one Ethernet frame. Gateways send 250 bytes. */
const MAX_BYTES = 1_500;
const TTL_S = 120;
const ID = /^[0-9a-f]{8}$/;
const MAX_PORT = 65_535;

/** What a gateway announces on the local network. */
export interface Announcement {
  /** The first eight digits of its ledger's identity. */
  readonly id: string;
  readonly name: string;
  /** Where it serves HTTPS. */
  readonly port: number;
  /** Whether the gateway leaves, because its service ends. */
  readonly isLeaving: boolean;
}

/** An announcement as a packet of mDNS (RFC 6762). `host` is the machine's name. */
export function announcementPacket({ id, name, port, isLeaving }: Announcement, host: string): Buffer {
  const instance = `flanco-${id}.${TYPE}`;
  const ttl = isLeaving ? 0 : TTL_S;
  return encode({
    type: "response",
    flags: AUTHORITATIVE_ANSWER,
    answers: [
      { type: "PTR", name: TYPE, ttl, data: instance },
      { type: "SRV", name: instance, ttl, data: { port, target: `${host}.local` } },
      { type: "TXT", name: instance, ttl, data: [`id=${id}`, `name=${toGatewayName(name)}`] },
    ],
  });
}

/** The packet that asks all gateways for their announcements. */
export function questionPacket(): Buffer {
  return encode({ type: "query", questions: [{ type: "PTR", name: TYPE }] });
}

/** Whether a packet may be about gateways, by a search of its bytes: only such packets are decoded. */
function isAboutGateways(bytes: Buffer): boolean {
  return bytes.length <= MAX_BYTES && bytes.includes(TYPE_BYTES);
}

/**
 * Reads a packet of the local network, which may hold anything. Undefined
 * for one that is neither a question for gateways nor a whole announcement.
 */
export function readPacket(bytes: Buffer): "question" | Announcement | undefined {
  try {
    const { type, questions = [], answers = [], additionals = [] } = decode(bytes);
    if (type === "response") return announcementOf([...answers, ...additionals]);
    return questions.some(({ type: asked, name }) => asked === "PTR" && name === TYPE)
      ? "question"
      : undefined;
  } catch {
    // Not a packet of DNS.
    return undefined;
  }
}

function announcementOf(records: readonly Answer[]): Announcement | undefined {
  const pointer = records.find((record) => record.type === "PTR" && record.name === TYPE);
  if (pointer?.type !== "PTR") return undefined;
  const own = records.filter(({ name }) => name === pointer.data);
  const service = own.find(({ type }) => type === "SRV");
  const text = own.find(({ type }) => type === "TXT");
  if (service?.type !== "SRV" || text?.type !== "TXT") return undefined;
  const values = new Map([text.data].flat().map((value) => pairOf(value.toString())));
  const id = values.get("id") ?? "";
  const name = toGatewayName(values.get("name") ?? "");
  const { port } = service.data;
  if (!ID.test(id) || name === "" || port < 1 || port > MAX_PORT) return undefined;
  return { id, name, port, isLeaving: pointer.ttl === 0 };
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}

/** mDNS (RFC 6762): its packets stay on the local network. */
const GROUP = "224.0.0.251";
const PORT = 5353;
const TTL = 255;

const ANNOUNCE_MS = MINUTE_MS;
/** A gateway counts as gone when it was silent for three announcements. */
const LIFE_MS = 3.5 * MINUTE_MS;
/** Questions are answered at most once in this time. */
const ANSWER_MS = SECOND_MS;
/**
 * The most packets of one second. Beyond it the socket is
 * closed until the next announcement. Fewer are decoded.
 */
const MAX_PACKETS = 500;
const MAX_DECODED = 20;
/** The most gateways at one address: services beside each other on one machine. */
const MAX_OF_ADDRESS = 4;

export interface OtherGatewaysOptions {
  /** The setting `host`: only networks on which HTTPS is served are used. */
  readonly host: string;
  readonly httpsPort: number;
  /** The first eight digits of the ledger's identity. */
  readonly id: string;
  readonly name: () => string;
  readonly clock: Clock;
  readonly log: Log;
  /** 5353 unless a test has another. */
  readonly port?: number;
}

interface Seen extends Announcement {
  readonly address: string;
  readonly seenMs: number;
}

/**
 * Announces this gateway on the local network, over IPv4, and listens for others.
 * The network may be hostile: packets a second and entries are bounded, nothing
 * from it is logged, and a link leads to the address that the packet came from.
 */
export class OtherGateways {
  readonly #options: OtherGatewaysOptions;
  readonly #seen = new Map<string, Seen>();
  #socket: Socket | undefined;
  /** Addresses of the interfaces that the socket has joined the group on. */
  readonly #joined = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #answer: NodeJS.Timeout | undefined;
  #answeredMs = Number.NEGATIVE_INFINITY;
  #second = { fromMs: 0, packets: 0, decoded: 0 };

  constructor(options: OtherGatewaysOptions) {
    this.#options = options;
  }

  /** The gateways that were heard lately, by name. */
  list(): readonly OtherGateway[] {
    this.#forget();
    return [...this.#seen.values()]
      .map(({ id, name, address, port }) => ({
        name,
        hue: hueOf(id),
        address: `https://${address}:${port}/`,
      }))
      .sort((one, other) => one.name.localeCompare(other.name) || one.address.localeCompare(other.address));
  }

  /**
   * Begins to listen, asks for others, and announces this gateway. Never
   * throws: the gateway works without it. Keeps no process running.
   */
  open(): void {
    this.#timer = setInterval(() => this.#tell(), ANNOUNCE_MS).unref();
    this.#listen();
  }

  /** Announces that this gateway leaves, and ends. */
  close(): void {
    clearInterval(this.#timer);
    this.#send(this.#packet(true));
    this.#stop();
  }

  #listen(): void {
    const { port = PORT, log } = this.#options;
    // avahi-daemon may listen on this port too: each socket gets every packet.
    const socket = createSocket({
      type: "udp4",
      reuseAddr: true,
      // Resolves at once, so that a packet leaves by the interface that was set just before.
      lookup: (address, _options, found) => found(null, address, 4),
    });
    this.#socket = socket;
    socket.unref();
    socket.on("error", (err) => {
      if (this.#socket !== socket) return;
      log.info({ err }, "other gateways on the network cannot be found now");
      this.#stop();
    });
    socket.on("message", (bytes, { address, port: from }) => {
      // A packet from another port than mDNS's wants an answer to its sender alone.
      if (from === port) this.#read(bytes, address);
    });
    socket.bind(port, () => {
      socket.setMulticastTTL(TTL);
      this.#join();
      this.#send(questionPacket());
      this.#send(this.#packet(false));
    });
  }

  /** Joins the group on interfaces that have come, and forgets those that have gone. */
  #join(): void {
    const addresses = new Set(networkAddresses(this.#options.host).filter((address) => isIPv4(address)));
    for (const address of this.#joined) if (!addresses.has(address)) this.#joined.delete(address);
    for (const address of addresses) {
      if (this.#joined.has(address)) continue;
      try {
        this.#socket?.addMembership(GROUP, address);
        this.#joined.add(address);
      } catch {
        // The interface has no multicast, or has joined by another address.
      }
    }
  }

  /**
   * Closes the socket, so that packets cost this process
   * nothing. Drops a due answer, which would open it again.
   */
  #stop(): void {
    clearTimeout(this.#answer);
    this.#answer = undefined;
    this.#socket?.close();
    this.#socket = undefined;
    this.#joined.clear();
  }

  /** Announces this gateway, on a new socket where there is none. */
  #tell(): void {
    this.#forget();
    if (this.#socket === undefined) {
      this.#listen();
    } else {
      this.#join();
      this.#send(this.#packet(false));
    }
  }

  #packet(isLeaving: boolean): Buffer {
    const { id, name, httpsPort } = this.#options;
    const [host = ""] = hostname().split(".");
    return announcementPacket({ id, name: name(), port: httpsPort, isLeaving }, host);
  }

  #send(packet: Buffer): void {
    const { port = PORT } = this.#options;
    for (const address of this.#joined) {
      try {
        this.#socket?.setMulticastInterface(address);
        // A packet that cannot be sent is sent again in a minute.
        this.#socket?.send(packet, port, GROUP, () => {});
      } catch {
        // The interface has gone. The announcement goes on to the next one.
      }
    }
  }

  #read(bytes: Buffer, address: string): void {
    const nowMs = monotonicMs(this.#options.clock);
    if (nowMs - this.#second.fromMs >= SECOND_MS) this.#second = { fromMs: nowMs, packets: 0, decoded: 0 };
    this.#second.packets += 1;
    if (this.#second.packets > MAX_PACKETS) {
      this.#stop();
      return;
    }
    if (this.#second.decoded >= MAX_DECODED || !isAboutGateways(bytes)) return;
    this.#second.decoded += 1;
    const found = readPacket(bytes);
    if (found === undefined) return;
    if (found === "question") this.#answerSoon(nowMs);
    else if (found.id !== this.#options.id && isPrivateAddress(address)) this.#note(found, address, nowMs);
  }

  #note(announcement: Announcement, address: string, seenMs: number): void {
    const key = `${address}:${announcement.port}`;
    this.#seen.delete(key);
    if (announcement.isLeaving) return;
    const ofAddress = [...this.#seen.values()].filter((other) => other.address === address).length;
    if (this.#seen.size >= MAX_OTHER_GATEWAYS || ofAddress >= MAX_OF_ADDRESS) return;
    this.#seen.set(key, { ...announcement, address, seenMs });
  }

  /** Answers a question soon, at a moment by the gateway's identity, so that gateways do not answer at once. */
  #answerSoon(nowMs: number): void {
    if (this.#answer !== undefined) return;
    const delayMs = 20 + (Number.parseInt(this.#options.id, 16) % 100);
    this.#answer = setTimeout(
      () => {
        this.#answer = undefined;
        this.#answeredMs = monotonicMs(this.#options.clock);
        this.#tell();
      },
      Math.max(delayMs, this.#answeredMs + ANSWER_MS - nowMs),
    );
    this.#answer.unref();
  }

  #forget(): void {
    const nowMs = monotonicMs(this.#options.clock);
    for (const [key, { seenMs }] of this.#seen) if (nowMs - seenMs >= LIFE_MS) this.#seen.delete(key);
  }
}
