import { FlancoError } from "./error.ts";

const DEFAULT_PORT = 5432;
const MAX_PORT = 65_535;
const URL_FORM = /^postgres(?:ql)?:\/\/([^:@/?]+)@([^/?]*)\/([^?]+)(?:\?(.*))?$/;
/** A host that is a socket, or this machine by its loopback. */
const LOCAL = /^(\/.*|localhost|::1|127\.\d+\.\d+\.\d+)$/;
const PARAMETERS: readonly string[] = ["sslrootcert", "sslmode", "host"];

/** One node of the database. */
export interface DatabaseNode {
  readonly host: string;
  readonly port: number;
}

/** Where a company's database is. */
export interface DatabaseAddress {
  readonly user: string;
  readonly database: string;
  /**
   * The nodes of one cluster, of which the one that takes writes
   * is used. A host that begins with / is the folder of a socket.
   */
  readonly hosts: readonly DatabaseNode[];
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
export function parseDatabaseAddress(url: string): DatabaseAddress {
  const [, user, list = "", database, query = ""] = URL_FORM.exec(url) ?? [];
  if (user === undefined || database === undefined) throw malformed();
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (!PARAMETERS.includes(name)) {
      throw new FlancoError("invalid", `The database's address has the parameter ${name.slice(0, 40)}.`, {
        hint: `Known are ${PARAMETERS.join(", ")}.`,
      });
    }
  }
  const socket = parameters.get("host");
  const hosts = (socket === null ? list.split(",") : [socket]).map((text) => nodeOf(text));
  const isLocal = hosts.every(({ host }) => LOCAL.test(host));
  const mode = parameters.get("sslmode");
  if (mode !== null && mode !== "verify-full" && !(mode === "disable" && isLocal)) {
    throw new FlancoError("invalid", `The database's address has sslmode=${mode.slice(0, 40)}.`, {
      hint: "Leave it out: a connection over the network is encrypted and its certificate verified. disable is for this machine alone.",
    });
  }
  return {
    user: decoded(user),
    database: decoded(database),
    hosts,
    authorities: parameters.get("sslrootcert"),
    isPlain: mode === "disable" || hosts.every(({ host }) => host.startsWith("/")),
  };
}

export function isDatabaseAddress(url: string): boolean {
  try {
    parseDatabaseAddress(url);
    return true;
  } catch {
    // Whatever is wrong with it.
    return false;
  }
}

function nodeOf(text: string): DatabaseNode {
  const [, host, port = String(DEFAULT_PORT)] =
    /^(\/.*|\[[0-9a-f:]+\]|[^:@\s]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > MAX_PORT) {
    throw new FlancoError("invalid", "The database's address names no host, or a port that there is not.", {
      hint: "For example postgresql://flanco@db.example.org/flanco.",
    });
  }
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that stands for no character.
    throw malformed();
  }
}

function malformed(): FlancoError {
  return new FlancoError("invalid", "The database's address is not postgresql://USER@HOST:PORT/DATABASE.", {
    hint: "The address has no password: the password is in a file of its own.",
  });
}
