import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { type Declaration, errorOf } from "../contract/declaration.ts";
import {
  declarationOf,
  OPERATOR_HEADER,
  type OperationData,
  type OperationInput,
  type OperationName,
  type ShownSighting,
  sighting,
  watchLines,
} from "../contract/operator.ts";
import { SECOND_MS } from "../domain/clock.ts";
import { FlancoError, systemCode } from "../domain/error.ts";
import { SocketName } from "../platform/socket-name.ts";

/** No socket, one that no process listens on, or no directory to hold one. */
const NOT_RUNNING: ReadonlySet<string | undefined> = new Set(["ENOENT", "ECONNREFUSED", "ENOTDIR"]);

/** A way to run operations: in this process, or in the service that has the ledger. */
export interface Door {
  call<N extends OperationName>(name: N, input: OperationInput<N>): Promise<OperationData<N>>;
}

export interface ClientOptions {
  /** The system's user that runs the command, for the audit log. */
  readonly by?: string;
  /** How long the service may take to answer, in milliseconds; without a bound where this is absent. */
  readonly answerMs?: number;
}

/** Runs operations in the service that has the ledger: HTTP over its control socket. */
export class ControlClient implements Door {
  readonly #socket: SocketName;
  readonly #options: ClientOptions;
  /** One connection: requests are answered in the order in which they are made. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  private constructor(socket: SocketName, options: ClientOptions) {
    this.#socket = socket;
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
      opened.move();
      return new ControlClient(socket, options);
    } catch (error) {
      const code = systemCode(error);
      if (NOT_RUNNING.has(code)) return undefined;
      throw notAllowed(path, code, error);
    }
  }

  async call<N extends OperationName>(name: N, input: OperationInput<N>): Promise<OperationData<N>> {
    const declaration = declarationOf(name);
    const answer = await this.#send(declaration, input, this.#agent);
    const body: unknown = JSON.parse(await text(answer));
    if (answer.statusCode !== declaration.status) throw failureOf(answer, body);
    const parsed = declaration.answer.safeParse(body);
    if (!parsed.success) throw otherVersion(parsed.error);
    // It was parsed by this operation's shape.
    return parsed.data.data as OperationData<N>;
  }

  /** Sightings of the wired lines from this moment on, until the service ends or the loop is left. */
  async *watch(): AsyncGenerator<ShownSighting> {
    const answer = await this.#send(watchLines, {}, new Agent());
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
    this.#agent.destroy();
    this.#socket[Symbol.dispose]();
  }

  #send({ method, path, body }: Declaration, input: unknown, agent: Agent): Promise<IncomingMessage> {
    const { by = "", answerMs } = this.#options;
    const sent = request({
      agent,
      method,
      path,
      socketPath: this.#socket.name,
      headers: { [OPERATOR_HEADER]: encodeURIComponent(by), "content-type": "application/json" },
      ...(answerMs === undefined ? {} : { timeout: answerMs }),
    });
    return new Promise((resolve, reject) => {
      sent.once("response", resolve);
      sent.once("timeout", () => sent.destroy(noAnswer(answerMs ?? 0)));
      sent.once("error", (error) => reject(error instanceof FlancoError ? error : ended(error)));
      sent.end(body === undefined ? undefined : JSON.stringify(input));
    });
  }
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
