import type { IClientOptions, MqttClient } from "mqtt";
import { connectionProblem } from "./connection-problem.ts";
import { SECOND_MS } from "./domain/clock.ts";
import { FlancoError } from "./domain/error.ts";
import { readConfigured, readSecret } from "./secret-file.ts";

/** A connection is ended after twice this time without a packet from the broker. */
const KEEP_ALIVE_SECONDS = 15;
/** The ports that IANA has assigned to MQTT. */
const PLAIN_PORT = 1_883;
const TLS_PORT = 8_883;
const CONNECT_TIMEOUT_MS = 10 * SECOND_MS;
const RECONNECT_MS = 5 * SECOND_MS;

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

/** CONNACK codes of MQTT 3.1.1, section 3.2.2.3. */
const REFUSED_PROTOCOL = 1;
const REFUSED_CLIENT_ID = 2;
const REFUSED_UNAVAILABLE = 3;
const REFUSED_PASSWORD = 4;
const REFUSED_UNAUTHORIZED = 5;

const PROBLEMS: Readonly<Record<number, string>> = {
  [REFUSED_PROTOCOL]: "does not speak MQTT 3.1.1",
  [REFUSED_CLIENT_ID]: "refuses this client's id",
  [REFUSED_UNAVAILABLE]: "has no service at the moment",
  [REFUSED_PASSWORD]: "refuses the user or the password",
  [REFUSED_UNAUTHORIZED]: "refuses the user or the password",
};

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
  options: Pick<IClientOptions, "will" | "clientId"> = {},
): Promise<MqttClient> {
  const { url, user, reconnectMs = RECONNECT_MS } = address;
  const files = readFiles(address);
  const { connect } = await import("mqtt");
  const { protocol, hostname, port } = new URL(url);
  const client = connect({
    protocol: protocol === "mqtts:" ? "mqtts" : "mqtt",
    // Only a URL has brackets around an IPv6 address.
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (protocol === "mqtts:" ? TLS_PORT : PLAIN_PORT),
    ...options,
    ...(user === "" ? {} : { username: user }),
    ...files,
    ...(clientId === null ? {} : { clientId }),
    clean: clientId === null,
    protocolVersion: 4,
    resubscribe: false,
    keepalive: KEEP_ALIVE_SECONDS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectPeriod: reconnectMs,
    reconnectOnConnackError: true,
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
