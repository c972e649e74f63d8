import { isIP, Socket } from "node:net";
import type { Client, ClientConfig, QueryResultRow } from "pg";
import { MINUTE_MS } from "../domain/clock.ts";
import type { DatabaseAddress, DatabaseNode } from "../domain/database-address.ts";
import { FlancoError, systemCode } from "../domain/error.ts";
import { readConfigured } from "../platform/secret-file.ts";
import { connectionProblem } from "../platform/socket.ts";

/** Bounds of one connection. */
export interface ConnectionLimits {
  /** How long each node may take to accept the connection. */
  readonly connectMs: number;
  /** A connection without an answer for this long has failed. */
  readonly answerMs: number;
}

/** The bounds for a sink and for commands, for which a slow answer is better than none. */
const PATIENT: ConnectionLimits = { connectMs: 10_000, answerMs: 30_000 };
/**
 * A connection without work for this long is given back: each holds a process
 * of the database, of which there are a hundred unless somebody raises that.
 */
export const IDLE_MS = MINUTE_MS;
/** Gives the password for a node. */
export type PasswordOf = (node: DatabaseNode, address: DatabaseAddress) => string;

/** One connection to the node that takes writes. */
export interface Connection {
  /** Runs a statement whose parameters have names, such as `@company`. Rejects with a FlancoError. */
  query<Row extends QueryResultRow>(sql: string, values?: Parameters): Promise<Row[]>;
  /** Whether it has ended, by either side. */
  readonly ended: boolean;
  close(): Promise<void>;
}

/** Values by the names of a statement's parameters. */
export type Parameters = Readonly<Record<string, unknown>>;

/** A statement in PostgreSQL's own form, whose parameters have numbers. */
function numbered(sql: string, values: Parameters): { readonly text: string; readonly values: unknown[] } {
  const names: string[] = [];
  const text = sql.replaceAll(/@(\w+)/g, (_, name: string) => {
    if (!(name in values)) throw new Error(`A statement's parameter @${name} has no value.`);
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text, values: names.map((name) => values[name]) };
}

/** Connects once, as `connector` does. */
export function connect(
  address: DatabaseAddress,
  passwordOf: PasswordOf,
  limits = PATIENT,
): Promise<Connection> {
  return connector(address, passwordOf, limits)();
}

/**
 * Connects at each call to the first node that takes writes. A node that does not goes to the end: the next call
 * begins with one that did, or that was not tried, even if the caller has given up meanwhile. The call rejects with
 * a FlancoError that holds no secret.
 */
export function connector(
  address: DatabaseAddress,
  passwordOf: PasswordOf,
  limits = PATIENT,
): () => Promise<Connection> {
  let order = address.hosts;
  return async () => {
    let failure: unknown;
    for (const node of order) {
      try {
        const connection = await connectTo(address, node, passwordOf, limits);
        if (await takesWrites(connection)) return connection;
        failure ??= new FlancoError("unavailable", "No node of the database takes writes.", {
          hint: "A failover may be under way; it is tried again.",
        });
      } catch (error) {
        failure = error;
      }
      order = [...order.filter((other) => other !== node), node];
    }
    throw databaseError(failure);
  };
}

/**
 * Asks whether this node takes writes, as libpq does for target_session_attrs=read-write: a standby does not, nor does a node that was
 * fenced or whose disk is full. Has it ask a silent connection after a minute whether it is still there.
 * PostgreSQL would ask after two hours, and a gateway may have four connections: a few cuts of its network would lock it out.
 */
const BEGIN = `SELECT current_setting('transaction_read_only') = 'on' AS reading, set_config('tcp_keepalives_idle', '60', false),
  set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false)`;

/** Whether this node takes writes. The connection is dropped where it does not, or where it does not say so. */
async function takesWrites(connection: Connection): Promise<boolean> {
  let isWriting = false;
  try {
    const [row] = await connection.query<{ reading: boolean }>(BEGIN);
    isWriting = row?.reading === false;
    return isWriting;
  } finally {
    if (!isWriting) drop(connection);
  }
}

async function connectTo(
  address: DatabaseAddress,
  node: DatabaseNode,
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
    stream: newSocket,
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
    async query<Row extends QueryResultRow>(sql: string, values: Parameters = {}): Promise<Row[]> {
      try {
        const { rows } = await client.query<Row>(numbered(sql, values));
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

/**
 * A socket whose error never ends the process. Where its connecting throws at once, the
 * library has no listener on it yet, and destroys it with an error when its time is over.
 */
function newSocket(): Socket {
  return new Socket().on("error", () => {});
}

/** The name that the certificate must have. TLS asks for a server by a name, never by an address. */
function nameOf(host: string): { readonly host: string } | { readonly servername: string } {
  return isIP(host) === 0 ? { servername: host } : { host };
}

/** Closes a connection without waiting: where the network is gone, closing may take very long. */
export function drop(connection: Connection): void {
  connection.close().catch(() => {});
}

/** Refusals of the database by SQLSTATE, with what a person can do about each. */
const REFUSALS: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  "28P01": ["The database refuses the password.", "Put the role's password in the password file again."],
  "28000": ["The database does not let this role in.", "Look at its pg_hba.conf and at the role's name."],
  "3D000": ["There is no database of this name.", "Look at the database's address."],
  "3F000": ["The database has no schema of flanco.", "Make it with flanco central init."],
  "42P01": ["The database has no schema of flanco.", "Make it with flanco central init."],
  "42883": [
    "The database has no append that fits.",
    "Bring the schema up to date with flanco central upgrade; flanco central init makes it.",
  ],
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
  "53300": [
    "The database has no connection free.",
    "Look at max_connections there, and at what holds its connections.",
  ],
  FL001: [
    "The database's schema is of another version of flanco.",
    "Bring the older side up to date: flanco itself, or the database by flanco central upgrade.",
  ],
  FL002: ["The database's role belongs to no gateway.", "Add it with flanco central gateway add."],
  "25006": ["The database takes no writes.", "A failover may be under way; it is tried again."],
};

/** PostgreSQL has one SQLSTATE for both bounds of connections; its function that reports the role's own tells them apart. */
const OF_ROLE = "InitializeSessionUserId";
const ROLE_IS_FULL = [
  "The database's role has as many connections as it may have.",
  "Look whether another gateway signs in as this role. Connections of a network that was cut end there within two minutes.",
] as const;

/** SQLSTATEs by which the database refuses what it is given: data, a constraint, a trigger's own error. */
const REFUSED_DATA = /^(?:2[23]...|P0001)$/;
const MAX_SAID = 200;

/** Whether the schema has no function that takes what was given. */
export function lacksFunction(error: unknown): boolean {
  return error instanceof FlancoError && systemCode(error.cause) === "42883";
}

/** Why the database refuses what it was given, without the values of it; undefined for every other failure. */
export function refusedData(error: unknown): { readonly why: string; readonly hint: string } | undefined {
  const { cause } = error instanceof FlancoError ? error : {};
  const code = systemCode(cause) ?? "";
  if (!(cause instanceof Error && REFUSED_DATA.test(code))) return undefined;
  const [known, hint = ""] = REFUSALS[code] ?? [];
  // Messages of class 22 quote the value; those of class 23 a table and a constraint.
  const said = code.startsWith("22") ? cause.message.replaceAll(/"[^"]*"/g, "…") : cause.message;
  return {
    why: known ?? `${said.replaceAll(/\s+/g, " ").slice(0, MAX_SAID)} (${code})`,
    hint:
      hint ||
      "Look in the database at what was added to the schema flanco by hand, such as a constraint or a trigger. Nothing is lost, and sending goes on by itself once the entry is taken.",
  };
}

/** An error of the database or of the way to it as one line for people. */
function databaseError(error: unknown): FlancoError {
  if (error instanceof FlancoError) return error;
  const code = systemCode(error) ?? "";
  // Only an error that the database itself reports has a severity.
  const hasAnswered = error instanceof Error && "severity" in error;
  const problem =
    connectionProblem(code) ??
    `${hasAnswered ? "reports an error" : "gives no answer"}${code === "" ? "" : ` (${code})`}`;
  const isOfRole =
    code === "53300" && error instanceof Error && "routine" in error && error.routine === OF_ROLE;
  const [message, hint] = (isOfRole ? ROLE_IS_FULL : REFUSALS[code]) ?? [
    `The database ${problem}.`,
    "It is tried again; look at the network, at the database's address and log, and at the authority of its certificate (sslrootcert).",
  ];
  return new FlancoError("unavailable", message, { hint, cause: error });
}
