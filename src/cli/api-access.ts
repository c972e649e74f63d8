import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request,
  type Server,
} from "node:http";
import { connect } from "node:net";
import { duplexPair } from "node:stream";
import { text } from "node:stream/consumers";
import type { Config } from "../contract/config/schema.ts";
import { type AnswerOf, type Declaration, errorOf, type InputOf } from "../contract/declaration.ts";
import { type ShownSighting, sighting, watchLines } from "../contract/line.ts";
import { ACCOUNT_HEADER, OPERATOR_HEADER } from "../contract/operator.ts";
import { SECOND_MS } from "../domain/clock.ts";
import { FlancoError, systemCode } from "../domain/error.ts";
import type { Log } from "../domain/log.ts";
import { ledgerEndpoints } from "../http/app.ts";
import { WorkerPasswordHasher } from "../http/auth/password.ts";
import { replaceSecret } from "../http/auth/session.ts";
import { createControlApp, operatorEndpoints } from "../http/control-server.ts";
import { UNWATCHED_LINES } from "../http/wiring.ts";
import {
  becomeOwner,
  dataDirectoryOf,
  isUnusedDirectory,
  prepareForLedger,
} from "../ledger/engine/data-directory.ts";
import { takeLock } from "../ledger/engine/lock.ts";
import { noLedger } from "../ledger/engine/open.ts";
import { finishReplacing } from "../ledger/safety/replace.ts";
import { systemClock } from "../platform/machine.ts";
import { SocketName } from "../platform/socket.ts";
import { tailDirectory } from "../service/backup-target.ts";
import { openAlone } from "../service/ledger.ts";
import { SinkSettings } from "../service/sink-settings.ts";
import type { CliContext } from "./command.ts";

/**
 * Runs operations where the ledger is: in the running service, or on the file itself while
 * none runs. Either way there is one writer, and an answer means that the change is on the
 * disk. Throws `not_found` where there is no ledger, unless the command `makesLedger`: in
 * a misspelt directory a list would otherwise be empty without an error.
 */
export async function withApi<T>(
  context: CliContext,
  config: Config,
  run: (api: ControlClient) => Promise<T>,
  options: { readonly makesLedger?: boolean } = {},
): Promise<T> {
  const by = context.user;
  const result = await withService(config, async (api) => ({ value: await run(api) }), { by });
  if (result !== undefined) return result.value;
  const { makesLedger = false } = options;
  return withLocalApi(config, context, makesLedger, run);
}

/** The error of what only a running service has. */
export function noService(): FlancoError {
  return new FlancoError("unavailable", "The flanco service is not running on this data directory.", {
    hint: "Start it first: npm start from a checkout, or systemctl start flanco.",
  });
}

/** Runs something with the running service; gives undefined while none runs. */
export async function withService<T>(
  config: Config,
  run: (client: ControlClient) => Promise<T>,
  options: ClientOptions = {},
): Promise<T | undefined> {
  const client = await ControlClient.connect(dataDirectoryOf(config.data_dir).control, options);
  if (client === undefined) return undefined;
  using closing = new DisposableStack();
  closing.defer(() => client.close());
  return await run(client);
}

/** Runs something with the running service. Throws `unavailable` while none runs. */
export async function withRunning<T>(
  config: Config,
  run: (client: ControlClient) => Promise<T>,
  options: ClientOptions = {},
): Promise<T> {
  const done = await withService(config, async (client) => ({ value: await run(client) }), options);
  if (done === undefined) throw noService();
  return done.value;
}

/** The command says itself what went wrong. */
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Runs something on the file itself. */
async function withLocalApi<T>(
  config: Config,
  { terminal, user }: CliContext,
  makesLedger: boolean,
  run: (api: ControlClient) => Promise<T>,
): Promise<T> {
  const dataDirectory = becomeOwner(config.data_dir);
  if (!makesLedger && isUnusedDirectory(dataDirectory)) throw noLedger(dataDirectory.ledger);
  prepareForLedger(dataDirectory);
  await using closing = new AsyncDisposableStack();
  closing.defer(takeLock(dataDirectory.lock));
  finishReplacing(dataDirectory.ledger);
  const ledger = {
    file: dataDirectory.ledger,
    tailDirectory: tailDirectory(config),
    timeZone: config.time_zone,
  };
  const { writer, reader } = await openAlone(ledger, systemClock, closing, {
    onProgress: ({ done, total }) => terminal.progress("Bringing the ledger up to date", done, total),
  });
  const passwords = new WorkerPasswordHasher();
  closing.defer(() => passwords.close());
  // The service tells of setups that cannot be read.
  const settings = new SinkSettings({ config, directory: dataDirectory.sinks, log: SILENT });
  settings.open();
  const parts = { reader, writer, passwords, clock: systemClock, log: SILENT };
  const endpoints = [
    ...ledgerEndpoints({
      ...parts,
      lines: UNWATCHED_LINES,
      // No command closes a month.
      trust: { trusted: () => false },
      ownersSinks: () => settings.ofOwners(),
      currency: { code: config.currency, decimals: config.currency_decimals },
      reach: () => ({ page: null, trust: null }),
    }),
    ...operatorEndpoints({
      ...parts,
      rotateSecret: (by) => {
        replaceSecret(dataDirectory.secret);
        return writer.endSessions(by);
      },
      acknowledged: () => {},
      clockCorrected: () => {},
    }),
  ];
  // What it lacks is a running service's.
  const app = createControlApp(endpoints, reader, SILENT, noService);
  const client = ControlClient.within(createServer(app.callback()), { by: user });
  closing.defer(() => client.close());
  return await run(client);
}

/** No socket, one that no process listens on, or no directory to hold one. */
const NOT_RUNNING: ReadonlySet<string | undefined> = new Set(["ENOENT", "ECONNREFUSED", "ENOTDIR"]);

/** Gives the options of each request that say how the service is reached. */
type Way = () => Pick<RequestOptions, "agent" | "socketPath" | "createConnection">;

export interface ClientOptions {
  /** The system's user that runs the command, for the audit log. */
  readonly by?: string;
  /** How long the service may take to answer, in milliseconds; without a bound where this is absent. */
  readonly answerMs?: number;
}

/** The gateway's endpoints as a command asks them: HTTP over the control socket, or within this process. */
export class ControlClient {
  readonly #way: Way;
  readonly #options: ClientOptions;
  readonly #closing = new DisposableStack();

  private constructor(way: Way, options: ClientOptions) {
    this.#way = way;
    this.#options = options;
  }

  /** Undefined when no service listens at this path. Throws `forbidden` when this user may not open it. */
  static async connect(path: string, options: ClientOptions = {}): Promise<ControlClient | undefined> {
    using opened = new DisposableStack();
    try {
      const socket = opened.use(new SocketName(path));
      const trial = connect(socket.name);
      await once(trial, "connect");
      trial.destroy();
      // One connection: requests are answered in the order in which they are made.
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      opened.defer(() => agent.destroy());
      const client = new ControlClient(() => ({ agent, socketPath: socket.name }), options);
      client.#closing.use(opened.move());
      return client;
    } catch (error) {
      const code = systemCode(error);
      if (NOT_RUNNING.has(code)) return undefined;
      throw notAllowed(path, code, error);
    }
  }

  /** Asks a server of this process, which listens nowhere. */
  static within(server: Server, options: ClientOptions): ControlClient {
    const createConnection = () => {
      const [own, others] = duplexPair();
      server.emit("connection", others);
      return own;
    };
    return new ControlClient(() => ({ createConnection }), options);
  }

  /**
   * Asks one endpoint. Rejects with the error that it answers.
   * @param account e-mail of a member of the account that it is about; the only account without it
   */
  async ask<D extends Declaration>(
    declaration: D,
    input: InputOf<D>,
    account?: string,
  ): Promise<AnswerOf<D>> {
    const answer = await this.#send(declaration, input, account, undefined);
    const body: unknown = JSON.parse(await text(answer));
    if (answer.statusCode !== declaration.status) throw failureOf(answer, body);
    const parsed = declaration.answer?.safeParse(body);
    if (!parsed?.success) throw otherVersion(parsed?.error);
    // It was parsed by this declaration's shape.
    return parsed.data as AnswerOf<D>;
  }

  /** Sightings of the wired lines from this moment on, until the service ends or the loop is left. */
  async *watch(): AsyncGenerator<ShownSighting> {
    const answer = await this.#send(watchLines, {}, undefined, new Agent());
    if (answer.statusCode !== watchLines.status) throw failureOf(answer, JSON.parse(await text(answer)));
    let rest = "";
    try {
      for await (const piece of answer.setEncoding("utf8")) {
        const lines = `${rest}${piece}`.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) yield sighting.parse(JSON.parse(line));
      }
    } catch (error) {
      // When the service ends, the connection ends in the middle of the answer.
      if (!answer.errored) throw error;
    }
  }

  close(): void {
    this.#closing.dispose();
  }

  #send(
    { method, path, body }: Declaration,
    input: { readonly query?: unknown; readonly body?: unknown },
    account: string | undefined,
    agent: Agent | undefined,
  ): Promise<IncomingMessage> {
    const { by = "", answerMs } = this.#options;
    const sent = request({
      ...this.#way(),
      ...(agent && { agent }),
      method,
      path: `${path}${queryText(input.query)}`,
      headers: { "content-type": "application/json" },
      ...(answerMs === undefined ? {} : { timeout: answerMs }),
    });
    sent.setHeader(OPERATOR_HEADER, encodeURIComponent(by));
    if (account !== undefined) sent.setHeader(ACCOUNT_HEADER, encodeURIComponent(account));
    return new Promise((resolve, reject) => {
      sent.once("response", resolve);
      sent.once("timeout", () => sent.destroy(noAnswer(answerMs ?? 0)));
      sent.once("error", (error) => reject(error instanceof FlancoError ? error : ended(error)));
      sent.end(body === undefined ? undefined : JSON.stringify(input.body));
    });
  }
}

/** The fields of a query that are given. */
function queryText(query: unknown): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) given.append(name, String(value));
  }
  return given.size === 0 ? "" : `?${given}`;
}

function failureOf({ statusCode = 0 }: IncomingMessage, body: unknown): FlancoError {
  return errorOf(statusCode, body) ?? otherVersion();
}

function otherVersion(cause?: unknown): FlancoError {
  return new FlancoError("unavailable", "The service's answer is not of this version of flanco.", {
    hint: "Start the service again: systemctl restart flanco.",
    cause,
  });
}

function ended(cause: unknown): FlancoError {
  return new FlancoError("unavailable", "The service ended before it answered.", {
    hint: "See by flanco status whether it runs again, and whether the command was carried out.",
    cause,
  });
}

function noAnswer(answerMs: number): FlancoError {
  return new FlancoError("unavailable", `The service has not answered for ${answerMs / SECOND_MS} seconds.`, {
    hint: "It hangs, or the machine is overloaded: look at its log, and start it again with systemctl restart flanco.",
  });
}

function notAllowed(path: string, code: string | undefined, cause: unknown): FlancoError {
  return new FlancoError("forbidden", `The service's control socket ${path} cannot be opened (${code}).`, {
    hint: "Run the command as the service's user or as root.",
    cause,
  });
}
