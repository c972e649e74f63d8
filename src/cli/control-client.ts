import { once } from "node:events";
import { Agent, type IncomingMessage, type RequestOptions, request, type Server } from "node:http";
import { connect } from "node:net";
import { duplexPair } from "node:stream";
import { text } from "node:stream/consumers";
import { type AnswerOf, type Declaration, errorOf, type InputOf } from "../contract/declaration.ts";
import { type ShownSighting, sighting, watchLines } from "../contract/line.ts";
import { ACCOUNT_HEADER, DEVICE_HEADER, OPERATOR_HEADER } from "../contract/operator.ts";
import { SECOND_MS } from "../domain/clock.ts";
import { FlancoError, systemCode } from "../domain/error.ts";
import { SocketName } from "../platform/socket.ts";

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
   * @param dId in place of an e-mail, where several accounts are there: of the one that has this device
   */
  async ask<D extends Declaration>(
    declaration: D,
    input: InputOf<D>,
    account?: string,
    dId?: string,
  ): Promise<AnswerOf<D>> {
    const about = [
      [ACCOUNT_HEADER, account],
      [DEVICE_HEADER, dId],
    ] as const;
    const answer = await this.#send(declaration, input, about, undefined);
    const body: unknown = JSON.parse(await text(answer));
    if (answer.statusCode !== declaration.status) throw failureOf(answer, body);
    const parsed = declaration.answer?.safeParse(body);
    if (!parsed?.success) throw otherVersion(parsed?.error);
    // It was parsed by this declaration's shape.
    return parsed.data as AnswerOf<D>;
  }

  /** Sightings of the wired lines from this moment on, until the service ends or the loop is left. */
  async *watch(): AsyncGenerator<ShownSighting> {
    const answer = await this.#send(watchLines, {}, [], new Agent());
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
    about: readonly (readonly [header: string, value: string | undefined])[],
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
    for (const [header, value] of [[OPERATOR_HEADER, by] as const, ...about]) {
      if (value !== undefined) sent.setHeader(header, encodeURIComponent(value));
    }
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
