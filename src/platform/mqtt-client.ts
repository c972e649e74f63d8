import { connect, isIP, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import type { IClientOptions, MqttClient } from "mqtt";
import { SECOND_MS } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { readConfigured, readSecret } from "./secret-file.ts";
import { connectionProblem } from "./socket.ts";

/** A connection is ended after twice this time without a packet from the broker. */
const KEEP_ALIVE_SECONDS = 15;
/** The ports that IANA has assigned to MQTT. */
const PLAIN_PORT = 1_883;
const TLS_PORT = 8_883;
const CONNECT_TIMEOUT_MS = 10 * SECOND_MS;
const RECONNECT_MS = 5 * SECOND_MS;

/**
 * A broker is read at 40 kB a second at most: a hundred messages of boxes. The library works on all packets of a
 * piece without a turn of the event loop in between, and keeps a packet of up to 256 MB until it is complete, so
 * that a false broker could fill the memory and hold up everything. At this pace the keep-alive ends it before.
 */
const PIECE_BYTES = 1_024;
const PIECE_EVERY_MS = 25;

/** How to reach a broker. An empty text leaves a part out. */
export interface BrokerAddress {
  /** `mqtt://HOST:1883`, or `mqtts://HOST:8883` with TLS. It holds no user and no password. */
  readonly url: string;
  readonly user: string;
  /** The file that holds the password, in one line. */
  readonly passwordFile: string;
  /** PEM file of the authority that signed the broker's certificate. Without it, those that Node knows. */
  readonly authorityFile: string;
  /** How long after an ended connection the next one is tried; 5 s unless a test sets it. */
  readonly reconnectMs?: number | undefined;
}

/** Codes of CONNACK: of MQTT 3.1.1, section 3.2.2.3, and from 128 on of MQTT 5, section 3.2.2.2. */
const REFUSED_VERSION = [1, 132];
const NO_SERVICE = "has no service at the moment";
const WRONG_LOGIN = "refuses the user or the password";
const PROBLEMS: Readonly<Record<number, string>> = {
  1: "does not speak MQTT 3.1.1",
  2: "refuses this client's id",
  3: NO_SERVICE,
  4: WRONG_LOGIN,
  5: WRONG_LOGIN,
  133: "refuses this client's id",
  134: WRONG_LOGIN,
  135: WRONG_LOGIN,
  136: NO_SERVICE,
  137: NO_SERVICE,
};

/** Whether the broker has refused a connection because of its version of MQTT. */
export function isOtherVersion(error: Error): boolean {
  return "code" in error && REFUSED_VERSION.some((code) => code === error.code);
}

/**
 * Connects to a broker in the background, and again whenever the connection ends.
 * With a client id the broker keeps messages of QoS 1 between connections; with null
 * it keeps none. The files are read with each connection, so that a new password needs no
 * restart. Throws `config` where one cannot be used; later that is an error of the client. The
 * library is loaded here, so that an appliance without a broker does not carry it.
 */
export async function connectToBroker(
  address: BrokerAddress,
  clientId: string | null,
  options: Pick<IClientOptions, "will" | "clientId" | "protocolVersion"> = {},
): Promise<MqttClient> {
  const { url, user, reconnectMs = RECONNECT_MS } = address;
  const files = readFiles(address);
  const { MqttClient } = await import("mqtt");
  const client = new MqttClient(({ options: { ca } }) => openStream(url, ca), {
    protocolVersion: 4,
    ...options,
    ...(user === "" ? {} : { username: user }),
    ...files,
    ...(clientId === null ? {} : { clientId }),
    clean: clientId === null,
    resubscribe: false,
    keepalive: KEEP_ALIVE_SECONDS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectPeriod: reconnectMs,
    reconnectOnConnackError: true,
  });
  // Nothing is subscribed to with QoS 2, whose messages the library would keep.
  client.on("packetreceive", (packet) => {
    if (packet.cmd === "publish" && packet.qos === 2) client.stream.destroy();
  });
  client.on("reconnect", () => {
    try {
      Object.assign(client.options, readFiles(address));
    } catch (error) {
      if (!(error instanceof FlancoError)) throw error;
      client.emit("error", error);
    }
  });
  return client;
}

function openStream(url: string, ca: IClientOptions["ca"]): Duplex {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === "mqtts:";
  // Only a URL has brackets around an IPv6 address.
  const host = hostname.replace(/^\[|\]$/g, "");
  const place = { host, port: Number(port) || (isTls ? TLS_PORT : PLAIN_PORT) };
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket = isTls ? connectTls({ ...place, ...servername, ...(ca && { ca }) }) : connect(place);
  // An acknowledgement leaves at once: one that still waits when the process is killed is lost.
  socket.setNoDelay();
  const pieces = piecesOf(socket);
  const stream = new Duplex({
    // The library has read a piece when the next one is asked for, so that none is lost at the end.
    read: () =>
      void pieces.next().then(
        ({ done, value }) => (done ? stream.destroy() : stream.push(value)),
        (error: Error) => stream.destroy(error),
      ),
    // A packet's parts together: written one by one, each waits for the broker's acknowledgement of the one before.
    writev: (parts, done) => void socket.write(Buffer.concat(parts.map(({ chunk }) => chunk)), done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on("error", (error) => stream.destroy(error));
  return stream;
}

async function* piecesOf(socket: Socket): AsyncGenerator<Buffer> {
  let left = PIECE_BYTES;
  for await (const bytes of socket as AsyncIterable<Buffer>) {
    for (let from = 0; from < bytes.length; ) {
      const piece = bytes.subarray(from, from + left);
      yield piece;
      from += piece.length;
      left -= piece.length;
      if (left > 0) continue;
      await pause(PIECE_EVERY_MS);
      left = PIECE_BYTES;
    }
  }
}

function readFiles({ passwordFile, authorityFile }: BrokerAddress): Pick<IClientOptions, "password" | "ca"> {
  return {
    ...(passwordFile === "" ? {} : { password: readSecret(passwordFile) }),
    ...(authorityFile === "" ? {} : { ca: readConfigured(authorityFile) }),
  };
}

/** The error for a broker that does not answer. */
export function silentBrokerError(url: string): FlancoError {
  return new FlancoError("unavailable", `The broker ${new URL(url).host} does not answer.`, {
    hint: "Check the broker and the network; flanco tries again by itself.",
  });
}

/** What keeps a broker from serving, as an error for people. Its text holds no credentials. */
export function brokerError(url: string, cause: Error): FlancoError {
  if (cause instanceof FlancoError) return cause;
  const code = "code" in cause ? cause.code : undefined;
  const problem = typeof code === "number" ? PROBLEMS[code] : connectionProblem(code);
  const { host } = new URL(url);
  return new FlancoError("unavailable", `The broker ${host} ${problem ?? "ended the connection"}.`, {
    hint: "Check the broker, its address and the credentials; flanco tries again by itself.",
    cause,
  });
}
