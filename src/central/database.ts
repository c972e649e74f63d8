import { isIP } from "node:net";
import type { Client, ClientConfig, QueryResultRow } from "pg";
import { connectionProblem } from "../connection-problem.ts";
import { type Cancel, SECOND_MS, type Timers } from "../domain/clock.ts";
import { FlancoError } from "../domain/error.ts";
import { readConfigured, readSecret } from "../secret-file.ts";

/** Bounds of one connection. */
export interface ConnectionLimits {
  /** How long each node may take to accept the connection. */
  readonly connectMs: number;
  /** A connection without an answer for this long has failed. */
  readonly answerMs: number;
}

/** The bounds for a sink and for commands, for which a slow answer is better than none. */
const PATIENT: ConnectionLimits = { connectMs: 10_000, answerMs: 30_000 };
const DEFAULT_PORT = 5432;
const URL_FORM = /^postgres(?:ql)?:\/\/([^:@/?]+)@([^/?]*)\/([^?]+)(?:\?(.*))?$/;
/** A host that is a socket, or this machine by its loopback. */
const LOCAL = /^(\/.*|localhost|::1|127\.\d+\.\d+\.\d+)$/;
const PARAMETERS: readonly string[] = ["sslrootcert", "sslmode", "host"];

/** Where a company's database is. */
export interface DatabaseAddress {
  readonly user: string;
  readonly database: string;
  /**
   * The nodes of one cluster, of which the one that takes writes
   * is used. A host that begins with / is the folder of a socket.
   */
  readonly hosts: readonly Node[];
  /** File with the authorities that may sign the server's certificate; null for those that Node trusts. */
  readonly authorities: string | null;
  /** Whether the connection has no TLS: only from this machine to itself. */
  readonly isPlain: boolean;
}

/**
 * Parses `postgresql://USER@HOST:PORT,HOST:PORT/DATABASE?sslrootcert=FILE`,
 * as libpq does; `?host=/FOLDER` names a socket. A connection over the
 * network is always by TLS with a verified certificate. Throws `invalid`.
 */
export function parseAddress(url: string): DatabaseAddress {
  const [, user, list = "", database, query = ""] = URL_FORM.exec(url) ?? [];
  if (user === undefined || database === undefined) {
    throw new FlancoError("invalid", "The database's address is not postgresql://USER@HOST:PORT/DATABASE.", {
      hint: "The password does not stand in it: it is in a file of its own.",
    });
  }
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (!PARAMETERS.includes(name)) {
      throw new FlancoError("invalid", `The database's address has the parameter ${name.slice(0, 40)}.`, {
        hint: `Known are ${PARAMETERS.join(", ")}.`,
      });
    }
  }
  const socket = parameters.get("host");
  const hosts = (socket === null ? list.split(",") : [socket]).map((text) => hostOf(text));
  const isLocal = hosts.every(({ host }) => LOCAL.test(host));
  const mode = parameters.get("sslmode");
  if (mode !== null && mode !== "verify-full" && !(mode === "disable" && isLocal)) {
    throw new FlancoError("invalid", `The database's address has sslmode=${mode.slice(0, 40)}.`, {
      hint: "Leave it out: a connection over the network is encrypted and its certificate verified. disable is for this machine alone.",
    });
  }
  return {
    user: decodeURIComponent(user),
    database: decodeURIComponent(database),
    hosts,
    authorities: parameters.get("sslrootcert"),
    isPlain: mode === "disable" || hosts.every(({ host }) => host.startsWith("/")),
  };
}

function hostOf(text: string): Node {
  const [, host, port = String(DEFAULT_PORT)] =
    /^(\/.*|\[[0-9a-f:]+\]|[^:]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === undefined) {
    throw new FlancoError("invalid", "The database's address names no host.", {
      hint: "For example postgresql://flanco@db.example.org/flanco.",
    });
  }
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** One node of the database. */
export interface Node {
  readonly host: string;
  readonly port: number;
}

/** Gives the password for a node. */
export type PasswordOf = (node: Node, address: DatabaseAddress) => string;

/**
 * Reads passwords from a file in the format of PostgreSQL's own programs: lines
 * `host:port:database:user:password`, in which `*` matches anything, and a backslash
 * escapes a colon or a backslash. Throws `config`, and `invalid` where no line matches.
 */
export function passwordInPassFile(file: string): PasswordOf {
  return ({ host, port }, { database, user }) => {
    const wanted = [host, String(port), database, user];
    const hint = "It must hold a line host:port:database:user:password that fits; PGPASSFILE names it.";
    for (const line of readSecret(file).split(/\r?\n/)) {
      const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = ""]) =>
        field.replaceAll(/\\(.)/g, "$1"),
      );
      const [password] = fields.slice(wanted.length);
      if (!line.startsWith("#") && password !== undefined && password !== "") {
        if (wanted.every((value, index) => fields[index] === "*" || fields[index] === value)) return password;
      }
    }
    throw new FlancoError("invalid", `There is no password for ${user}@${host}:${port} in ${file}.`, {
      hint,
    });
  };
}

/** One connection to the node that takes writes. */
export interface Connection {
  /** Rejects with a FlancoError. */
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Whether it has ended, by either side. */
  readonly ended: boolean;
  close(): Promise<void>;
}

/** Connects to the first node that takes writes. Rejects with a FlancoError that holds no secret. */
export async function connect(
  address: DatabaseAddress,
  passwordOf: PasswordOf,
  limits = PATIENT,
): Promise<Connection> {
  let failure: unknown;
  for (const node of address.hosts) {
    try {
      const connection = await connectTo(address, node, passwordOf, limits);
      const [row] = await connection.query<{ reading: boolean }>("SELECT pg_is_in_recovery() AS reading");
      if (row?.reading === false) return connection;
      await connection.close();
      failure ??= new FlancoError("unavailable", "No node of the database takes writes.", {
        hint: "A failover may be under way; it is tried again.",
      });
    } catch (error) {
      failure = error;
    }
  }
  throw databaseError(failure);
}

async function connectTo(
  address: DatabaseAddress,
  node: Node,
  passwordOf: PasswordOf,
  { connectMs, answerMs }: ConnectionLimits,
): Promise<Connection> {
  // Loaded here, so that a gateway without a database does not load it.
  const { default: pg } = await import("pg");
  const { user, database, authorities, isPlain } = address;
  const { host } = node;
  const config: ClientConfig = {
    ...node,
    user,
    database,
    password: passwordOf(node, address),
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
    application_name: "flanco",
    ssl: isPlain
      ? false
      : {
          rejectUnauthorized: true,
          ...nameOf(host),
          ...(authorities === null ? {} : { ca: readConfigured(authorities) }),
        },
  };
  const client: Client = new pg.Client(config);
  let ended = false;
  // An error that ends the connection also rejects the current query, or the next one.
  client.on("error", () => {
    ended = true;
  });
  client.on("end", () => {
    ended = true;
  });
  await client.connect();
  return {
    async query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
      try {
        const { rows } = await client.query<Row>(sql, [...values]);
        return rows;
      } catch (error) {
        throw databaseError(error);
      }
    },
    get ended() {
      return ended;
    },
    close: () => client.end(),
  };
}

/** The name that the certificate must have. TLS asks for a server by a name, never by an address. */
function nameOf(host: string): { readonly host: string } | { readonly servername: string } {
  return isIP(host) === 0 ? { servername: host } : { host };
}

/** The most connections of one process. */
const MAX_CONNECTIONS = 8;
/** How many requests may wait for a connection, and how long each. */
const MAX_WAITING = 64;
const WAIT_MS = 5 * SECOND_MS;

/** A way to the database. */
export interface Database {
  /**
   * Runs something on a connection that nothing else uses
   * meanwhile. When it rejects, an open transaction is rolled back.
   */
  use<T>(run: (connection: Connection) => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly begin: () => void;
  readonly cancel: Cancel;
}

/**
 * A few connections that requests share. The next request replaces
 * a failed connection, so that a failover needs nothing else.
 */
export class ConnectionPool implements Database {
  readonly #connect: () => Promise<Connection>;
  readonly #timers: Timers;
  #idle: Connection[] = [];
  #inUse = 0;
  readonly #waiting: Waiting[] = [];

  constructor(connect: () => Promise<Connection>, timers: Timers) {
    this.#connect = connect;
    this.#timers = timers;
  }

  /** Rejects also with `overloaded`, where too many requests wait or this one waits too long. */
  async use<T>(run: (connection: Connection) => Promise<T>): Promise<T> {
    await this.#begin();
    try {
      const connection = this.#takeIdle() ?? (await this.#connect());
      try {
        const result = await run(connection);
        this.#idle.push(connection);
        return result;
      } catch (error) {
        drop(connection);
        // The idle connections may be dead too, which only their next statement would show.
        if (error instanceof FlancoError && error.code === "unavailable") this.#dropIdle();
        throw error;
      }
    } finally {
      this.#end();
    }
  }

  /** Call when nothing uses it. */
  close(): void {
    this.#dropIdle();
  }

  #takeIdle(): Connection | undefined {
    for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) if (!one.ended) return one;
    return undefined;
  }

  #dropIdle(): void {
    for (const connection of this.#idle.splice(0)) drop(connection);
  }

  async #begin(): Promise<void> {
    if (this.#inUse < MAX_CONNECTIONS) {
      this.#inUse += 1;
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) throw crowded();
    await new Promise<void>((begin, reject) => {
      const cancel = this.#timers.after(WAIT_MS, () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(crowded());
      });
      const waiting = { begin, cancel };
      this.#waiting.push(waiting);
    });
  }

  /** Gives a free place to the request that has waited longest. */
  #end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#inUse -= 1;
      return;
    }
    next.cancel();
    next.begin();
  }
}

/** Closes a connection without waiting: where the network is gone, closing may take very long. */
function drop(connection: Connection): void {
  connection.close().catch(() => {});
}

function crowded(): FlancoError {
  return new FlancoError("overloaded", "Too many requests wait for the company's database.", {
    hint: "Try again in a few seconds.",
    retryAfterSeconds: WAIT_MS / SECOND_MS,
  });
}

/** Refusals of the database by SQLSTATE, with what a person can do about each. */
const REFUSALS: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  "28P01": ["The database refuses the password.", "Put the role's password in the password file again."],
  "28000": ["The database does not let this role in.", "Look at its pg_hba.conf and at the role's name."],
  "3D000": ["There is no database of this name.", "Look at the database's address."],
  "3F000": ["The database has no schema of flanco.", "Make it with flanco central init."],
  "42P01": ["The database has no schema of flanco.", "Make it with flanco central init."],
  "42883": ["The database has no append that fits.", "Make the schema with flanco central init."],
  "42501": ["The database's role lacks a right.", "Look which role the address names."],
  "53100": [
    "The database's disk is full.",
    "Make room there; nothing is lost, and sending goes on by itself.",
  ],
  "22003": [
    "A sum is larger than 64 bits hold.",
    "A sum may be 9,000,000,000,000 at most: void records whose valor is wrong.",
  ],
  "57014": ["The database took too long.", "Try again, or ask for a shorter time."],
  "53300": ["The database has no connection free.", "Raise max_connections there."],
  FL001: ["The database's schema is of another version of flanco.", "Bring the older side up to date."],
  FL002: ["The database's role belongs to no gateway.", "Add it with flanco central gateway add."],
  "25006": ["The database takes no writes.", "A failover may be under way; it is tried again."],
};

/** An error of the database or of the way to it as one line for people. */
function databaseError(error: unknown): FlancoError {
  if (error instanceof FlancoError) return error;
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const problem = connectionProblem(code) ?? `gives no answer${code === "" ? "" : ` (${code})`}`;
  const [message, hint] = REFUSALS[code] ?? [
    `The database ${problem}.`,
    "It is tried again; look at the network, at the database's address and log, and at the authority of its certificate (sslrootcert).",
  ];
  return new FlancoError("unavailable", message, { hint, cause: error });
}
