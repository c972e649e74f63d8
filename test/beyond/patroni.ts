import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, connect as dial, type Server, type Socket } from "node:net";
import { installFor } from "../../scripts/debian.ts";
import { freePort } from "../../scripts/ports.ts";
import { parseDatabaseAddress } from "../../src/domain/database-address.ts";
import { type Connection, connect } from "../../src/notify/database.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";
import { databasePrograms, giveTo, unprivileged } from "./postgres.ts";

const NODES = 3;
/** A failover takes the leader's key to expire, and a promotion. */
const FAILOVER_MS = 180_000;
const LOG_LINES = 30;

/** The way from a node to etcd, which can be cut. */
class Link {
  port = 0;
  #isCut = false;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  async open(target: number): Promise<void> {
    this.port = await freePort();
    this.#server = createServer((client) => {
      const server = dial(target, "127.0.0.1");
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(one);
        one
          .on("error", () => {})
          .on("close", () => {
            this.#sockets.delete(one);
            other.destroy();
          });
        // What is sent on a cut way is dropped without an error, as by a broken network.
        one.on("data", (chunk) => void (this.#isCut || other.write(chunk)));
      }
    }).listen(this.port, "127.0.0.1");
  }

  cut(): void {
    this.#isCut = true;
  }

  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

interface Node {
  readonly name: string;
  readonly port: number;
  readonly api: number;
  readonly link: Link;
  process: ChildProcess | undefined;
}

/** Three nodes of PostgreSQL under Patroni, with etcd: Debian's packages, on ports of loopback, in a temporary folder. */
export class Cluster {
  readonly directory = new TemporaryDirectory();
  readonly nodes: Node[] = [];
  readonly #maxConnections: number;
  #etcd: ChildProcess | undefined;

  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections;
  }

  async start(): Promise<this> {
    installFor("company's database of three nodes");
    this.#own(this.directory.path);
    const [client, peer] = [await freePort(), await freePort()];
    const url = (port: number) => `http://127.0.0.1:${port}`;
    this.#etcd = this.#spawn("etcd", "etcd", [
      ...["--data-dir", this.directory.file("etcd-data"), "--name", "one", "--log-level", "error"],
      ...["--listen-client-urls", url(client), "--advertise-client-urls", url(client)],
      ...["--listen-peer-urls", url(peer), "--initial-advertise-peer-urls", url(peer)],
      ...["--initial-cluster", `one=${url(peer)}`, "--unsafe-no-fsync"],
    ]);
    // Patroni 3.0 ends where etcd does not know its version yet.
    const isDecided = async () => {
      const answer = await fetch(`${url(client)}/version`).catch(() => undefined);
      return (await answer?.text())?.includes('"etcdcluster":"3.');
    };
    await this.#until("etcd knows its version", isDecided);
    for (let index = 0; index < NODES; index += 1) {
      const link = new Link();
      await link.open(client);
      const [port, api] = [await freePort(), await freePort()];
      const node: Node = { name: `node${index}`, port, api, link, process: undefined };
      this.nodes.push(node);
      this.#own(this.directory.file(node.name), true);
      const settings = this.directory.file(`${node.name}.yml`);
      writeFileSync(settings, JSON.stringify(this.#settings(node)));
      this.#own(settings);
      this.startNode(node);
    }
    // Before a standby is in step no commit ends, as synchronous_mode_strict wants it.
    await this.whole();
    const admin = await this.connect("postgres");
    await admin.query("CREATE DATABASE company");
    await admin.close();
    return this;
  }

  /** Resolves once all nodes run, and one is known to have whatever the primary acknowledges: it may take its place. */
  async whole(): Promise<void> {
    const isWhole = async () => {
      const { api } = await this.primary();
      const answer = await fetch(`http://127.0.0.1:${api}/cluster`);
      const { members } = (await answer.json()) as { members: { role: string; state: string }[] };
      const running = members.filter(({ state }) => state === "running");
      return running.length === NODES && running.some(({ role }) => role === "sync_standby");
    };
    await this.#until("all nodes run, one of them in step", isWhole);
  }

  startNode(node: Node): void {
    node.process = this.#spawn(node.name, "patroni", [this.directory.file(`${node.name}.yml`)]);
  }

  /** As a power cut of its machine. */
  killNode(node: Node, signal: NodeJS.Signals = "SIGKILL"): void {
    node.process?.kill("SIGKILL");
    const [pid] = readFileSync(this.directory.file(node.name, "data", "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), signal);
  }

  /** The node that takes writes, once there is one other than `than`. */
  primary(than?: Node): Promise<Node> {
    const find = async () => {
      for (const node of this.nodes) {
        if (node === than) continue;
        const answer = await fetch(`http://127.0.0.1:${node.api}/primary`).catch(() => undefined);
        if (answer?.status === 200) return node;
      }
      return undefined;
    };
    return this.#until("a node takes writes", find);
  }

  /** Where it waits in vain, the error ends with what etcd and the nodes said last. */
  async #until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
    try {
      return await until(what, ask, FAILOVER_MS);
    } catch (error) {
      const logs = ["etcd", ...this.nodes.map(({ name }) => name)].map((name) => {
        const lines = readFileSync(this.directory.file(`${name}.log`), "utf8")
          .trimEnd()
          .split("\n");
        return [`${name}:`, ...lines.slice(-LOG_LINES)].join("\n");
      });
      throw new Error([String(error), ...logs].join("\n"), { cause: error });
    }
  }

  connect(database = "company"): Promise<Connection> {
    return connect(parseDatabaseAddress(this.url("admin", database)), () => "admin");
  }

  url(user: string, database = "company"): string {
    const hosts = this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(",");
    return `postgresql://${user}@${hosts}/${database}?sslmode=disable`;
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) {
      try {
        // By this signal it removes its shared memory.
        this.killNode(node, "SIGQUIT");
      } catch {
        // It does not run.
      }
      node.link.close();
    }
    this.#etcd?.kill("SIGKILL");
    this.directory.remove();
  }

  /** YAML, of which JSON is a part. */
  #settings({ name, port, api, link }: Node): object {
    const file = (...names: readonly string[]) => this.directory.file(name, ...names);
    const login = (username: string) => ({ username, password: username });
    return {
      scope: "company",
      name,
      restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
      // Otherwise it asks etcd for the addresses of its members, and goes past the link.
      etcd3: { hosts: `127.0.0.1:${link.port}`, use_proxies: true },
      bootstrap: {
        dcs: {
          ttl: 20,
          loop_wait: 3,
          retry_timeout: 5,
          maximum_lag_on_failover: 1_048_576,
          // Whatever is acknowledged is on two nodes.
          synchronous_mode: true,
          synchronous_mode_strict: true,
          postgresql: {
            use_pg_rewind: true,
            parameters: { max_connections: this.#maxConnections, wal_keep_size: "512MB" },
          },
        },
        initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"],
        pg_hba: [
          "host replication replicator 127.0.0.1/32 scram-sha-256",
          "host all all 127.0.0.1/32 scram-sha-256",
        ],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        use_unix_socket: false,
        data_dir: file("data"),
        bin_dir: databasePrograms(),
        pgpass: file("pgpass"),
        authentication: {
          superuser: login("admin"),
          replication: login("replicator"),
          rewind: login("rewinder"),
        },
        parameters: { unix_socket_directories: file(), shared_buffers: "64MB" },
      },
    };
  }

  #own(path: string, make = false): void {
    if (make) mkdirSync(path, { mode: 0o700 });
    giveTo(path);
  }

  #spawn(name: string, program: string, args: readonly string[]): ChildProcess {
    const log = openSync(this.directory.file(`${name}.log`), "a");
    return spawn(program, args, { ...unprivileged(), cwd: this.directory.path, stdio: ["ignore", log, log] });
  }
}
