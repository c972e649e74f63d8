import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { Aedes, type Connection, type PublishPacket } from "aedes";

/** A message of QoS 1; a retained one is kept for those that subscribe later. */
interface Message {
  readonly topic: string;
  readonly payload: string;
  readonly retain?: boolean;
}

/** A broker in this process, with real connections on loopback. Its sessions outlive `leave`. */
export class MqttBroker {
  readonly #aedes: Aedes;
  readonly #sockets = new Set<Socket>();
  /** The client ids of connections. */
  readonly #names = new WeakMap<Connection, string>();
  #server: Server | null = null;
  #port = 0;

  private constructor(aedes: Aedes) {
    this.#aedes = aedes;
    aedes.on("client", ({ conn, id }) => this.#names.set(conn, id));
  }

  static async open(): Promise<MqttBroker> {
    const broker = new MqttBroker(await Aedes.createBroker());
    await broker.comeBack();
    return broker;
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.#port}`;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Only this user and password are let in. */
  require(user: string, password: string): void {
    this.#aedes.authenticate = (_client, name, given, done) => {
      done(null, name === user && given?.toString() === password);
    };
  }

  /** Neither passes on nor acknowledges messages of topics that end so; null: takes all again. */
  hold(ending: string | null): void {
    this.#aedes.authorizePublish = (_client, { topic }, done) => {
      if (ending === null || !topic.endsWith(ending)) done(null);
    };
  }

  /** Acknowledges messages of topics that end so, and passes them to nobody: as MQTT 3.1.1 refuses them; null: takes all again. */
  swallow(ending: string | null): void {
    this.#aedes.authorizePublish = (_client, packet, done) => {
      if (ending !== null && packet.topic.endsWith(ending)) packet.topic = "swallowed";
      done(null);
    };
  }

  /** Every subscription is refused. */
  denyReading(): void {
    this.#aedes.authorizeSubscribe = (_client, _subscription, done) => done(null, null);
  }

  /** Publishes, and resolves when a client that is connected has taken the message in, or the broker keeps it. */
  async publish({ topic, payload, retain = false }: Message): Promise<void> {
    const taken = this.#sockets.size > 0 ? once(this.#aedes, "ack") : undefined;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const packet: PublishPacket = { cmd: "publish", topic, payload, qos: 1, retain, dup: false };
    this.#aedes.publish(packet, (error) => (error ? reject(error) : resolve()));
    await promise;
    await taken;
  }

  /** Ends all connections but that of one client, as a cut of the network does. */
  cut(spared: string): void {
    for (const socket of this.#sockets) if (this.#names.get(socket) !== spared) socket.destroy();
  }

  /** Ends all connections and refuses new ones. */
  async leave(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const server = this.#server;
    this.#server = null;
    server?.close();
    if (server?.listening) await once(server, "close");
  }

  /** Accepts connections again, at the same port. */
  async comeBack(): Promise<void> {
    const server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      this.#aedes.handle(socket);
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async close(): Promise<void> {
    await this.leave();
    await new Promise<void>((resolve) => this.#aedes.close(resolve));
  }
}
