import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import Koa, { type Context } from "koa";
import {
  ACCOUNT_HEADER,
  acknowledgeFindings,
  correctClock,
  listReclocked,
  OPERATOR_HEADER,
  rotateSecret,
} from "../contract/operator.ts";
import { type Actor, commandActor } from "../domain/audit.ts";
import { FlancoError } from "../domain/error.ts";
import type { ClockCorrected, LedgerReader, LedgerWriter } from "../domain/ledger.ts";
import type { Log } from "../domain/log.ts";
import { OWNER_ONLY } from "../platform/durable-file.ts";
import { SocketName } from "../platform/socket.ts";
import { type Accounts, accountOf } from "./account.ts";
import { errorMiddleware } from "./middleware.ts";
import { type Endpoint, otherMethod, routesOf, serve } from "./router.ts";

const MAX_CONNECTIONS = 16;

/**
 * The command line's door to the service: HTTP on a Unix
 * socket in the data directory that only its owner may open.
 */
export class ControlServer {
  readonly #path: string;
  readonly #server: Server;
  #socket: SocketName | undefined;

  constructor(path: string, endpoints: readonly Endpoint[], reader: Accounts, log: Log) {
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
 * an owner of the account that the command names, or of the only one. The audit log names the system's user, as the
 * command says it: only the service's own user and root reach the socket. Internal errors are shown, because the
 * machine is theirs.
 * @param nothingHere the error of a path that has no endpoint
 */
export function createControlApp(
  endpoints: readonly Endpoint[],
  reader: Accounts,
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
        limit: null,
        get userId() {
          return accountOf(reader, headerOf(context, ACCOUNT_HEADER));
        },
      }),
      operatorOf: (context) => commandActor(headerOf(context, OPERATOR_HEADER) ?? ""),
      positionOf: () => null,
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

export interface OperatorDependencies {
  readonly reader: Pick<LedgerReader, "reclocked">;
  readonly writer: Pick<LedgerWriter, "correctClock" | "noteAudit">;
  /** Replaces the secret that signs sessions. Resolves with the number of sessions that ended. */
  readonly rotateSecret: (by: Actor) => Promise<number>;
  /** Called with the keys of findings that were acknowledged: they are no fault any more. */
  readonly acknowledged: (keys: string) => void;
  /** Called when the sales of a boot got other times by another zero of its clock. */
  readonly clockCorrected: (bootId: string, zeroMs: number) => void;
}

/** What an operator does to the gateway as a whole. */
export function operatorEndpoints(dependencies: OperatorDependencies): readonly Endpoint[] {
  const { reader, writer } = dependencies;
  return [
    serve(rotateSecret, async ({ by }) => ({ data: { ended: await dependencies.rotateSecret(by) } })),
    serve(listReclocked, () => ({ data: reader.reclocked() })),
    serve(correctClock, async ({ body: { bootId, zeroMs }, by }) => {
      let moved = 0;
      for (let after: number | null = 0; after !== null; ) {
        const step: ClockCorrected = await writer.correctClock(bootId, zeroMs, after, by);
        moved += step.moved;
        after = step.after;
      }
      dependencies.clockCorrected(bootId, zeroMs);
      return { data: { moved } };
    }),
    serve(acknowledgeFindings, async ({ body: details, by }) => {
      await writer.noteAudit([{ kind: "findings_acknowledged", userId: null, details, actor: by }]);
      dependencies.acknowledged(details.findings);
    }),
  ];
}
