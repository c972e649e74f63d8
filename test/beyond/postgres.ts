import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, globSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../scripts/command.ts";
import { installFor } from "../../scripts/debian.ts";
import { freePort } from "../../scripts/ports.ts";
import {
  addGateway,
  type Company,
  companyOf,
  initialise,
  type RoleAccess,
} from "../../src/company/company.ts";
import { parseDatabaseAddress } from "../../src/domain/database-address.ts";
import type { KeyedCertificate } from "../../src/net/tls/keyed-certificate.ts";
import { type Connection, connect } from "../../src/notify/database.ts";
import { TemporaryDirectory } from "../rig/temporary-directory.ts";
import { until } from "../rig/until.ts";

/** Who a server runs as that refuses to be root: this process's own user, unless that is root. */
export function unprivileged(user = "postgres"): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid = 0, gid = 0] = ["-u", "-g"].map((flag) => Number(runCommand(["id", flag, user])));
  return { uid, gid };
}

/** Gives a file or folder to that user. */
export function giveTo(path: string, user?: string): void {
  const { uid, gid } = unprivileged(user);
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** Where Debian has the programs of the newest version that is installed. */
export function databasePrograms(): string {
  const found = globSync("/usr/lib/postgresql/*/bin").sort().at(-1);
  if (found === undefined) throw new Error("PostgreSQL is not installed.");
  return found;
}

/** A database of Debian's PostgreSQL on a port of loopback, in a temporary folder. */
export class Postgres {
  readonly directory = new TemporaryDirectory();
  port = 0;
  readonly #settings: string[];
  #process: ChildProcess | undefined;

  /** `certificate`: it is reached by TLS alone. */
  constructor(settings: readonly string[] = [], certificate?: KeyedCertificate) {
    this.#settings = [...settings];
    if (certificate !== undefined) {
      this.#file("server.crt", certificate.cert);
      this.#file("server.key", certificate.key);
      const files = `ssl_cert_file=${this.directory.file("server.crt")} ssl_key_file=${this.directory.file("server.key")}`;
      this.#settings.push("ssl=on", ...files.split(" "));
    }
  }

  async start(): Promise<this> {
    installFor("company's database");
    giveTo(this.directory.path);
    this.port = await freePort();
    const password = this.#file("admin", "admin\n");
    const data = ["--pgdata", this.directory.file("data")];
    const access = ["--auth", "scram-sha-256", "--username", "admin", "--pwfile", password];
    await this.#run("initdb", [...data, ...access, "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"]);
    mkdirSync(this.directory.file("socket"), { recursive: true });
    giveTo(this.directory.file("socket"));
    await this.resume();
    await this.query("CREATE DATABASE company");
    return this;
  }

  /** Starts it again after `kill`. */
  async resume(): Promise<void> {
    const settings = [
      ...[
        `port=${this.port}`,
        "listen_addresses=127.0.0.1",
        `unix_socket_directories=${this.directory.file("socket")}`,
      ],
      ...this.#settings,
    ];
    const log = openSync(this.directory.file("log"), "a");
    this.#process = spawn(
      join(databasePrograms(), "postgres"),
      ["-D", this.directory.file("data"), ...settings.flatMap((setting) => ["-c", setting])],
      { ...unprivileged(), stdio: ["ignore", log, log] },
    );
    await until("the database answers", () =>
      this.query("SELECT 1").then(
        () => true,
        () => false,
      ),
    );
  }

  /** As a power cut of the machine that it runs on: what is committed stays. */
  async kill(signal: NodeJS.Signals = "SIGQUIT"): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null) return;
    running.kill(signal);
    await once(running, "exit");
  }

  async stop(): Promise<void> {
    await this.kill("SIGINT");
    this.directory.remove();
  }

  /** A statement of the administrator's own, by the socket. */
  async query(sql: string, database = "postgres"): Promise<Record<string, unknown>[]> {
    const connection = await this.connect(database);
    try {
      return await connection.query(sql);
    } finally {
      await connection.close();
    }
  }

  connect(database = "company"): Promise<Connection> {
    return connect(parseDatabaseAddress(this.url("admin", database)), () => "admin");
  }

  /** The address over loopback without TLS. */
  url(user: string, database = "company"): string {
    return `postgresql://${user}@127.0.0.1:${this.port}/${database}?sslmode=disable`;
  }

  /** Writes a file that the database may read. */
  #file(name: string, text: string): string {
    const path = this.directory.file(name);
    writeFileSync(path, text, { mode: 0o600 });
    giveTo(path);
    return path;
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    const log = openSync(this.directory.file("log"), "a");
    const child = spawn(join(databasePrograms(), program), args, {
      ...unprivileged(),
      stdio: ["ignore", log, log],
    });
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${this.directory.file("log")}`);
  }
}

/** The database of a company, Televida in Madrid's time. The connections that it gives end with it. */
export class CompanyDatabase extends Postgres {
  readonly #open: Connection[] = [];

  override async start(): Promise<this> {
    await super.start();
    this.#open.push(await this.connect());
    await initialise(this.admin, "Televida", "Europe/Madrid");
    return this;
  }

  override async stop(): Promise<void> {
    // Of a database that was killed they have ended.
    await Promise.allSettled(this.#open.map((connection) => connection.close()));
    await super.stop();
  }

  /** The administrator's connection. */
  get admin(): Connection {
    const [admin] = this.#open;
    if (admin === undefined) throw new Error("The database was not started.");
    return admin;
  }

  company(name = "Televida"): Promise<Company> {
    return companyOf(this.admin, name);
  }

  /** A connection of a role. */
  async connectAs({ role, password }: RoleAccess): Promise<Connection> {
    const connection = await connect(parseDatabaseAddress(this.url(role)), () => password);
    this.#open.push(connection);
    return connection;
  }

  /** Adds a gateway to the company. */
  async addGateway(name: string, zone?: string): Promise<RoleAccess> {
    return addGateway(this.admin, await this.company(), name, zone);
  }
}
