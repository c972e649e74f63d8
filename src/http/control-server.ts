import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import Koa, { type Context } from "koa";
import { ACCOUNT_HEADER, DEVICE_HEADER, OPERATOR_HEADER } from "../contract/operator.ts";
import { commandActor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import type { LedgerReader } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import { OWNER_ONLY } from "../platform/durable-file.ts";
import { SocketName } from "../platform/socket-name.ts";
import { type Accounts, accountOf, deviceOwners } from "./account.ts";
import { errorMiddleware } from "./errors.ts";
import { type Endpoint, otherMethod, routesOf } from "./router.ts";

const MAX_CONNECTIONS = 16;

/**
 * The command line's door to the service: HTTP on a Unix
 * socket in the data directory that only its owner may open.
 */
export class ControlServer {
  readonly #path: string;
  readonly #server: Server;
  #socket: SocketName | undefined;

  constructor(
    path: string,
    endpoints: readonly Endpoint[],
    reader: Accounts & Pick<LedgerReader, "devices">,
    log: Log,
  ) {
    this.#path = path;
    this.#server = createServer(createControlApp(endpoints, reader, log).callback());
    this.#server.maxConnections = MAX_CONNECTIONS;
    // The command ends the connection: if the service ended it first, a request could be lost.
    this.#server.keepAliveTimeout = 0;
  }

  async open(): Promise<void> {
    // The data directory is locked, so a socket that is there is of a process that has ended.
    rmSync(this.#path, { force: true });
    this.#socket = new SocketName(this.#path);
    await once(this.#server.listen(this.#socket.name), "listening");
    chmodSync(this.#path, OWNER_ONLY);
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
    this.#socket?.[Symbol.dispose]();
  }
}

/**
 * The application of the operators: the same endpoints as the network's, and the operator's own. An operator acts as
 * an owner of the account that the command names, or of the only one, or of the one that has a device. The audit log names the system's user, as the
 * command says it: only the service's own user and root reach the socket. Internal errors are shown, because the
 * machine is theirs.
 * @param nothingHere the error of a path that has no endpoint
 */
export function createControlApp(
  endpoints: readonly Endpoint[],
  reader: Accounts & Pick<LedgerReader, "devices">,
  log: Log,
  nothingHere = () => new FlancoError("not_found", "There is nothing at this path."),
): Koa {
  const app = new Koa();
  app.silent = true;
  app.use(errorMiddleware(log, () => "error", true));
  app.use(
    routesOf(endpoints, {
      signedInOf: async (context) => ({
        memberId: "",
        sid: "",
        role: "owner",
        get userId() {
          const [email, dId] = [headerOf(context, ACCOUNT_HEADER), headerOf(context, DEVICE_HEADER)];
          return dId === undefined ? accountOf(reader, email) : deviceOwners(reader)(dId, email);
        },
      }),
      operatorOf: (context) => commandActor(headerOf(context, OPERATOR_HEADER) ?? ""),
      positionOf: () => null,
      admit: () => {},
      refuse: () => {},
    }),
  );
  app.use(otherMethod);
  app.use(() => {
    throw nothingHere();
  });
  return app;
}

/** A header as it was before it was percent-encoded; undefined without it. */
function headerOf(context: Context, name: string): string | undefined {
  const text = context.get(name);
  if (text === "") return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
